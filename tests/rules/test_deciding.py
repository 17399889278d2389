"""When a decision may be made anew, and why not."""

from itertools import pairwise

import pytest

from annotation.rules.deciding import reason_not_to_revise
from annotation.rules.lifecycle import ItemState, RoundState

# From the weightiest reason on: where several hold, that is said which nothing can be done about.
REASONS = [
    ({"round_state": RoundState.CANCELLED}, "was cancelled"),
    ({"item_state": ItemState.DISAGREED}, "not been decided yet"),
    ({"is_decided_by_two": True}, "one alone does not do it anew"),
    ({"has_other_rubric": True}, "rated again under the new one"),
    ({"is_rated_later": True}, "it is decided there"),
]
DECIDED = {
    "round_state": RoundState.CLOSED,
    "item_state": ItemState.ADJUDICATED,
    "is_rated_later": False,
}


@pytest.mark.parametrize("state", [RoundState.OPEN, RoundState.CLOSED])
def test_a_decision_is_made_anew_in_a_closed_round_too(state):
    assert reason_not_to_revise(**DECIDED | {"round_state": state}) is None


@pytest.mark.parametrize(("changes", "words"), REASONS)
def test_a_decision_stands_where_somebody_else_has_to_make_it(changes, words):
    assert words in reason_not_to_revise(**DECIDED | changes)


@pytest.mark.parametrize(("first", "second"), list(pairwise(REASONS)))
def test_of_two_reasons_the_weightier_is_said(first, second):
    assert first[1] in reason_not_to_revise(**DECIDED | first[0] | second[0])
