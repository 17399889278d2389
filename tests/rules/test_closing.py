"""When a round may close, and what may follow it."""

import math

import pytest

from annotation.rules.closing import (
    GateVerdict,
    Progress,
    gate_verdict,
    reason_not_to_open_next,
    reason_to_stay_open,
)

PROGRESS = [
    (0, 0, 0, "The round has no items."),
    (200, 0, 0, "Items that still need ratings: 200 of 200."),
    (200, 199, 3, "Items that still need ratings: 1 of 200."),
    (200, 200, 3, "Items that await adjudication: 3."),
    (200, 200, 0, None),
    (1, 1, 0, None),
]


@pytest.mark.parametrize(("items", "fully_rated", "awaiting", "reason"), PROGRESS)
def test_a_round_closes_when_everything_is_rated_and_decided(items, fully_rated, awaiting, reason):
    progress = Progress(items=items, fully_rated=fully_rated, awaiting_adjudication=awaiting)
    assert reason_to_stay_open(progress) == reason


def test_who_rates_is_told_no_numbers():
    missing = Progress(items=200, fully_rated=199, awaiting_adjudication=3)
    assert reason_to_stay_open(missing, to_a_rater=True) == (
        "Items of this round still need ratings."
    )
    in_dispute = [Progress(items=200, fully_rated=200, awaiting_adjudication=n) for n in (1, 3)]
    told = {reason_to_stay_open(progress, to_a_rater=True) for progress in in_dispute}
    assert told == {"Items of this round still await adjudication."}
    decided = Progress(items=200, fully_rated=200, awaiting_adjudication=0)
    assert reason_to_stay_open(decided, to_a_rater=True) is None


VERDICTS = [
    (0.52, GateVerdict.PASSED),
    (0.4, GateVerdict.PASSED),
    (1.0, GateVerdict.PASSED),
    (0.3999, GateVerdict.BELOW),
    (0.0, GateVerdict.BELOW),
    (-0.2, GateVerdict.BELOW),
    (None, GateVerdict.UNDEFINED),
    (math.nan, GateVerdict.UNDEFINED),
]


@pytest.mark.parametrize(("kappa", "verdict"), VERDICTS)
def test_a_kappa_is_held_against_the_gate(kappa, verdict):
    assert gate_verdict(kappa, 0.4) is verdict


BELOW = (
    "The last round stayed below its gate: have the same items rated again independently,"
    " or write down why to go on without that."
)
UNDEFINED = (
    "The agreement of the last round is undefined: have the same items rated again independently,"
    " or write down why to go on without that."
)
FOLLOWING = [
    (None, "", False, None),
    (GateVerdict.PASSED, "", False, None),
    ("passed", "", False, None),
    (GateVerdict.BELOW, "", False, BELOW),
    ("below", "", False, BELOW),
    (GateVerdict.BELOW, " \n", False, BELOW),
    (GateVerdict.BELOW, "The rubric was reworded.", False, None),
    (GateVerdict.BELOW, "", True, None),
    (GateVerdict.UNDEFINED, "", False, UNDEFINED),
    (GateVerdict.UNDEFINED, "All were safe.", False, None),
    (GateVerdict.UNDEFINED, "", True, None),
]


@pytest.mark.parametrize(("previous", "override_reason", "same_items", "reason"), FOLLOWING)
def test_a_round_that_did_not_pass_is_reviewed_or_explained(
    previous, override_reason, same_items, reason
):
    assert reason_not_to_open_next(previous, override_reason, same_items=same_items) == reason
