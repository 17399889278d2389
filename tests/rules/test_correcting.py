import pytest

from annotation.rules.correcting import reason_not_to_correct
from annotation.rules.lifecycle import ItemState, RoundState

OPEN, CLOSED = RoundState.OPEN, RoundState.CLOSED


@pytest.mark.parametrize(
    ("round_state", "item_state", "reason"),
    [
        (OPEN, ItemState.RATING, None),
        (OPEN, ItemState.AGREED, None),
        (OPEN, ItemState.DISAGREED, None),
        (OPEN, ItemState.ADJUDICATED, "has been decided"),
        (CLOSED, ItemState.AGREED, "round is closed"),
        (CLOSED, ItemState.ADJUDICATED, "round is closed"),
    ],
)
def test_a_rater_may_correct_until_the_round_closes_or_the_item_is_decided(
    round_state, item_state, reason
):
    found = reason_not_to_correct(round_state, item_state)
    assert found is None if reason is None else reason in found
