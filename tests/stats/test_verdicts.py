"""The trust card: which evidence leads to which verdict, line by line."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.stats.agreement import two_raters
from analytics.stats.alternative import Panel, alternative_test
from analytics.stats.calibration import Method, calibrations
from analytics.stats.ceiling import ceiling
from analytics.stats.drift import Drift, DriftCheck
from analytics.stats.estimates import Estimate, Note
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.screening import screening
from analytics.stats.verdicts import Bar, Evidence, Rules, Topic, Verdict, trust_card

FIVE = (1, 2, 3, 4, 5)
RULES = Rules(
    least_items=100,
    least_dialogues=20,
    agreement=Bar(trusted=0.6, unusable=0.3),
    unscored=Bar(trusted=0.02, unusable=0.2),
    bias_margin=0.25,
    sensitivity=Bar(trusted=0.8, unusable=0.5),
    least_positives=30,
    repeatability=Bar(trusted=0.7, unusable=0.4),
)


def figure(low, high, n=400, n_clusters=100, **kwargs):
    return Estimate(
        statistic="icc_a1",
        value=None if low is None else (low + high) / 2,
        low=low,
        high=high,
        n_items=n,
        n_pairs=n,
        n_clusters=n_clusters,
        n_raters=2,
        **kwargs,
    )


GOOD = Evidence(
    agreement=figure(0.65, 0.75),
    bias=figure(-0.1, 0.2),
    unscored=figure(0.001, 0.01),
    sensitivity=figure(0.82, 0.95, n=60),
    repeatability=figure(0.8, 0.9),
)
CHECK = DriftCheck(drift=Drift.PASSED, residual=figure(-0.1, 0.1), margin=0.2, confidence=0.95)


def card(**changes):
    return trust_card(replace(GOOD, **changes), RULES)


def test_where_every_line_is_met_the_judge_is_trusted():
    found = card()
    assert found.verdict is Verdict.TRUSTED
    assert [line.topic for line in found.lines] == [
        Topic.DATA,
        Topic.UNSCORED,
        Topic.AGREEMENT,
        Topic.BIAS,
        Topic.SENSITIVITY,
        Topic.REPEATABILITY,
    ]
    assert {line.outcome for line in found.lines} == {LineOutcome.MET}
    assert found.decisive == found.lines


def test_as_few_as_the_rules_ask_for_are_enough():
    least = figure(0.65, 0.75, n=RULES.least_items, n_clusters=RULES.least_dialogues)
    assert card(agreement=least).verdict is Verdict.TRUSTED


@pytest.mark.parametrize(
    ("changes", "topic", "reason", "verdict"),
    [
        ({"agreement": figure(0.65, 0.75, n=99)}, "data", "too few items", "not yet shown"),
        (
            {"agreement": figure(0.65, 0.75, n_clusters=19)},
            "data",
            "too few dialogues",
            "not yet shown",
        ),
        ({"agreement": figure(0.55, 0.75)}, "agreement", "not clear", "not yet shown"),
        ({"agreement": figure(0.25, 0.75)}, "agreement", "not clear", "not yet shown"),
        ({"agreement": figure(0.4, 0.55)}, "agreement", "surely short", "surely below the bar"),
        (
            {"agreement": figure(0.1, 0.29)},
            "agreement",
            "short, ceiling unknown",
            "surely below the bar",
        ),
        ({"agreement": figure(None, None)}, "agreement", "no interval", "not yet shown"),
        (
            {"agreement": figure(0.65, 0.75, notes=(Note.TOO_FEW_LOW,))},
            "agreement",
            "doubtful",
            "not yet shown",
        ),
        ({"bias": figure(-0.1, 0.3)}, "bias", "not within the margin", "not yet shown"),
        ({"bias": figure(0.25, 0.3)}, "bias", "not within the margin", "not yet shown"),
        ({"bias": figure(-0.3, -0.25)}, "bias", "not within the margin", "not yet shown"),
        ({"bias": figure(0.6, 0.8)}, "bias", "outside the margin", "surely below the bar"),
        ({"bias": figure(-0.8, -0.6)}, "bias", "outside the margin", "surely below the bar"),
        ({"bias": figure(None, None)}, "bias", "no interval", "not yet shown"),
        ({"bias": None}, "bias", "not measured", "cannot be shown with these data"),
        ({"unscored": figure(0.01, 0.05)}, "unscored", "not clear", "not yet shown"),
        ({"unscored": figure(0.03, 0.05)}, "unscored", "surely short", "surely below the bar"),
        ({"unscored": figure(0.25, 0.3)}, "unscored", "beyond", "do not use"),
        ({"sensitivity": figure(0.1, 0.4, n=60)}, "sensitivity", "beyond", "do not use"),
        ({"sensitivity": figure(0.1, 0.4, n=29)}, "sensitivity", "beyond", "do not use"),
        *(
            (
                {"sensitivity": figure(*limits, n=29)},
                "sensitivity",
                "too few positives",
                "cannot be shown with these data",
            )
            for limits in ((0.1, 0.5), (0.4, 0.9), (0.82, 0.95))
        ),
        (
            {"sensitivity": None},
            "sensitivity",
            "not measured",
            "cannot be shown with these data",
        ),
        ({"repeatability": figure(0.5, 0.9)}, "repeatability", "not clear", "not yet shown"),
        ({"repeatability": figure(0.1, 0.3)}, "repeatability", "beyond", "do not use"),
    ],
)
def test_one_line_decides(changes, topic, reason, verdict):
    found = card(**changes)
    assert found.verdict == verdict
    (line,) = found.decisive
    assert (line.topic, line.reason) == (topic, reason)
    assert line.reason.sentence.endswith(".")


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"agreement": figure(0.4, 0.55), "bias": None}, Verdict.SURELY_BELOW),
        ({"agreement": figure(0.5, 0.65), "bias": None}, Verdict.CANNOT_BE_SHOWN),
        ({"unscored": figure(0.3, 0.4), "bias": None}, Verdict.DO_NOT_USE),
        ({"unscored": figure(0.3, 0.4, n=50)}, Verdict.DO_NOT_USE),
        (
            {"agreement": figure(0.1, 0.2, n=50, notes=(Note.TOO_FEW_LOW,))},
            Verdict.NOT_YET_SHOWN,
        ),
        ({"agreement": figure(0.1, 0.7, n=50)}, Verdict.NOT_YET_SHOWN),
        ({"agreement": figure(0.65, 0.75, n=50)}, Verdict.NOT_YET_SHOWN),
        (
            {"agreement": figure(0.65, 0.75, n=50), "sensitivity": figure(0.1, 0.3, n=12)},
            Verdict.DO_NOT_USE,
        ),
        (
            {"agreement": figure(0.9, 0.95), "sensitivity": figure(0.1, 0.3, n=60)},
            Verdict.DO_NOT_USE,
        ),
    ],
)
def test_no_line_makes_up_for_another(changes, verdict):
    assert card(**changes).verdict is verdict


@pytest.mark.parametrize(
    ("found", "of", "verdict"),
    [
        (0, 4, Verdict.CANNOT_BE_SHOWN),
        (0, 5, Verdict.DO_NOT_USE),
        (1, 12, Verdict.CANNOT_BE_SHOWN),
        (1, 13, Verdict.DO_NOT_USE),
        (4, 12, Verdict.CANNOT_BE_SHOWN),
        (12, 12, Verdict.CANNOT_BE_SHOWN),
    ],
)
def test_few_flagged_items_rule_a_judge_out_but_never_in(found, of, verdict):
    marked = (np.arange(200) < of).astype(float)
    flagged = (np.arange(200) < found).astype(float)
    shares = screening(flagged, marked, positive={1.0}, points=(0.0, 1.0))
    assert card(sensitivity=shares["sensitivity"]).verdict is verdict


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(0.82, 0.95, LineOutcome.MET), (0.1, 0.3, LineOutcome.RULED_OUT)],
)
def test_a_figure_that_is_weighted_is_held_as_any_other(low, high, outcome):
    found = card(sensitivity=figure(low, high, n=60, notes=(Note.WEIGHTED,)))
    assert next(one.outcome for one in found.lines if one.topic is Topic.SENSITIVITY) is outcome


def test_calibration_helps_where_the_judge_only_falls_short():
    found = card(
        agreement=figure(0.4, 0.5),
        calibrated_agreement=figure(0.62, 0.7),
        bias=figure(0.6, 0.8),
        calibrated_bias=figure(-0.1, 0.1),
    )
    assert found.verdict is Verdict.TRUSTED_WITH_CALIBRATION
    assert [line.topic for line in found.decisive] == [Topic.AGREEMENT, Topic.BIAS]
    assert found.decisive[0].estimate.low == 0.62
    assert found.decisive[0].reason is LineReason.CLEAR_CALIBRATED
    partly = card(
        agreement=figure(0.4, 0.5),
        calibrated_agreement=figure(0.5, 0.6),
        bias=figure(0.6, 0.8),
        calibrated_bias=figure(-0.1, 0.1),
    )
    assert partly.verdict is Verdict.SURELY_BELOW
    assert partly.decisive[0].estimate.low == 0.4
    unknown = card(agreement=figure(None, None), calibrated_agreement=figure(0.62, 0.7))
    assert unknown.verdict is Verdict.NOT_YET_SHOWN


def test_what_needs_no_calibration_is_not_said_to_need_it():
    found = card(bias=figure(-0.1, 0.2), calibrated_bias=figure(-0.01, 0.01))
    assert found.verdict is Verdict.TRUSTED
    assert {line.outcome for line in found.lines} == {LineOutcome.MET}


def test_a_line_says_what_it_was_held_against():
    asked = {line.topic: line.asked for line in card(sensitivity=figure(0.6, 0.95, n=29)).lines}
    assert asked == {
        Topic.DATA: 100,
        Topic.UNSCORED: 0.02,
        Topic.AGREEMENT: 0.6,
        Topic.BIAS: 0.25,
        Topic.SENSITIVITY: 30,
        Topic.REPEATABILITY: 0.7,
    }


def test_a_judge_that_never_wavers_needs_no_interval():
    steady = replace(figure(1.0, 1.0), low=None, high=None, notes=(Note.NO_DISAGREEMENT,))
    assert card(repeatability=steady).verdict is Verdict.TRUSTED
    alone = replace(steady, notes=(Note.TOO_FEW_CLUSTERS,))
    assert card(repeatability=alone).verdict is Verdict.NOT_YET_SHOWN


@pytest.mark.parametrize(
    ("drift", "outcome", "verdict", "expired"),
    [
        (Drift.PASSED, "met", Verdict.TRUSTED, False),
        (Drift.FAILED, "cannot be shown", Verdict.CANNOT_BE_SHOWN, True),
        (Drift.INCONCLUSIVE, "not yet shown", Verdict.NOT_YET_SHOWN, False),
        (Drift.NOT_GRADED, "cannot be shown", Verdict.CANNOT_BE_SHOWN, False),
        (Drift.NOT_CHECKED, "cannot be shown", Verdict.CANNOT_BE_SHOWN, False),
    ],
)
def test_a_card_expires_when_the_judge_drifts(drift, outcome, verdict, expired):
    found = card(drift=replace(CHECK, drift=drift))
    assert found.lines[-1].outcome == outcome
    assert (found.verdict, found.is_expired) == (verdict, expired)


def rated_people(seed=1, noise=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, 160)
    people = np.clip(truth[:, None] + rng.integers(-1, 2, (160, 3)), 1, 5).astype(float)
    judge = np.clip(truth + rng.integers(-noise, noise + 1, 160), 1, 5).astype(float)
    return judge, people


@pytest.mark.parametrize(
    ("noise", "verdict", "reasons"),
    [
        (0, Verdict.TRUSTED, {LineReason.BETTER_THAN_PEOPLE, LineReason.STANDS_IN}),
        (4, Verdict.SURELY_BELOW, {LineReason.INFERIOR, LineReason.DOES_NOT_STAND_IN}),
    ],
)
def test_a_judge_is_held_against_people_where_the_rules_ask_it(noise, verdict, reasons):
    judge, people = rated_people(noise=noise)
    rules = replace(RULES, ceiling_margin=0.1, asks_alternative=True)
    asked = replace(
        GOOD,
        ceiling=ceiling(judge, people, points=FIVE, measurement="ordinal")["icc_a1"],
        alternative=alternative_test(
            {"one": Panel(judge=judge, people=people)}, alignment="neg_rmse", epsilon=0.1
        )["one"],
    )
    found = trust_card(asked, rules)
    assert found.verdict is verdict
    told = {line for line in found.lines if line.topic in ("ceiling", "alternative")}
    assert {line.reason for line in told} == reasons
    assert {line.topic: line.asked for line in told} == {"ceiling": 0.1, "alternative": 0.5}


def test_without_people_to_compare_with_nothing_is_said_of_a_ceiling():
    rules = replace(RULES, ceiling_margin=0.1, asks_alternative=True)
    missing = trust_card(GOOD, rules)
    assert missing.verdict is Verdict.CANNOT_BE_SHOWN
    assert {(line.topic, line.reason) for line in missing.decisive} == {
        (Topic.CEILING, LineReason.NOT_MEASURED),
        (Topic.ALTERNATIVE, LineReason.NOT_MEASURED),
    }
    judge, people = rated_people()
    alone = replace(
        GOOD,
        ceiling=ceiling(judge, people[:, :1], points=FIVE, measurement="ordinal")["icc_a1"],
        alternative=alternative_test(
            {"one": Panel(judge=judge, people=people[:, :1])}, alignment="accuracy", epsilon=0.1
        )["one"],
    )
    found = trust_card(alone, rules)
    assert [line.reason for line in found.decisive] == [
        LineReason.NO_INTERVAL,
        LineReason.NOBODY_TO_TEST,
    ]


def test_what_the_rules_do_not_ask_is_not_on_the_card():
    bare = Rules(least_items=1, least_dialogues=1, agreement=RULES.agreement)
    found = trust_card(Evidence(agreement=figure(0.65, 0.75)), bare)
    assert [line.topic for line in found.lines] == [Topic.DATA, Topic.AGREEMENT]
    assert found.verdict is Verdict.TRUSTED


@pytest.mark.parametrize(
    ("bar", "cleared", "missed"),
    [
        (Bar(trusted=0.8, unusable=0.5), (0.8, 0.9), (0.1, 0.49)),
        (Bar(trusted=0.02, unusable=0.2), (0.0, 0.02), (0.21, 0.4)),
    ],
)
def test_a_bar_has_a_good_side(bar, cleared, missed):
    assert bar.is_cleared(*cleared)
    assert not bar.is_missed(*cleared)
    assert bar.is_missed(*missed)
    assert not bar.is_cleared(*missed)
    assert not bar.is_cleared(min(cleared + missed), max(cleared + missed))
    with pytest.raises(ValueError, match="differ"):
        Bar(trusted=0.5, unusable=0.5)


def test_every_reason_has_a_sentence():
    assert all(reason.sentence for reason in LineReason)


def test_a_released_judge_with_fine_agreement_coefficients_is_not_to_be_used(mentalalign):
    human, judge, dialogues, _ = mentalalign.pair("gpt_4o", "Safety", clean=True, without=["gpt4o"])
    options = {"clusters": dialogues, "points": FIVE}
    found = two_raters(human, judge, measurement="ordinal", only=["ac2", "bias"], **options)
    assert found["ac2"].low > 0.9
    held_out = calibrations(judge, human, methods=[Method.SHIFT], **options).methods[Method.SHIFT]
    evidence = Evidence(
        agreement=found["ac2"],
        bias=found["bias"],
        calibrated_bias=held_out.after["bias"],
        sensitivity=screening(judge, human, positive=(1, 2), **options)["sensitivity"],
    )
    rules = replace(RULES, unscored=None, repeatability=None, bias_margin=0.1)
    found = trust_card(evidence, rules)
    assert found.verdict is Verdict.DO_NOT_USE
    assert [line.topic for line in found.decisive] == [Topic.SENSITIVITY]
    assert [line.outcome for line in found.lines if line.topic == "bias"] == ["met once calibrated"]


def test_a_card_says_how_much_it_rests_on():
    line = next(line for line in card().lines if line.topic is Topic.DATA)
    assert (line.estimate.n_items, line.estimate.n_clusters, line.asked) == (400, 100, 100)
