"""When a rater may object to a decision."""

from itertools import pairwise

import pytest

from annotation.rules.disputing import reason_not_to_dispute
from annotation.rules.lifecycle import ItemState, RoundState

TOLD = {"round_state": RoundState.CLOSED, "item_state": ItemState.ADJUDICATED, "is_again": False}
# From the weightiest reason on.
REASONS = [
    ({"round_state": RoundState.OPEN}, "once the round is closed"),
    ({"item_state": ItemState.AGREED}, "its raters agreed"),
    ({"is_again": True}, "already"),
]


def test_a_rater_objects_once_to_a_decision_that_was_told():
    assert reason_not_to_dispute(**TOLD) is None
    assert reason_not_to_dispute(**TOLD | {"round_state": RoundState.CANCELLED})


@pytest.mark.parametrize("state", [one for one in ItemState if one is not ItemState.ADJUDICATED])
def test_nobody_objects_where_nobody_decided(state):
    assert reason_not_to_dispute(**TOLD | {"item_state": state})


@pytest.mark.parametrize(("changes", "words"), REASONS)
def test_a_rater_does_not_object_for_a_reason(changes, words):
    assert words in reason_not_to_dispute(**TOLD | changes)


@pytest.mark.parametrize(("first", "second"), list(pairwise(REASONS)))
def test_of_two_reasons_the_weightier_is_said(first, second):
    assert first[1] in reason_not_to_dispute(**TOLD | first[0] | second[0])
