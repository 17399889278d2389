"""Routing on the published ratings: real judges that miss nearly all, and one that always says 5."""

import csv

import pytest
from django.core.management import call_command

from analytics.policies.loading import DEFAULT, shipped
from analytics.present.naming import Naming
from analytics.present.tables import Plain
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN
from analytics.routing import numbers as routes
from analytics.routing.numbers import Signal, Target
from analytics.routing.page import page
from analytics.routing.promises import NOT_ASKED, Refusal, rule, terms
from analytics.safety.numbers import SafetyStanding, standing
from analytics.stats.promises import Risk
from analytics.stats.verdicts import Verdict
from analytics.trust import numbers as trust
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import RaterKind
from annotation.readers.records import Source
from tests.analytics.made import AT

pytestmark = pytest.mark.django_db
ALPHAS = ("0.01", "0.05", "0.1")


def naming_of(report, rubric) -> Naming:
    """The judges of a report under their names."""
    raters = {key: Plain(name, name) for key, name in report.judges.items()}
    return Naming(rubric=rubric, raters=raters)


def always_five(study, folder):
    """Import a judge that says 5 to everything, as anybody may bring a file."""
    path = folder / "always_5.csv"
    criteria = [one.key for one in study.rubric_version.content.criteria]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", *criteria])
        for key in study.items.values_list("key", flat=True):
            writer.writerow([key, *[5] * len(criteria)])
    report = import_ratings(
        study_id=study.pk,
        source=Source(path=path, name=path.name),
        rater=RaterGiven(key="always_5", kind=RaterKind.JUDGE, own_generators=[]),
        by=None,
        at=AT,
    )
    assert report.is_written


@pytest.fixture(scope="module")
def study(published, shared, tmp_path_factory):
    """The published study, its “nan” replies set aside, and the straw man among its judges."""
    path = shared / "reference" / "mentalalign_nan_responses.csv"
    call_command("quarantine_items", published.key, str(path), verbosity=0)
    always_five(published, tmp_path_factory.mktemp("straw"))
    return matrices.read(published.pk)


@pytest.fixture(scope="module")
def routed(study):
    return routes.make(study, view=PLAIN, at=AT)


@pytest.fixture(scope="module")
def verdicts(study):
    return trust.verdicts(trust.make(study, view=PLAIN, at=AT), shipped()[DEFAULT])


def asked(**choices):
    """Without what the cards say: routing has to refuse by itself."""
    return terms(choices, policy=shipped()[DEFAULT], verdicts={})


def lines_of(report, judge, criterion=None):
    return [
        one
        for one in report.lines
        if report.judges[one.judge] == judge and criterion in (None, one.criterion)
    ]


@pytest.mark.parametrize("alpha", [*ALPHAS, "0.3"])
@pytest.mark.parametrize("misses", ["", "0.5", NOT_ASKED])
def test_of_a_judge_that_always_says_five_nothing_is_accepted_anywhere(routed, alpha, misses):
    lines = lines_of(routed, "always_5")
    assert {one.criterion for one in lines} == {one.line.key for one in routed.screened}
    for line in lines:
        ruling = rule(routed, line, asked(alpha=alpha, misses=misses))
        assert (ruling.accepted, ruling.refusal) == (None, Refusal.ONE_ANSWER)


def test_the_page_says_why_and_that_it_must_not_be_used(routed, study, verdicts):
    (always,) = [number for number, name in routed.judges.items() if name == "always_5"]
    assert verdicts["safety", always] is Verdict.DO_NOT_USE
    shown = page(
        routed,
        naming_of(routed, study.rubric),
        {"criterion": "safety", "target": "same_side", "alpha": "0.05"},
        policy=shipped()[DEFAULT],
        verdicts=verdicts,
    )
    (card,) = [one for one in shown.cards if one.id == always]
    assert not card.is_safe
    assert card.verdict == (
        "Nothing is accepted: the judge says 5 to every item. Any promise that it would pass, a "
        "judge that always says 5 passes too."
    )
    assert [one.word for one in card.asides] == ["Misses too many", "Do not use"]
    assert card.asides[0].says.endswith(" 3.7 % by one rater")


def test_by_wrong_answers_alone_it_would_have_been_accepted(routed):
    """What the promise was before flagged items were promised for: 1 % flagged, 1 % wrong."""
    line = next(one for one in lines_of(routed, "always_5", "safety") if one.target == "same_side")
    tries = line.every.tries
    assert tries[Risk.WRONG].n > 950
    assert tries[Risk.WRONG].share < 0.02
    assert tries[Risk.SLIPPED].share == 1
    assert tries[Risk.SLIPPED].n > 60


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("misses", ["", "0.05", "0.5", NOT_ASKED])
@pytest.mark.parametrize("judge", ["claude", "gpt_4o"])
def test_real_judges_are_refused_on_safety(routed, judge, alpha, misses):
    lines = lines_of(routed, judge, "safety")
    assert lines
    for line in lines:
        ruling = rule(routed, line, asked(alpha=alpha, misses=misses))
        assert ruling.accepted is None
        assert set(ruling.promise.asked) == set(Risk), "on safety misses are always asked"
        if ruling.kept:
            limits = ruling.promise.limits(ruling.kept)
            assert not ruling.promise.broken(limits)


@pytest.mark.parametrize("judge", ["claude", "gpt_4o"])
def test_the_safety_panel_is_red_for_both(routed, judge):
    (screen,) = [
        one
        for one in routed.screens
        if one.criterion == "safety" and routed.judges[one.judge] == judge
    ]
    assert standing(screen) is SafetyStanding.MISSES
    assert screen.people == {}, "one person rated each item"


@pytest.mark.parametrize("criterion", ["guidance", "empathy", "helpfulness", "informativeness"])
@pytest.mark.parametrize("judge", ["claude", "gpt_4o"])
def test_the_same_value_as_people_is_promised_nowhere(routed, judge, criterion):
    (line,) = [
        one
        for one in lines_of(routed, judge, criterion)
        if (one.target, one.signal) == (Target.SAME, Signal.JUDGES)
    ]
    assert line.n_checked > 950
    for misses in ("", NOT_ASKED):
        assert rule(routed, line, asked(alpha="0.3", misses=misses)).accepted is None


def test_votes_of_the_recorded_runs_promise_nothing(recorded):
    read = matrices.read(recorded.pk)
    report = routes.make(read, view=PLAIN, at=AT)
    shown = page(
        report,
        naming_of(report, read.rubric),
        {"alpha": "0.3"},
        policy=shipped()[DEFAULT],
        verdicts={},
    )
    assert (shown.target, shown.signal) == (Target.SAME, Signal.REPEATS)
    (card,) = shown.cards
    assert not card.is_safe
    assert "more items will not help" in card.verdict
    first = shown.lines[0].steps[0]
    assert first.threshold == 1
    assert first.n_items == 581, "unanimous in 72.6 % of 800"
    assert first.tries[Risk.WRONG].share > 0.45
