"""What could say who somebody is, is decided about before anything of a file is stored."""

import logging
import re

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Event
from annotation.models import Item, Screening
from tests.imports.sending import bring_in, upload

PHONE, NAME = "13800138000", "李小明"
FILE = (
    "key,dialogue,reply\n"
    f"i1,[seeker]我叫{NAME}，睡不着,谢谢你说出来\n"
    f"i2,[seeker]打{PHONE}找我,好的\n"
    "i3,[seeker]每天都很累,多久了？\n"
)
REDACT = {"kind_phone": "redact", "kind_name": "redact"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(mere, ada, as_user):
    return as_user(ada)


def texts() -> str:
    return "".join(
        f"{item.key}{item.dialogue.turns}{item.reply}"
        for item in Item.objects.filter(study__key="mere").order_by("position")
    )


def test_the_page_says_what_was_found_and_stores_nothing(browser):
    page = upload(browser, "mere", FILE).content.decode()
    assert "2 places could say who somebody is" in page
    assert f"<mark>{PHONE}</mark>" in page
    assert f"<mark>{NAME}</mark>" in page
    assert texts() == ""


def test_attributes_are_looked_at_too(browser):
    page = upload(browser, "mere", f"key,dialogue,reply,attribute.site\ni1,早,好,打{PHONE}\n")
    told = page.content.decode()
    assert f"<mark>{PHONE}</mark>" in told
    assert re.search(r'data-label="Where">\s*site</td>', told)
    bring_in(browser, page, kind_phone="redact")
    assert Item.objects.get(key="i1").attributes == {"site": "打[phone]"}


def test_content_notes_are_looked_at_too(browser):
    page = upload(browser, "mere", f"key,dialogue,reply,content_note\ni1,早,好,打{PHONE}\n")
    assert f"<mark>{PHONE}</mark>" in page.text
    bring_in(browser, page, kind_phone="redact")
    assert Item.objects.get(key="i1").content_note == "打[phone]"


def test_without_a_decision_nothing_is_imported(browser):
    page = upload(browser, "mere", FILE)
    assert browser.post(f"{page.address}import/").status_code == 422
    assert texts() == ""


def test_what_is_redacted_is_nowhere(browser, caplog):
    caplog.set_level(logging.DEBUG)
    bring_in(browser, upload(browser, "mere", FILE), **REDACT)
    assert "我叫[name]，睡不着" in texts()
    assert "打[phone]找我" in texts()
    assert not any(secret in texts() + caplog.text for secret in (PHONE, NAME))
    line = Event.objects.get(verb="items.imported")
    assert line.facts["identifiers"] == line.facts["redacted"] == 2
    screening = Screening.objects.get()
    assert (screening.hits, screening.redacted) == ({"phone": 1, "name": 1}, 2)


def test_a_row_is_dropped_and_the_others_come(browser):
    bring_in(browser, upload(browser, "mere", FILE), **REDACT | {"kind_phone": "drop"})
    assert set(Item.objects.values_list("key", flat=True)) == {"i1", "i3"}
    assert Screening.objects.get().dropped == 1


def test_what_is_kept_needs_a_reason(browser):
    page = upload(browser, "mere", FILE)
    keep = REDACT | {"kind_name": "keep"}
    assert browser.post(f"{page.address}import/", keep).status_code == 422
    bring_in(browser, page, **keep, reason_name="A name from a novel.")
    assert NAME in texts()
    assert Screening.objects.get().kept == {"name": [1, "A name from a novel."]}


def test_one_place_is_treated_otherwise_than_its_kind(browser):
    page = upload(browser, "mere", FILE)
    bring_in(browser, page, **REDACT | {"hit_0": "keep"}, reason_name="Of a novel.")
    assert NAME in texts()
    assert PHONE not in texts()


def test_the_same_file_once_more_changes_nothing(browser):
    for _ in range(2):
        bring_in(browser, upload(browser, "mere", FILE), **REDACT)
    assert Item.objects.filter(study__key="mere").count() == 3


def test_a_file_without_any_asks_nothing(browser):
    page = upload(browser, "mere", "key,dialogue,reply\ni1,[seeker]每天都很累,多久了？\n")
    assert "could say who somebody is" not in page.content.decode()
    bring_in(browser, page)
    assert Item.objects.count() == 1
    assert not Screening.objects.exists()


@pytest.fixture
def import_file(mere, tmp_path, capsys):
    """import_file("--redact", "all") runs the command and returns what it prints."""
    path = tmp_path / "items.csv"
    path.write_text(FILE, encoding="utf-8")

    def run(*arguments: str) -> str:
        call_command("import_items", "mere", str(path), *arguments)
        return capsys.readouterr().out

    return run


def test_the_command_asks_what_is_to_become_of_identifiers(import_file):
    assert "identifiers" in import_file("--dry-run")
    with pytest.raises(CommandError, match=r"\(phone, name; in all 2\)"):
        import_file()
    with pytest.raises(CommandError, match="in all 1"):
        import_file("--redact", "phone")
    assert texts() == ""


def test_the_command_redacts_drops_and_keeps_by_kind(import_file):
    import_file("--redact", "all", "--drop", "phone")
    assert "我叫[name]，睡不着" in texts()
    assert set(Item.objects.values_list("key", flat=True)) == {"i1", "i3"}
    screening = Screening.objects.get()
    assert (screening.redacted, screening.dropped) == (1, 1)


def test_the_command_keeps_nothing_without_a_reason(import_file):
    with pytest.raises(CommandError, match="--because"):
        import_file("--keep", "all")
    with pytest.raises(CommandError, match="No kind of identifier: shoe"):
        import_file("--redact", "shoe")
    import_file("--keep", "all", "--because", "Of a novel.")
    assert PHONE in texts()
    assert Screening.objects.get().kept["name"] == [1, "Of a novel."]
