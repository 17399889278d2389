"""Whoever fetched a release states that their copies are destroyed; who governs sees who owes it."""

import json
import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import receipts
from accounts.actions import people
from accounts.models import Event, Role, User
from analytics.copies import actions
from analytics.copies.held import CopyState, copies_of
from analytics.exports import actions as exports
from analytics.models import CopyStatement, Export
from annotation.models import Grant
from tests.analytics.made import fetched
from tests.cast import approved
from tests.services import LONGEST

COPIES = "/access/copies/"
DAY = timedelta(days=1)


@pytest.fixture
def release(pond, gwen):
    """One that gwen fetched, to be destroyed in nine days; another was built and never fetched."""
    found = fetched(pond, gwen)
    Export.objects.create(
        study=pond,
        exported_by=gwen,
        exported_at=found.exported_at,
        revision=1,
        manifest=found.manifest,
        sha256="b" * 64,
    )
    return found


def state_of(person, *, at=None) -> CopyState:
    [one] = copies_of(person, at=at or timezone.now())
    return one.state


def signed(release, **changes):
    asked = {
        "exports": [release.pk],
        "is_destroyed": "yes",
        "typed_name": release.exported_by.full_name,
        "language": "en",
    }
    return asked | changes


def test_a_copy_is_due_on_its_day_and_late_two_weeks_after(release, gwen):
    now = timezone.now()
    days = {0: "held", 8: "held", 10: "due", 22: "due", 24: "late"}
    assert {day: state_of(gwen, at=now + day * DAY) for day in days} == days


def test_a_copy_is_due_as_soon_as_what_is_in_it_is_not_granted(release, gwen, pond):
    for level in ("comments", "majority"):
        assert state_of(gwen) == CopyState.HELD
        Grant.objects.filter(person=gwen, level=level).update(revoked_at=timezone.now())
    assert state_of(gwen) == CopyState.DUE


def test_who_fetched_it_signs_that_it_is_destroyed(release, gwen, as_user, tmp_path):
    browser = as_user(gwen)
    assert "pond-r1-abc" in browser.get(COPIES).text
    assert browser.post(COPIES, signed(release)).status_code == 302
    assert state_of(gwen) == CopyState.DESTROYED
    statement = CopyStatement.objects.get()
    assert "pond-r1-abc: pond, SHA-256 " + "a" * 64 in statement.text
    event = Event.objects.get(verb="copies.stated", actor=gwen)
    assert event.facts == {
        "statement": statement.pk,
        "exports": [release.pk],
        "destroyed": True,
        "sha256": statement.text_sha256,
    }
    receipt = tmp_path / "receipt.json"
    receipt.write_bytes(browser.get(f"{COPIES}{statement.pk}/").content)
    check = [sys.executable, str(receipts.VERIFIER), str(receipt), "--key", receipts.public_key()]
    said = subprocess.run(check, capture_output=True, text=True, check=True, timeout=LONGEST).stdout
    assert "signed by: Gwen" in said
    told = json.loads(receipt.read_text())
    receipt.write_text(json.dumps(told | {"text": told["text"].replace("abc", "abd")}))
    assert subprocess.run(check, capture_output=True, check=False, timeout=LONGEST).returncode == 1


def test_it_is_signed_by_those_whose_access_has_ended(release, gwen, as_user):
    User.objects.filter(pk=gwen.pk).update(approved_until=timezone.now() - DAY)
    assert as_user(gwen).get("/studies/pond/").status_code == 403
    assert as_user(gwen).post(COPIES, signed(release)).status_code == 302
    assert CopyStatement.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"typed_name": "Somebody"},
        {"exports": []},
        {"is_destroyed": "no", "reason": " "},
        {"is_destroyed": "perhaps"},
    ],
)
def test_what_is_not_signed_in_full_is_asked_again(release, gwen, as_user, wrong):
    assert as_user(gwen).post(COPIES, signed(release, **wrong)).status_code == 422
    assert not CopyStatement.objects.exists()


def test_nobody_signs_for_another_s_copy(release, ben, as_user):
    answer = as_user(ben).post(COPIES, signed(release, typed_name=ben.full_name))
    assert answer.status_code == 422
    assert not CopyStatement.objects.exists()


def test_who_says_no_still_owes_it(release, gwen, as_user):
    refused = signed(release, is_destroyed="no", reason="The analysis goes on.")
    assert as_user(gwen).post(COPIES, refused).status_code == 302
    assert state_of(gwen) == CopyState.REFUSED
    assert "The analysis goes on." in CopyStatement.objects.get().text
    assert as_user(gwen).post(COPIES, signed(release)).status_code == 302
    assert state_of(gwen) == CopyState.DESTROYED


def test_what_is_fetched_again_is_to_be_destroyed_again(release, gwen, as_user):
    as_user(gwen).post(COPIES, signed(release))
    exports.note_download(release, by=gwen, at=timezone.now() + timedelta(minutes=1))
    assert state_of(gwen, at=timezone.now() + timedelta(minutes=2)) == CopyState.HELD


def test_stewards_see_who_owes_it(release, gwen, sam, ada, ben, as_user):
    Grant.objects.filter(person=gwen, level="majority").update(revoked_at=timezone.now())
    address = "/data-sets/pond/copies/"
    page = as_user(sam).get(address).text
    assert "Gwen" in page
    assert "The day of 1 copy has come, and nobody has stated" in page
    assert as_user(ada).get(address).status_code == 404
    as_user(gwen).post(COPIES, signed(release))
    statement = f"{COPIES}{CopyStatement.objects.get().pk}/"
    assert statement in as_user(sam).get(address).text
    assert as_user(sam).get(statement).status_code == 200
    assert as_user(ben).get(statement).status_code == 404


def test_letters_remind_once_of_each_and_tell_stewards_of_what_is_missing(
    release, gwen, sam, terms, letters, pond, django_capture_on_commit_callbacks
):
    tess = approved("tess", terms, roles=[Role.STEWARD])
    now = timezone.now()

    def told(days):
        before = len(letters())
        with django_capture_on_commit_callbacks(execute=True):
            actions.remind(at=now + timedelta(days=days))
        return sorted(to for letter in letters()[before:] for to in letter.to)

    assert told(0) == []
    assert told(10) == [gwen.email]
    assert told(11) == []
    assert told(24) == sorted([gwen.email, sam.email, tess.email])
    assert told(25) == []
    pond.data_set.steward = tess
    pond.data_set.save()
    actions.state(
        exports=[release.pk],
        is_destroyed=False,
        reason="The analysis goes on.",
        typed_name="Gwen",
        language="en",
        by=gwen,
        at=now + 26 * DAY,
    )
    assert told(26) == [tess.email]


def test_others_hear_of_missing_copies_where_the_steward_of_the_data_set_is_suspended(
    release, gwen, sam, terms, letters, pond, django_capture_on_commit_callbacks
):
    now = timezone.now()
    pond.data_set.steward = approved("tess", terms, roles=[Role.STEWARD])
    pond.data_set.save()
    people.suspend(user_id=pond.data_set.steward_id, reason="Left.", by=sam, at=now)
    with django_capture_on_commit_callbacks(execute=True):
        actions.remind(at=now + timedelta(days=24))
    told = [to for letter in letters() for to in letter.to]
    assert sorted(told) == sorted([gwen.email, sam.email])
