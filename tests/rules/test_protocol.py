"""What a round does after its raters have answered, by the protocol that was agreed before."""

from dataclasses import replace
from functools import partial
from itertools import product

import pytest

from annotation.rubric.loading import load, shipped
from annotation.rubric.schema import Measurement
from annotation.rules.closing import GateVerdict, Progress
from annotation.rules.lifecycle import RoundState, RoundStep
from annotation.rules.protocol import (
    AT_ONCE,
    WHOLE,
    GateMeasure,
    Protocol,
    as_data,
    from_data,
    measured_by,
    problem_with_protocol,
    reason_not_to_decide_now,
    reason_not_to_end_rating,
    reason_to_stay_open,
    statistic_for,
    step_after_gate,
    steps_of,
)

AFTER_GATE = {
    "below, raters differ": (WHOLE, GateVerdict.BELOW, 3, RoundStep.RE_REVIEW),
    "undefined, raters differ": (WHOLE, GateVerdict.UNDEFINED, 1, RoundStep.RE_REVIEW),
    "below, and nothing to rate again": (WHOLE, GateVerdict.BELOW, 0, RoundStep.DECIDING),
    "passed": (WHOLE, GateVerdict.PASSED, 3, RoundStep.DECIDING),
    "below, without re-review": (
        replace(WHOLE, re_review=False),
        GateVerdict.BELOW,
        3,
        RoundStep.DECIDING,
    ),
}
MISFITS = {
    "re-review": replace(AT_ONCE, re_review=True),
    "discussion": replace(AT_ONCE, discussion=True),
}


@pytest.mark.parametrize(
    ("protocol", "verdict", "differing", "step"), AFTER_GATE.values(), ids=AFTER_GATE
)
def test_a_round_that_fails_its_gate_is_re_reviewed_where_raters_differ(
    protocol, verdict, differing, step
):
    assert step_after_gate(protocol, verdict, n_differing=differing) is step


@pytest.mark.parametrize("protocol", MISFITS.values(), ids=MISFITS)
def test_steps_that_do_not_fit_together_are_refused(protocol):
    assert problem_with_protocol(protocol)
    assert problem_with_protocol(WHOLE) is None
    assert problem_with_protocol(AT_ONCE) is None


@pytest.mark.parametrize(
    "change", [{"scope": "mean"}, {"bound": "low"}, {"scope": "mean", "bound": "low"}]
)
def test_a_gate_looks_at_a_mean_at_a_lower_end_and_at_the_lower_end_of_a_mean(change):
    assert problem_with_protocol(replace(WHOLE, **change)) is None


@pytest.mark.parametrize("step", list(RoundStep))
def test_nobody_decides_before_the_gate_has_looked(step):
    told = partial(reason_not_to_decide_now, round_state=RoundState.OPEN, step=step)
    assert (told(WHOLE) is None) == (step is RoundStep.DECIDING)
    assert told(AT_ONCE) is None
    assert told(replace(WHOLE, adjudication=False))


@pytest.mark.parametrize("state", [RoundState.CLOSED, RoundState.CANCELLED])
def test_nobody_decides_in_a_round_that_is_over(state):
    assert reason_not_to_decide_now(WHOLE, state, RoundStep.DECIDING)
    assert reason_not_to_decide_now(AT_ONCE, state, RoundStep.RATING)


@pytest.mark.parametrize(
    ("protocol", "n_missing", "reason"),
    [
        (WHOLE, 0, None),
        (WHOLE, 1, "still need ratings"),
        (AT_ONCE, 0, "decides while it is rated"),
        (AT_ONCE, 1, "decides while it is rated"),
    ],
)
def test_rating_ends_before_a_gate_and_once_nothing_is_missing(protocol, n_missing, reason):
    found = reason_not_to_end_rating(
        protocol, RoundState.OPEN, RoundStep.RATING, n_missing=n_missing
    )
    assert found is None if reason is None else reason in found


@pytest.mark.parametrize(
    ("state", "step", "reason"),
    [
        (RoundState.OPEN, RoundStep.GATE, "The rating has ended"),
        (RoundState.OPEN, RoundStep.DECIDING, "The rating has ended"),
        (RoundState.CLOSED, RoundStep.DECIDING, "The round is closed."),
        (RoundState.CANCELLED, RoundStep.RATING, "The round was cancelled."),
    ],
)
def test_rating_ends_once_and_in_an_open_round(state, step, reason):
    assert reason in reason_not_to_end_rating(WHOLE, state, step, n_missing=0)


