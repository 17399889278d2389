"""Asking for access, and deciding."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.access import Standing, access_of
from accounts.actions import people, requests
from accounts.models import AccessRequest, Decision, Event
from tests.accounts.conftest import A_YEAR, publish_another, sign
from tests.cast import account


def standing_of(user):
    user.refresh_from_db()
    return access_of(user, at=timezone.now()).standing


def until(days: int) -> str:
    return (timezone.localdate() + timedelta(days=days)).isoformat()


def test_a_request_says_why_and_waits(as_user, signed):
    answer = as_user(signed).post("/access/request/", {"purpose": "To annotate the pond."})
    assert answer.url == "/access/"
    assert "There is nothing for you to do" in as_user(signed).get("/access/").content.decode()
    assert Event.objects.get(verb="access.requested").actor == signed


def test_a_request_without_a_purpose_is_sent_back(as_user, signed):
    assert as_user(signed).post("/access/request/", {"purpose": " "}).status_code == 422
    assert not AccessRequest.objects.exists()


def test_nobody_asks_before_signing(as_user, eli):
    answer = as_user(eli).post("/access/request/", {"purpose": "To annotate the pond."})
    assert answer.status_code == 409
    assert not AccessRequest.objects.exists()


def test_nobody_asks_twice(asked):
    with pytest.raises(requests.CannotAsk, match="asked already"):
        requests.ask(purpose="Again.", by=asked.user, at=timezone.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        AccessRequest.objects.create(user=asked.user, purpose="?", requested_at=timezone.now())


def test_stewards_hear_of_a_request_without_its_words(
    signed, sam, tess, letters, settings, django_capture_on_commit_callbacks
):
    settings.CSRF_TRUSTED_ORIGINS = ["https://concord.example.org"]
    people.suspend(user_id=tess.pk, reason="Left the clinic.", by=sam, at=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        requests.ask(purpose="A secret purpose.", by=signed, at=timezone.now())
    (letter,) = letters()
    assert letter.to == [sam.email]
    assert letter.body.endswith("\n\nhttps://concord.example.org/")
    assert "secret" not in letter.subject + letter.body
    assert signed.full_name not in letter.subject + letter.body


def test_a_steward_approves_and_the_account_enters(as_user, asked, sam):
    browser = as_user(sam)
    assert "To annotate the pond." in browser.get(f"/access/requests/{asked.pk}/").content.decode()
    browser.post(f"/access/requests/{asked.pk}/approve/", {"until": until(30)})
    assert standing_of(asked.user) == Standing.APPROVED
    asked.refresh_from_db()
    assert (asked.decision, asked.decided_by) == (Decision.APPROVED, sam)
    assert asked.granted_until == asked.user.approved_until
    assert as_user(asked.user).get("/").status_code == 200
    verbs = Event.objects.filter(actor=sam).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["access.request_shown", "access.decided"]


def test_the_applicant_hears_of_the_decision_in_the_language_they_signed_in(
    signed, sam, letters, django_capture_on_commit_callbacks
):
    asked = requests.ask(purpose="To annotate.", by=signed, at=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        requests.refuse(request_id=asked.pk, reason="Too vague.", by=sam, at=timezone.now())
    (letter,) = letters()
    assert letter.to == [signed.email]
    assert "vague" not in letter.body


def test_a_refusal_gives_its_reason_and_one_may_ask_again(as_user, asked, sam):
    as_user(sam).post(f"/access/requests/{asked.pk}/refuse/", {"reason": "Name the study."})
    browser = as_user(asked.user)
    assert "Name the study." in browser.get("/access/").content.decode()
    assert asked.purpose in browser.get("/access/request/").text, "it is mended, not typed again"
    browser.post("/access/request/", {"purpose": "To annotate the pond study."})
    assert AccessRequest.objects.filter(user=asked.user, decision=Decision.OPEN).exists()


def test_a_steward_sees_what_was_asked_and_decided_before(as_user, asked, sam):
    browser = as_user(sam)
    first = f"/access/requests/{asked.pk}/"
    assert "Earlier requests" not in browser.get(first).text
    browser.post(f"{first}refuse/", {"reason": "Say which study."})
    as_user(asked.user).post("/access/request/", {"purpose": "To annotate the pond."})
    again = AccessRequest.objects.latest("pk")
    page = as_user(sam).get(f"/access/requests/{again.pk}/").text
    assert "Earlier requests" in page
    assert f'href="{first}"' in page
    decided = " ".join(as_user(sam).get(first).text.split())
    assert f"<dt>Decided by</dt><dd>{sam.full_name}</dd>" in decided
    assert "<dt>Reason</dt><dd>Say which study.</dd>" in decided
    assert "<dt>Until</dt>" not in decided
    assert "Approve access" not in decided


def test_a_refusal_needs_a_reason(as_user, asked, sam):
    assert as_user(sam).post(f"/access/requests/{asked.pk}/refuse/", {}).status_code == 422
    asked.decision, asked.decided_by, asked.decided_at = "refused", sam, timezone.now()
    with pytest.raises(IntegrityError):
        asked.save()


@pytest.mark.parametrize(
    ("days", "status", "sentence"),
    [(-1, 409, "in the past"), (400, 409, "a year at most"), (1, 302, "")],
)
def test_a_term_lies_ahead_and_within_a_year(as_user, asked, sam, days, status, sentence):
    answer = as_user(sam).post(f"/access/requests/{asked.pk}/approve/", {"until": until(days)})
    assert answer.status_code == status
    assert sentence in answer.content.decode()


def test_a_date_that_is_none_is_sent_back(as_user, asked, sam):
    answer = as_user(sam).post(f"/access/requests/{asked.pk}/approve/", {"until": "soon"})
    assert answer.status_code == 422


def test_access_ends_no_later_than_the_signature(eli, terms, sam):
    now = timezone.now()
    signature = sign(eli, at=now - timedelta(days=300))
    asked = requests.ask(purpose="To annotate.", by=eli, at=now)
    with pytest.raises(requests.CannotDecide, match="no longer than the signature"):
        requests.approve(request_id=asked.pk, until=now + timedelta(days=100), by=sam, at=now)
    requests.approve(request_id=asked.pk, until=signature.effective_until, by=sam, at=now)
    assert standing_of(eli) == Standing.APPROVED


def test_who_has_not_signed_the_newest_edition_is_not_approved(asked, sam):
    publish_another()
    sign(sam)
    with pytest.raises(requests.CannotDecide, match="has not signed"):
        requests.approve(
            request_id=asked.pk, until=timezone.now() + A_YEAR, by=sam, at=timezone.now()
        )


def test_a_request_is_decided_once(asked, sam, tess):
    now = timezone.now()
    requests.refuse(request_id=asked.pk, reason="No.", by=sam, at=now)
    with pytest.raises(requests.CannotDecide, match="decided already"):
        requests.approve(request_id=asked.pk, until=now + timedelta(days=9), by=tess, at=now)


def test_a_suspended_account_is_not_approved(as_user, asked, sam):
    as_user(sam).post(f"/access/accounts/{asked.user_id}/suspend/", {"reason": "Left."})
    answer = as_user(sam).post(f"/access/requests/{asked.pk}/approve/", {"until": until(3)})
    assert answer.status_code == 409
    assert "suspended" in answer.content.decode()


def test_nobody_decides_their_own_request(as_user, terms, sam):
    now = timezone.now()
    sam.approved_until = now + timedelta(days=10)
    sam.save()
    own = requests.ask(purpose="To go on.", by=sam, at=now)
    browser = as_user(sam)
    assert "another data steward" in browser.get(f"/access/requests/{own.pk}/").content.decode()
    answer = browser.post(f"/access/requests/{own.pk}/approve/", {"until": until(9)})
    assert answer.status_code == 409
    own.decision, own.decided_by, own.decided_at = "approved", sam, now
    own.granted_until = now + timedelta(days=9)
    with pytest.raises(IntegrityError):
        own.save()


def test_an_approval_is_renewed_in_its_last_sixty_days(ben):
    now = timezone.now()
    with pytest.raises(requests.CannotAsk, match="last 60 days"):
        requests.ask(purpose="To go on.", by=ben, at=now)
    later = now + timedelta(days=310)
    assert requests.ask(purpose="To go on.", by=ben, at=later).decision == Decision.OPEN


def test_who_waits_for_a_renewal_goes_on_working(ben):
    later = timezone.now() + timedelta(days=310)
    requests.ask(purpose="To go on.", by=ben, at=later)
    assert access_of(ben, at=later).may_enter


def test_the_queue_has_the_oldest_first(as_user, asked, sam, terms):
    newcomer = account("nia")
    sign(newcomer)
    requests.ask(purpose="To adjudicate.", by=newcomer, at=timezone.now())
    page = as_user(sam).get("/access/requests/").content.decode()
    assert page.index(asked.user.full_name) < page.index(newcomer.full_name)


def test_a_steward_sees_on_the_first_page_that_somebody_waits(as_user, asked, sam, ben):
    assert "1 person waits" in as_user(sam).get("/").content.decode()
    assert "person waits" not in as_user(ben).get("/").content.decode()
