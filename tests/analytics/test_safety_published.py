"""Screening and trust on the published ratings: what agreement alone would have hidden."""

from datetime import UTC, datetime

import pytest
from django.core.management import call_command

from analytics.policies.loading import DEFAULT, shipped
from analytics.present.naming import of_raters
from analytics.ratings import matrices
from analytics.ratings.matrices import PLAIN, RELEASED
from analytics.safety import numbers as safety
from analytics.safety.page import SafetyPanel, panel, screens_at
from analytics.stats.reasons import LineReason
from analytics.stats.tiers import Tier
from analytics.stats.verdicts import Topic, Verdict
from analytics.trust import numbers as trust
from tests.analytics.unrouted import unrouted

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 2, tzinfo=UTC)


def panel_of(report, rubric, **asked) -> SafetyPanel:
    return panel(report, of_raters(rubric, report.raters), asked, **unrouted(report))


@pytest.fixture(scope="module")
def study(published, shared):
    """The published study, its “nan” replies set aside."""
    path = shared / "reference" / "mentalalign_nan_responses.csv"
    call_command("quarantine_items", published.key, str(path), verbosity=0)
    return matrices.read(published.pk)


@pytest.fixture(scope="module")
def clean(study):
    return safety.make(study, view=PLAIN, at=AT)


@pytest.fixture(scope="module")
def released(study):
    return trust.make(study, view=RELEASED, at=AT)


@pytest.fixture(scope="module")
def cards(study):
    """{(judge, criterion): card} under the default rules, of what is no doubtful value."""
    report = trust.make(study, view=PLAIN, at=AT)
    return {
        place: trust.card_of(known, line_of(report, known), shipped()[DEFAULT])
        for place, known in by_place(report).items()
    }


def by_place(report):
    keys = {rater.id: rater.key for rater in report.raters}
    return {(keys[known.judge], known.criterion): known for known in report.known}


def line_of(report, known):
    return next(line for line in report.criteria if line.key == known.criterion)


def on_safety(report):
    keys = {rater.id: rater.key for rater in report.raters}
    found = screens_at(report, "safety", "at-most-2", safety.FlagReference.HALF)
    return {keys[screen.judge]: screen for screen in found}


@pytest.mark.parametrize(("judge", "found", "of"), [("claude", 7, 95), ("gpt_4o", 2, 97)])
def test_hardly_any_unsafe_reply_is_found(clean, judge, found, of):
    screen = on_safety(clean)[judge]
    assert (screen.found, screen.n_positives) == (found, of)
    assert screen.estimates["sensitivity"].value == pytest.approx(found / of)
    assert screen.estimates["sensitivity"].high < 0.3


@pytest.mark.parametrize(
    ("judge", "kappa", "quadratic", "ac2", "exact"),
    [("claude", 0.091, 0.162, 0.963, 0.814), ("gpt_4o", 0.037, 0.093, 0.970, 0.825)],
)
def test_ac2_is_nearly_perfect_all_the_same_and_the_page_warns(
    clean, study, judge, kappa, quadratic, ac2, exact
):
    screen = on_safety(clean)[judge]
    figures = safety.on_values_of(clean, screen).estimates
    for name, value in zip(
        ("kappa", "kappa_quadratic", "ac2", "exact"), (kappa, quadratic, ac2, exact), strict=True
    ):
        assert figures[name].value == pytest.approx(value, abs=5e-4)
    shown = panel_of(clean, study.rubric, criterion="safety", cut="", reference="")
    assert len(shown.warnings) == 2
    assert "Only 1." in shown.warnings[0]


def test_the_panel_names_how_each_interval_on_it_was_made(clean, study):
    shown = panel_of(clean, study.rubric, criterion="safety", cut="", reference="")
    flags = [row for row in shown.side_by_side.rows if row.about[-1].text == "Flagged or not"]
    assert [row.cells[-1].text for row in flags] == ["8,822", "8,827", "9,826", "9,826"], (
        "the straw men are measured wherever people rated"
    )
    sensitivity = [head.text for head in shown.each_cut.heads].index("Sensitivity")
    assert any(row[sensitivity].figure.value == "0.0 %" for row in shown.each_cut.cells)
    assert any("exact and one-sided" in method for method in shown.intervals)


def test_no_judge_is_to_be_used_for_safety(cards):
    for judge in ("claude", "gpt_4o"):
        card = cards[judge, "safety"]
        assert card.verdict is Verdict.DO_NOT_USE
        assert {line.topic for line in card.decisive} == {Topic.SENSITIVITY}


def test_with_one_person_an_item_no_judge_can_be_trusted_on_anything(cards):
    assert len(cards) == 14
    for card in cards.values():
        reasons = {line.topic: line.reason for line in card.lines}
        assert reasons[Topic.CEILING] is LineReason.NOT_MEASURED
        assert reasons[Topic.ALTERNATIVE] is LineReason.NOT_MEASURED
        assert card.verdict in (
            Verdict.DO_NOT_USE,
            Verdict.SURELY_BELOW,
            Verdict.CANNOT_BE_SHOWN,
        )


def test_a_tier_can_be_good_where_the_judge_is_surely_below_the_bar_and_hang_on_the_seed(
    released, cards
):
    known = by_place(released)
    tiers = {place: one.tiering for place, one in known.items()}
    assert tiers["gpt_4o", "guidance"].tier is Tier.GOOD
    assert cards["gpt_4o", "guidance"].verdict is Verdict.SURELY_BELOW
    assert sum(one.flips > 0 for one in tiers.values()) >= 4
    assert all(one.n_systems == 9 for one in tiers.values())


def test_the_recorded_runs_say_the_same_again_and_are_surely_below_the_bar(recorded):
    report = trust.make(matrices.read(recorded.pk), view=PLAIN, at=AT)
    (known,) = report.known
    assert known.repeats.value == pytest.approx(0.781, abs=5e-4)
    card = trust.card_of(known, report.criteria[0], shipped()[DEFAULT])
    assert card.verdict is Verdict.SURELY_BELOW
    reasons = {line.topic: line.reason for line in card.decisive}
    assert reasons[Topic.AGREEMENT] is LineReason.SHORT_OF_UNKNOWN


def test_the_recorded_judge_finds_two_of_three_unsafe_replies(recorded):
    report = safety.make(matrices.read(recorded.pk), view=PLAIN, at=AT)
    (screen,) = [one for one in report.screens if one.cut == "unsafe"]
    assert screen.n_positives == 433
    assert screen.estimates["sensitivity"].value == pytest.approx(0.67, abs=0.02)
    assert screen.estimates["specificity"].value == pytest.approx(0.50, abs=0.01)
