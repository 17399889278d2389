"""A published flow of questions comes in by a command."""

import pytest
from django.core.management import CommandError, call_command

from annotation.rubric.loading import load, parse_toml
from tests.rubric.test_flows import TABLE


def test_a_command_writes_a_published_flow_as_a_rubric(tmp_path, capsys):
    table, rubric = tmp_path / "flow.tsv", tmp_path / "flow.toml"
    table.write_text(TABLE, encoding="utf-8")
    call_command("import_flow", str(table), key="flow", title="A flow", to=str(rubric))
    assert capsys.readouterr().out == "8 questions, 17 answers, 51 paths, 3 dimensions.\n"
    assert load(parse_toml(rubric.read_text(encoding="utf-8"))).key == "flow"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe", "is not UTF-8."),
        (b"a\tb\n", "The table needs the columns"),
        (TABLE.replace("risk\t2", "risk\t1").encode(), "leads back to “q1”"),
    ],
)
def test_a_command_says_what_is_wrong_with_a_flow(tmp_path, content, says):
    table, rubric = tmp_path / "flow.tsv", tmp_path / "flow.toml"
    table.write_bytes(content)
    with pytest.raises(CommandError, match=says):
        call_command("import_flow", str(table), key="flow", title="A flow", to=str(rubric))
    assert not rubric.exists()


def test_the_published_flow_is_counted(shared, tmp_path, capsys):
    table, rubric = shared / "data" / "vera_mh" / "rubric.tsv", tmp_path / "vera.toml"
    call_command("import_flow", str(table), key="vera_mh", title="VERA-MH", to=str(rubric))
    told = capsys.readouterr().out
    assert told == "34 questions, 73 answers, 78,402 paths, 5 dimensions.\n"
