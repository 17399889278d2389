import pytest

from annotation.rules.correcting import counts, reason_not_to_correct
from annotation.rules.lifecycle import ItemState, RoundState, RoundStep


@pytest.mark.parametrize(
    ("round_state", "step", "reason"),
    [
        (RoundState.OPEN, RoundStep.RATING, None),
        (RoundState.OPEN, RoundStep.GATE, "rating has ended"),
        (RoundState.OPEN, RoundStep.DECIDING, "rating has ended"),
        (RoundState.CLOSED, RoundStep.RATING, "round is closed"),
        (RoundState.CANCELLED, RoundStep.RATING, "was cancelled"),
    ],
)
def test_a_rater_may_correct_until_the_rating_ends(round_state, step, reason):
    found = reason_not_to_correct(round_state, step)
    assert found is None if reason is None else reason in found


@pytest.mark.parametrize(
    ("item_state", "is_counted"),
    [
        (ItemState.RATING, True),
        (ItemState.AGREED, True),
        (ItemState.DISAGREED, True),
        (ItemState.SECOND, False),
        (ItemState.SPLIT, False),
        (ItemState.ADJUDICATED, False),
    ],
)
def test_a_correction_counts_until_somebody_has_decided(item_state, is_counted):
    assert counts(item_state, repeat=1) is is_counted
    assert counts(item_state, repeat=2)
