"""Who answered for a judge, by the endpoint's own account, and what a card makes of a change."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest

from analytics.policies.loading import shipped
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.report import actions as writeups
from analytics.stats.reasons import LineReason
from analytics.stats.verdicts import EndpointChange, Topic
from analytics.trust import numbers as trust
from analytics.trust.actions import fix_policy
from analytics.trust.numbers import card_of
from annotation.models import TeamRole
from judging.models import CallState, Judge, JudgeCall, JudgeRun, RunState
from judging.models import Outcome as CallOutcome
from tests.analytics.made import human, items_of, judge, rate
from tests.analytics.reading import text_of
from tests.analytics.test_cases import access_to
from tests.cast import study_with
from tests.kept import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
URL = "/studies/lake/agreement/trust/"
ONE = ("gpt-x-03", "fp_a")
OTHER_CONFIGURATION = ("gpt-x-03", "fp_b")
OTHER_LLM = ("gpt-x-08", "fp_c")
SILENT = ("gpt-x-03", "")
NAMELESS = ("", "")


@pytest.fixture
@made_once
def lake(ada):
    """Forty items under the MentalAlign rubric, rated for safety by two people."""
    study = study_with(
        rubric="mentalalign", key="lake", team={ada: [TeamRole.COORDINATOR]}, n_items=40
    )
    for rater in (human("ruth"), human("rolf")):
        for place, item in enumerate(items_of(study)):
            rate(rater, item, safety=1 + place % 5)
    return study


def judged(study, *runs, moves=0):
    """A judge with a run a day. Each is a list of (answerer, how many items), in turn; from the
    second run on, the judge says `moves` points more."""
    rater = judge("echo")
    owner = Judge.objects.create(
        rater=rater, llm="gpt-x", base_url="http://localhost", prompt_edition="1", created_at=AT
    )
    for day, answered in enumerate(runs):
        run = JudgeRun.objects.create(
            study=study,
            judge=owner,
            rubric_version=study.rubric_version,
            state=RunState.FINISHED,
            started_at=AT + timedelta(days=day),
            finished_at=AT + timedelta(days=day, hours=1),
        )
        by = [who for who, n in answered for _ in range(n)]
        for place, (item, who) in enumerate(zip(items_of(study), by, strict=False)):
            value = min(1 + place % 5, 4) + (moves if day else 0)
            JudgeCall.objects.create(
                run=run,
                item=item,
                repeat=day + 1,
                position=place,
                state=CallState.DONE,
                outcome=CallOutcome.RATED,
                submission=rate(rater, item, repeat=day + 1, safety=value),
                exchanges=[exchange(who)],
                answered_at=AT + timedelta(days=day, minutes=place),
            )
    study.refresh_from_db()
    return rater


def exchange(answerer):
    llm, fingerprint = answerer
    return {
        "prompt_sha256": "0" * 64,
        "text": "5",
        "finish": "stop",
        "refusal": False,
        "id": "c1",
        "llm": llm,
        "fingerprint": fingerprint,
        "usage": {},
    }


def known_of(study):
    (known,) = trust.make(matrices.read(study.pk), view=PLAIN, at=AT).known
    return known


def card(study, policy):
    report = trust.make(matrices.read(study.pk), view=PLAIN, at=AT)
    (known,) = report.known
    line = next(one for one in report.criteria if one.key == known.criterion)
    return card_of(known, line, shipped()[policy])


@pytest.mark.parametrize(
    ("runs", "change"),
    [
        ([[(ONE, 40)]], EndpointChange.NONE),
        ([[(ONE, 40)], [(ONE, 40)]], EndpointChange.NONE),
        ([[(SILENT, 40)]], EndpointChange.NONE),
        ([[(ONE, 20), (SILENT, 20)]], EndpointChange.NONE),
        ([[(NAMELESS, 40)]], None),
        ([[(ONE, 30), (OTHER_CONFIGURATION, 10)]], EndpointChange.FINGERPRINT),
        ([[(ONE, 40)], [(OTHER_LLM, 5)]], EndpointChange.LLM),
        ([[(ONE, 40)], [(OTHER_CONFIGURATION, 5)], [(OTHER_LLM, 5)]], EndpointChange.LLM),
        ([[(ONE, 10), (OTHER_LLM, 5), (ONE, 25)]], EndpointChange.LLM),
    ],
)
def test_another_llm_is_told_from_another_configuration(lake, runs, change):
    judged(lake, *runs)
    assert trust.change_of(known_of(lake), 0.25) is change


def test_answers_are_counted_on_each_side_with_those_that_the_figures_rest_on(lake):
    judged(lake, [(ONE, 30), (OTHER_LLM, 10)], [(OTHER_LLM, 40)])
    before, after = known_of(lake).answerers
    assert (before.llm, before.fingerprint, before.n_answers, before.n_first) == (*ONE, 30, 30)
    assert (after.llm, after.fingerprint, after.n_answers, after.n_first) == (*OTHER_LLM, 50, 10)
    assert (before.first_at, before.last_at) == (AT, AT + timedelta(minutes=29))
    assert after.first_at == AT + timedelta(minutes=30)


def test_imported_answers_say_nothing_of_who_gave_them(lake):
    echo = judge("echo")
    for item in items_of(lake):
        rate(echo, item, safety=3)
    assert known_of(lake).answerers == ()
    assert trust.change_of(known_of(lake), 0.25) is None


@pytest.mark.parametrize(
    ("first", "later", "moves", "change"),
    [
        ([(ONE, 40)], [(OTHER_CONFIGURATION, 40)], 0, EndpointChange.NONE),
        ([(ONE, 40)], [(OTHER_CONFIGURATION, 40)], 1, EndpointChange.FINGERPRINT),
        ([(ONE, 40)], [(ONE, 5), (OTHER_CONFIGURATION, 35)], 0, EndpointChange.FINGERPRINT),
        ([(ONE, 35), (OTHER_CONFIGURATION, 5)], [(ONE, 40)], 0, EndpointChange.NONE),
        ([(ONE, 35), (OTHER_CONFIGURATION, 5)], [(ONE, 40)], 1, EndpointChange.FINGERPRINT),
    ],
)
def test_a_whole_run_without_drift_forgives_another_configuration(
    lake, first, later, moves, change
):
    judged(lake, first, later, moves=moves)
    assert trust.change_of(known_of(lake), 0.25) is change


def test_no_check_for_drift_forgives_another_llm(lake):
    judged(lake, [(ONE, 35), (OTHER_LLM, 5)], [(OTHER_LLM, 40)])
    assert trust.change_of(known_of(lake), 0.25) is EndpointChange.LLM


@pytest.mark.parametrize(
    ("policy", "who", "expired"),
    [
        ("default", OTHER_CONFIGURATION, False),
        ("default", OTHER_LLM, True),
        ("strict", OTHER_CONFIGURATION, True),
        ("strict", OTHER_LLM, True),
        ("default", ONE, False),
        ("strict", ONE, False),
    ],
)
def test_a_card_expires_as_its_rules_say(lake, policy, who, expired):
    judged(lake, [(ONE, 30), (who, 10)])
    found = card(lake, policy)
    (line,) = [line for line in found.lines if line.topic is Topic.ENDPOINT]
    assert (line.reason is not LineReason.SAME_LLM, found.is_expired) == (expired, expired)


def test_an_expired_card_says_when_the_llm_changed_and_how_many_answers_are_on_each_side(
    lake, as_user, ada
):
    echo = judged(lake, [(ONE, 30), (OTHER_LLM, 10)])
    fix_policy(study_access=access_to(lake, ada), key="default", by=ada, at=AT)
    client = as_user(ada)
    said = text_of(client.get(f"{URL}safety/{echo.pk}/"))
    for words in (
        "This card has expired: another LLM answers.",
        "10 answers came from gpt-x-08, 30 came from another LLM. That is a proof",
        "10 answers came from another configuration of the LLM",
        "The LLM behind it Cannot be shown 40 answers",
        "Start a judge under the exact name of the LLM.",
        "fp_a",
        "fp_c",
    ):
        assert words in said, words
    assert "expired" in text_of(client.get(URL))


def test_another_configuration_is_flagged_as_a_hint_and_does_not_end_the_card(lake, as_user, ada):
    echo = judged(lake, [(ONE, 30), (OTHER_CONFIGURATION, 10)])
    client = as_user(ada)
    grid, said = text_of(client.get(URL)), text_of(client.get(f"{URL}safety/{echo.pk}/"))
    assert "another configuration" in grid
    assert "expired" not in grid
    assert "10 answers came under another configuration than 30 others. That is a hint" in said
    assert "This card has expired" not in said


def test_a_judge_that_stayed_the_same_says_so(lake, as_user, ada):
    echo = judged(lake, [(ONE, 40)])
    said = text_of(as_user(ada).get(f"{URL}safety/{echo.pk}/"))
    assert "All 40 answers came from gpt-x-03." in said
    assert "The endpoint names the same LLM in every answer." in said


def test_a_report_says_which_cards_have_expired_and_why(lake, without_figures):
    judged(lake, [(ONE, 30), (OTHER_LLM, 10)])
    files, _revision = writeups.write(study=lake, at=AT)
    verdicts, lines = (
        csv.DictReader(io.StringIO(files[f"tables/{name}.csv"].decode()))
        for name in ("trust", "trust_lines")
    )
    assert [row["value"] for row in verdicts if row["column"] == "expired"] == ["true"]
    outcomes = {row["line"]: row["value"] for row in lines if row["column"] == "outcome"}
    assert outcomes["endpoint"] == "cannot be shown"


def test_one_study_does_not_tell_of_the_answers_to_another(lake, pond):
    judged(lake, [(ONE, 40)])
    owner = Judge.objects.get()
    run = JudgeRun.objects.create(
        study=pond, judge=owner, rubric_version=pond.rubric_version, started_at=AT
    )
    JudgeCall.objects.create(
        run=run,
        item=items_of(pond)[0],
        repeat=1,
        position=0,
        state=CallState.DONE,
        outcome=CallOutcome.RATED,
        exchanges=[exchange(OTHER_LLM)],
        answered_at=AT,
    )
    assert trust.change_of(known_of(lake), 0.25) is EndpointChange.NONE
