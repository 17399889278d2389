"""The README is true: what it tells people to type exists and works."""

import argparse
import re
from collections.abc import Iterator

import pytest
from django.core.management import get_commands, load_command_class

from judging import standin
from tests.launch.conftest import all_of
from tests.services import ROOT

README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^\| `(\w+)(.*)$", README, re.MULTILINE)
PAGES = "\n".join(page.read_text() for page in (ROOT / "docs").glob("*.md"))
COMMANDS += sorted(set(re.findall(r"manage\.py (\w+)([^`\n#]*)", f"{README}\n{PAGES}")))
ITEM = '{"key": "a", "dialogue": "[seeker]I lost my keys.", "reply": "[supporter]Where?"}\n'


@pytest.mark.parametrize(("name", "said"), COMMANDS)
def test_each_command_takes_what_is_said_of_it(name, said):
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    taken = {option for one in parsers(parser) for option in one._option_string_actions}
    assert set(re.findall(r"--[a-z-]+", said)) <= taken


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser, and those of its verbs."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from parsers(inner)


def test_every_target_of_make_exists():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", README, re.MULTILINE)) <= set(targets)


def test_every_variable_is_in_the_example():
    explained = re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert set(re.findall(r"\b(?:CONCORD|DATABASE|REDIS)_[A-Z_]+", README)) <= set(explained)


def test_what_is_to_be_typed_works_beside_a_running_demo(launchers, tmp_path):
    """The block of commands as it stands, then a judge that is tried, then a pipe that is cut."""
    launcher = launchers("readme", is_filled=True)
    demo = launcher.run()
    items = tmp_path / "items.jsonl"
    items.write_text(ITEM)
    (block,) = (part for part in README.split("```") if "alias concord=" in part)
    typed = f"""
        set -e -o pipefail; shopt -s expand_aliases
        {block.replace("items.jsonl", str(items))}
        concord judge probe support-demo --llm "{standin.NAME}"
        set +o pipefail
        concord agreement figures-demo --part judges | head -1
    """

    done = launcher.start_shell(typed)
    printed = all_of(done)

    assert done.returncode == 0, printed
    assert "Traceback" not in printed
    demo.terminate()
    launcher.wait_until_all_have_gone()