def test_a_round_takes_every_step_before_it_closes():
    rated = Progress(items=4, fully_rated=4, awaiting_adjudication=0)
    told = {step: reason_to_stay_open(WHOLE, step, rated) for step in RoundStep}
    assert told == {
        RoundStep.RATING: "The rating has not been ended yet.",
        RoundStep.GATE: "The agreement of the round is still being computed.",
        RoundStep.RE_REVIEW: "The round closes together with its re-review.",
        RoundStep.DECIDING: None,
    }
    assert reason_to_stay_open(AT_ONCE, RoundStep.RATING, rated) is None
    discussed = replace(rated, in_discussion=2)
    assert reason_to_stay_open(WHOLE, RoundStep.DECIDING, discussed) == (
        "Items that are still being discussed: 2."
    )
    unrated = replace(rated, fully_rated=3)
    assert reason_to_stay_open(WHOLE, RoundStep.RATING, unrated) == (
        "Items that still need ratings: 1 of 4."
    )
    assert reason_to_stay_open(WHOLE, RoundStep.RATING, unrated, to_a_rater=True) == (
        "Items of this round still need ratings."
    )


def test_an_ordinal_scale_is_measured_with_quadratic_weights_and_labels_without():
    assert statistic_for(WHOLE, Measurement.ORDINAL) == "alpha_interval"
    assert statistic_for(WHOLE, Measurement.NOMINAL) == "fleiss"
    assert statistic_for(AT_ONCE, Measurement.ORDINAL) == "fleiss"
    for measure, measurement in product(GateMeasure, Measurement):
        assert statistic_for(replace(WHOLE, measure=measure.value), measurement)


def test_what_the_gate_measures_is_named_by_its_statistic_where_it_is_one():
    scale, labels = (load(shipped()[key]).criteria[0] for key in ("mentalalign", "dialogue_safety"))
    assert measured_by(WHOLE, [scale, scale]) == "Krippendorff’s α with squared distances"
    assert measured_by(WHOLE, [labels]) == "Fleiss’ κ without weights"
    assert measured_by(WHOLE, [scale, labels]) == (
        "Fleiss’ κ for labels, Krippendorff’s α with squared distances for ordinal scales"
    )
    for measure, criterion in product(GateMeasure, (scale, labels)):
        assert measured_by(replace(WHOLE, measure=measure.value), [criterion])


def test_a_protocol_survives_json_and_says_its_steps():
    for flags in product([True, False], repeat=4):
        protocol = Protocol(
            **dict(
                zip(("gate_first", "re_review", "discussion", "adjudication"), flags, strict=True)
            )
        )
        assert from_data(as_data(protocol)) == protocol
        told = " ".join(steps_of(protocol))
        assert ("once more, independently" in told) is protocol.re_review
        assert ("discuss" in told) is protocol.discussion
        assert ("An adjudicator" in told) is protocol.adjudication


def test_who_may_sit_on_the_panel_and_whose_decisions_are_made_twice_is_among_its_steps():
    protocol = replace(WHOLE, qualified_only=True, second_overruling=True)
    first, *others = steps_of(protocol)
    assert first.startswith("Only raters who have passed a round to qualify")
    assert any("decides against what most raters answered" in step for step in others)
    assert not any("qualify" in step for step in steps_of(WHOLE))


def test_values_that_are_decided_twice_are_said_by_their_words():
    scale, label = (
        load(shipped()[name]).criteria[0] for name in ("mentalalign", "dialogue_safety")
    )
    point = next(one for one in scale.points if one.value == 1)
    protocol = replace(
        WHOLE, second_values=(f"{scale.key}:1", f"{label.key}:nonsense", "gone:away")
    )
    told = " ".join(steps_of(protocol, [scale, label]))
    named = f"{scale.name.in_('en')}: 1 · {point.anchor.in_('en')}"
    assert f"chose one of: {named}; {label.name.in_('en')}: Nonsense; gone:away." in told
