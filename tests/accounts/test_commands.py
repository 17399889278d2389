"""The server's console: publishing an edition, appointing a steward."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts import editions
from accounts.access import AccessStep, access_of
from accounts.models import Event, Role, Terms, User
from tests.cast import PASSWORD

CLAUSE = """
[[clauses]]
heading_en = "Quiet"
text_en = "Keep it\\nto yourself."
heading_zh_hans = "保密"
text_zh_hans = "请对所读内容\\n保密。"
"""
TITLES = 'title_en = "Terms"\ntitle_zh_hans = "协议"\n'


def run(*arguments) -> str:
    said = io.StringIO()
    call_command(*arguments, stdout=said)
    return said.getvalue()


def file_with(tmp_path, text: str):
    file = tmp_path / "terms.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_the_shipped_agreement_is_sound_in_both_languages():
    edition = editions.read(editions.newest_shipped())
    bodies = [text.body for text in edition.texts.values()]
    assert set(edition.texts) == {"en", "zh-hans"}
    assert bodies[0].count("## ") == bodies[1].count("## ") >= 8
    assert edition.valid_days == 365
    for body in bodies:
        assert "TODO" not in body


def test_publishing_twice_changes_nothing(db):
    assert "Edition 1 is in force" in run("publish_terms")
    assert "nothing changed" in run("publish_terms")
    assert Terms.objects.count() == 1
    assert Event.objects.get(verb="terms.published").subject == "terms:1"


def test_an_older_text_does_not_come_back_by_accident(db, tmp_path):
    run("publish_terms")
    run("publish_terms", file_with(tmp_path, TITLES + "valid_days = 30\n" + CLAUSE))
    run("publish_terms")
    newest = Terms.objects.order_by("-number").first()
    assert (newest.number, newest.title("en"), newest.valid_days) == (2, "Terms", 30)


def test_a_dry_run_says_whom_it_would_shut_out(ben, cleo):
    by = timezone.localdate(timezone.now() + timedelta(days=14)).isoformat()
    assert f"People who lapse on {by}, unless they sign it before: 2." in run(
        "publish_terms", "--dry-run"
    )
    assert Terms.objects.count() == 1


def test_lines_of_a_paragraph_are_joined_as_each_language_does(tmp_path):
    edition = editions.read(tmp_path / file_with(tmp_path, TITLES + "valid_days = 30\n" + CLAUSE))
    assert edition.texts["en"].body == "## 1. Quiet\n\nKeep it to yourself."
    assert edition.texts["zh-hans"].body == "## 1. 保密\n\n请对所读内容保密。"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title_en = ", "is no TOML file"),
        ('title_en = ""', "field title_en is missing"),
        ("valid_days = 30\n" + CLAUSE, "there is no title"),
        (TITLES + 'title_deutschlandisch = "x"', "names no language"),
        (TITLES + 'title_zh-Hans = "x"', "or one twice"),
        (TITLES + 'title_de = "Vertrag"\nvalid_days = 9\n' + CLAUSE, "field heading_de"),
        (f'title_en = "{"x" * 201}"', "longer than 200"),
        (TITLES + "valid_days = 30", "there are no [[clauses]]"),
        (TITLES + "valid_days = 30\nclauses = [1]", "clause 1, field heading_en"),
        (TITLES + CLAUSE, "valid_days must be a whole number from 1 to 365"),
        (TITLES + "valid_days = 9\ngrace_days = 91\n" + CLAUSE, "from 0 to 90"),
        (TITLES + "valid_days = 400\n" + CLAUSE, "valid_days"),
        (TITLES + "valid_days = true\n" + CLAUSE, "valid_days"),
        (
            TITLES
            + "valid_days = 9\n"
            + CLAUSE.replace("保密。", "").replace("请对所读内容\\n", ""),
            "text_zh_hans",
        ),
    ],
)
def test_a_file_that_is_no_edition_is_refused_with_its_reason(db, tmp_path, text, sentence):
    with pytest.raises(CommandError) as refusal:
        run("publish_terms", file_with(tmp_path, text))
    assert sentence in str(refusal.value)
    assert "terms.toml" in str(refusal.value)
    assert not Terms.objects.exists()


def test_a_file_that_is_not_there_is_named(db):
    with pytest.raises(CommandError, match=r"nothing\.toml"):
        run("publish_terms", "nothing.toml")


def test_the_first_steward_is_made_at_the_console(db, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD + "\n"))
    run("make_steward", "Sam@Example.org", "--name", "Sam Reed", "--admin")
    sam = User.objects.get(email="sam@example.org")
    assert (sam.roles, sam.full_name) == ([Role.ADMIN, Role.STEWARD], "Sam Reed")
    assert sam.check_password(PASSWORD)
    assert access_of(sam, at=timezone.now()).missing == (AccessStep.SIGNATURE,)


def test_an_account_that_exists_becomes_a_steward_and_keeps_its_roles(ben):
    ben.roles = [Role.AUDITOR]
    ben.save()
    run("make_steward", "ben@example.org")
    ben.refresh_from_db()
    assert ben.roles == [Role.AUDITOR, Role.STEWARD]


@pytest.mark.parametrize(
    ("email", "password", "sentence"),
    [("nobody", PASSWORD, "valid email"), ("new@example.org", "brief", "too short")],
)
def test_a_bad_address_or_password_makes_nobody(db, monkeypatch, email, password, sentence):
    monkeypatch.setattr("sys.stdin", io.StringIO(password + "\n"))
    with pytest.raises(CommandError, match=sentence):
        run("make_steward", email, "--name", "New")
    assert not User.objects.exists()
