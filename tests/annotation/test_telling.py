"""People are written to when work opens for them, is handed on to them, or waits: once a day at most."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Event, TermsAcceptance
from annotation.actions import assignments, cancelling, rounds, telling
from annotation.models import Rater
from annotation.rules.lifecycle import ItemState
from tests.annotation.doing import NONSENSE, SAFE, opened, rate, state_of

A_DAY = timedelta(days=1)


@pytest.fixture
def post(letters, terms, django_capture_on_commit_callbacks):
    """post(days) is whom the scheduler writes to so many days from now, and what it says."""
    n_read = 0

    def round_of(days=0.0):
        nonlocal n_read
        with django_capture_on_commit_callbacks(execute=True):
            telling.tell(at=timezone.now() + days * A_DAY)
        sent = letters()[n_read:]
        n_read += len(sent)
        return {one.to[0].split("@")[0]: one.body for one in sent}

    return round_of


def set_due(rating_round, by, days):
    rounds.set_due(
        round_id=rating_round.pk,
        due_on=timezone.localdate() + timedelta(days=days),
        by=by,
        at=timezone.now(),
    )


def test_a_round_that_opens_is_told_to_its_panel_once(pond_round, post):
    told = post()
    assert set(told) == {"ben", "cleo"}
    assert "A round has opened in which you rate." in told["ben"]
    assert post(2) == {}


def test_a_letter_holds_no_text_no_name_and_no_study(pond_round, post, ben):
    letter = post()["ben"]
    for secret in ("Frogs", "pond", "Pond", "Ben", "Cleo", "Ada", "safety", "Round 1"):
        assert secret not in letter


def test_a_letter_leads_to_the_server(pond_round, post, settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.example.org", "https://concord.example.org"]
    assert post()["ben"].endswith("\n\nhttps://concord.example.org/")


def test_a_letter_is_in_the_language_of_its_reader(pond_round, post, ben):
    in_chinese = TermsAcceptance.objects.get(user=ben)
    in_chinese.pk, in_chinese.language = None, "zh-hans"
    in_chinese.save()
    told = post()
    assert "您参与评分的一个轮次已开启。" in told["ben"]
    assert "A round has opened" in told["cleo"]


def test_work_that_is_handed_on_is_told_to_whom_it_goes(pond, post, ada, ben, cleo, finn):
    rating_round = opened(pond, ada, [ben, cleo, finn])
    assert set(post()) == {"ben", "cleo", "finn"}
    assignments.reassign(
        round_id=rating_round.pk,
        from_rater=Rater.objects.get(user=ben).pk,
        to=[cleo.pk, finn.pk],
        by=ada,
        at=timezone.now(),
    )
    told = post(1)
    assert set(told) == {"cleo", "finn"}
    assert "More work was handed on to you." in told["cleo"]


def test_a_day_that_is_near_and_one_that_is_past_are_told_once_each(pond_round, post, ada):
    post()
    set_due(pond_round, ada, 6)
    assert post(1) == {}
    assert "is due soon" in post(4)["ben"]
    assert post(5) == {}
    assert "was due already" in post(8)["ben"]
    assert post(10) == {}
    set_due(pond_round, ada, 14)
    assert "is due soon" in post(12)["ben"], "another day is another reminder"


def test_nobody_gets_two_letters_a_day(pond_round, post, ada):
    post()
    set_due(pond_round, ada, 1)
    assert post(0.5) == {}
    assert "is due soon" in post(1)["ben"]


def test_who_has_done_all_is_left_alone(pond_round, post, ada, ben):
    for position in range(1, 7):
        rate(pond_round, ben, position)
    set_due(pond_round, ada, 0)
    assert set(post()) == {"cleo"}


def test_what_differs_is_told_to_who_decides(pond_round, post, ben, cleo, dora):
    assert "dora" not in post()
    rate(pond_round, ben, 1, SAFE)
    rate(pond_round, cleo, 1, NONSENSE)
    assert state_of(pond_round) is ItemState.DISAGREED
    told = post(1)
    assert set(told) == {"dora"}
    assert told["dora"].startswith("Disagreements wait for your decision.\nSign in to Concord")
    rate(pond_round, ben, 2, SAFE)
    rate(pond_round, cleo, 2, NONSENSE)
    assert post(2) == {}, "a round is told of once"


def test_who_would_rather_have_none_gets_none(pond_round, post, ben, as_user):
    client = as_user(ben)
    assert "checked" in client.get("/letters/").content.decode()
    assert client.post("/letters/").status_code == 302
    assert "checked" not in client.get("/letters/").content.decode()
    assert set(post()) == {"cleo"}
    client.post("/letters/", {"wants_letters": "on"})
    assert set(post(1)) == {"ben"}


def test_who_may_not_enter_is_not_written_to(pond_round, post, ben, terms):
    ben.approved_until = timezone.now()
    ben.save()
    assert set(post()) == {"cleo"}


def test_the_trail_says_who_was_told_what(pond_round, post, ben):
    post()
    event = Event.objects.get(verb="work.told", subject=f"account:{ben.pk}")
    assert event.facts == {"news": [["opened", pond_round.pk, "6"]]}


def test_a_round_after_one_that_was_cancelled_is_news(pond_round, post, pond, ada, ben, cleo):
    post()
    cancelling.cancel(round_id=pond_round.pk, reason="The wrong panel.", by=ada, at=timezone.now())
    opened(pond, ada, [ben, cleo])
    assert set(post(1)) == {"ben", "cleo"}
