"""Lists of items to set aside: by key, or by conversation and source."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.models import Event
from annotation.models import Dialogue, Item, Quarantine
from tests.imports.sending import bring_in, upload

KEYS = "item,reason\nd1.1,Cut off.\nd2.1,\n"


@pytest.fixture
def reeds(mere):
    """A study with two items of one conversation, as a workbook brings them."""
    dialogue = Dialogue.objects.create(study=mere, key="7", turns=[])
    for position, source in enumerate(["qwen_2", "claude"], start=1):
        Item.objects.create(
            study=mere,
            dialogue=dialogue,
            key=f"7-{source}",
            position=position,
            generator=source,
            content_sha256="0" * 64,
        )
    return mere


def run(study, source, *options):
    call_command("quarantine_items", study.key, str(source.path), *options)


def kept():
    return dict(Quarantine.objects.order_by("pk").values_list("item__key", "reason"))


def test_a_list_is_taken_with_its_reasons(pond, ada, put, capsys):
    run(pond, put("list.csv", KEYS), "--reason", "The string nan.", "--by", ada.email)
    assert kept() == {"d1.1": "Cut off.", "d2.1": "The string nan."}
    assert "set aside  2" in capsys.readouterr().out
    pond.refresh_from_db()
    assert pond.revision == 1
    event = Event.objects.get(verb="items.quarantined")
    assert (event.actor, event.facts["new"]) == (ada, 2)


def test_a_list_may_name_conversation_and_source(reeds, put):
    run(reeds, put("nan.csv", "ConvID,source,reason\n7,qwen_2,The string nan.\n"))
    assert kept() == {"7-qwen_2": "The string nan."}


def test_importing_twice_changes_nothing(pond, put, capsys):
    run(pond, put("list.csv", KEYS), "--reason", "The string nan.")
    run(pond, put("list.csv", KEYS), "--reason", "Another reason.")
    assert kept() == {"d1.1": "Cut off.", "d2.1": "The string nan."}
    assert "set aside before  2" in capsys.readouterr().out
    pond.refresh_from_db()
    assert pond.revision == 1


def test_a_dry_run_writes_nothing(pond, put, capsys):
    run(pond, put("list.csv", KEYS), "--reason", "The string nan.", "--dry-run")
    assert kept() == {}
    assert not Event.objects.filter(verb="items.quarantined").exists()
    assert "Dry run: nothing was written." in capsys.readouterr().out


BAD = {
    "an unknown item": ("d9.1,Cut off.\n", "line 3, “item”: The study has no item “d9.1”."),
    "no reason": ("d2.1,\n", "line 3, “reason”: Say why the item is set aside:"),
    "no item": (" ,Cut off.\n", "line 3, “item”: The row does not say which item it is about."),
    "an item again": ("d1.1,Too.\n", "line 3, “item”: The item “d1.1” was named before, at line 2"),
    "a long reason": (f"d2.1,{'x' * 501}\n", "line 3, “reason”:"),
    "half a row": ("d2.1\n", "line 3: The row has 1 fields and the header 2."),
}


@pytest.mark.parametrize(("row", "words"), BAD.values(), ids=BAD)
def test_a_bad_row_is_named_and_nothing_is_written(pond, put, capsys, row, words):
    source = put("list.csv", f"item,reason\nd1.1,Cut off.\n{row}")
    with pytest.raises(CommandError, match="Nothing was imported; rows that are wrong: 1"):
        run(pond, source)
    assert words in capsys.readouterr().err
    assert kept() == {}
    run(pond, source, "--skip-bad")
    assert kept() == {"d1.1": "Cut off."}


REFUSED = {
    "another layout": (
        "list.txt",
        "item\nd1.1\n",
        "Lists of items are read from .csv and .xlsx files",
    ),
    "no column": ("list.csv", "items\nd1.1\n", "The header, which is the first line, has no"),
    "no rows": ("list.csv", "item,reason\n", "The file has no rows to import."),
    "no source": ("list.csv", "ConvID,reason\n7,Cut off.\n", "Nothing was imported"),
}


@pytest.mark.parametrize(("name", "text", "words"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_is_no_list_is_refused_in_a_sentence(pond, put, name, text, words):
    with pytest.raises(CommandError, match=words):
        run(pond, put(name, text))
    assert kept() == {}


@pytest.mark.django_db(transaction=True)
def test_a_coordinator_uploads_a_list_looks_and_imports(
    pond, ada, gwen, as_user, settings, tmp_path
):
    settings.UPLOAD_DIR = tmp_path / "uploads"
    browser = as_user(ada)
    given = {"what": "quarantine", "name": "list.csv", "reason": "The string nan."}
    page = upload(browser, "pond", KEYS, **given)
    assert "Every row can be imported." in page.text
    assert "The string nan." in page.text
    assert kept() == {}

    done = bring_in(browser, page)
    assert "2 items are set aside; figures follow." in done.text
    assert kept() == {"d1.1": "Cut off.", "d2.1": "The string nan."}
    address = reverse("import_quarantine", args=["pond"])
    assert as_user(gwen).get(address).status_code == 403
