"""The demo is made by the real actions, so loading it tries them all."""

import json
import re

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from accounts.access import AccessStep, access_of
from accounts.models import AccessRequest, Event, User
from annotation.actions.demo import people, simulated, studies
from annotation.models import (
    Assignment,
    Gold,
    Item,
    Rating,
    Round,
    RoundItem,
    Study,
    Submission,
)
from annotation.queries.studies import studies_of
from annotation.rubric.loading import load, shipped
from annotation.rules.lifecycle import ItemState, RoundState
from judging.models import JudgeRun

TABLES = [AccessRequest, Event, User, Assignment, Gold, Item, Rating, Round, Study, Submission]
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def loaded(django_db_setup, django_db_blocker):
    """The demo, loaded once for this file and undone behind it."""
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(
            DEMO=True, LLM_API_KEY="stand-in", LLM_BASE_URL="http://127.0.0.1:9/v1"
        ):
            call_command("load_demo")
        yield
        transaction.set_rollback(True)


@pytest.fixture
def demo(loaded, db, settings):
    settings.DEMO = True


def items_in(file):
    return [json.loads(line) for line in (studies.FILES / file).read_text().splitlines()]


def test_a_second_time_it_is_left_as_it_is(demo, capsys):
    before = [model.objects.count() for model in TABLES]
    call_command("load_demo")
    assert capsys.readouterr().out.endswith("The demo is loaded already.\n")
    assert [model.objects.count() for model in TABLES] == before


def test_nobody_is_written_to(demo):
    assert mail.outbox == []


def test_everybody_can_sign_in_and_stands_where_the_list_says(demo):
    now = timezone.now()
    missing = {}
    for person in people.EVERYBODY:
        user = User.objects.get(email=person.email)
        assert user.check_password(people.PASSWORD)
        missing[person.key] = access_of(user, at=now).missing
    assert missing.pop("hana") == (AccessStep.DECISION,)
    assert missing.pop("eli") == (AccessStep.SIGNATURE, AccessStep.REQUEST)
    assert set(missing.values()) == {()}


def test_the_accounts_are_printed(demo, capsys):
    call_command("load_demo", "--accounts")
    out = capsys.readouterr().out
    assert people.PASSWORD in out
    assert all(person.email in out for person in people.EVERYBODY)


def test_every_label_occurs_and_both_languages(demo):
    items = items_in("support.jsonl")
    labels = {label.key for label in load(shipped()["dialogue_safety"]).criteria[0].labels}
    assert {item["intended"] for item in items} == labels
    assert {item["intended"] for item in items[: studies.FIRST_ROUND]} == labels
    chinese = [item for item in items if CHINESE.search(item["reply"])]
    assert len(items) == 40
    assert 12 <= len(chinese) <= 20


def test_the_first_round_is_closed_decided_and_above_its_gate(demo):
    first = Round.objects.get(study__key=studies.SUPPORT, number=1)
    assert first.state == RoundState.CLOSED
    assert first.verdict == "passed"
    assert first.kappa == pytest.approx(0.627, abs=0.001)
    states = set(first.round_items.values_list("state", flat=True))
    assert states == {ItemState.AGREED, ItemState.ADJUDICATED}
    gold = Gold.objects.filter(item__round_items__round=first, superseded_at=None)
    assert gold.count() == studies.FIRST_ROUND


def test_the_second_round_has_work_for_everybody(demo):
    second = Round.objects.get(study__key=studies.SUPPORT, number=2)
    assert second.state == RoundState.OPEN
    assert second.round_items.count() == 16
    left = {seat.rater.name: seat.n_assigned - seat.n_submitted for seat in second.seats.all()}
    assert left == {"Ben Okafor": 5, "Cleo Marsh": 7, "Finn Aalto": 8}
    waiting = RoundItem.objects.filter(round=second, state=ItemState.DISAGREED)
    assert waiting.count() == 3


def test_the_scales_have_two_experts_and_a_judge_with_flaws(demo):
    current = Submission.objects.filter(study__key=studies.CARE, is_current=True)
    assert {one.rater.name for one in current.select_related("rater")} == {
        "Ben Okafor",
        "Cleo Marsh",
        "Made-up judge (not an LLM)",
    }
    judge = Rating.objects.filter(submission__rater__key="made-up-judge")
    assert judge.filter(off_scale=True).count() == 1
    assert set(judge.exclude(unscored="").values_list("unscored", flat=True)) == {
        "missing",
        "not_a_number",
    }


@pytest.mark.parametrize("key", [studies.CARE, studies.CRISIS])
def test_the_other_studies_are_rated_decided_and_closed(demo, key):
    only = Round.objects.get(study__key=key)
    assert only.state == RoundState.CLOSED
    assert only.kappa is not None
    states = set(only.round_items.values_list("state", flat=True))
    assert states == {ItemState.AGREED, ItemState.ADJUDICATED}


def test_the_simulated_study_has_enough_for_every_page_of_figures(demo):
    rated = Round.objects.filter(study__key=simulated.KEY)
    assert [one.state for one in rated] == [RoundState.CLOSED] * simulated.WEEKS
    assert {one.kappa_items for one in rated} == {simulated.ITEMS_A_WEEK}
    given = Submission.objects.filter(study__key=simulated.KEY, is_current=True)
    for name in simulated.PEOPLE:
        theirs = given.filter(rater__user__email=f"{name}@example.org")
        assert theirs.filter(repeat=1).count() == 120
        assert theirs.filter(repeat=2).count() >= 10
    assert given.filter(rater__kind="judge", repeat=1).count() == 2 * 360


def test_each_sees_the_studies_that_are_theirs(demo):
    now = timezone.now()
    seen = {
        person.key: {
            one.study.key
            for one in studies_of(access_of(User.objects.get(email=person.email), at=now))
        }
        for person in people.EVERYBODY
    }
    every = {studies.SUPPORT, studies.CARE, studies.CRISIS, simulated.KEY}
    assert seen == {
        **dict.fromkeys(("ada", "ben", "cleo", "dora", "gwen"), every),
        "finn": {studies.SUPPORT, simulated.KEY},
        **{name: set() for name in ("sam", "hana", "eli")},
    }


def test_the_stand_in_has_been_asked_to_rate_every_item(demo):
    run = JudgeRun.objects.get()
    assert (run.study.key, run.started_by.full_name) == (studies.SUPPORT, "Ada Lindqvist")
    assert run.judge.is_stand_in
    assert run.calls.count() == 40
