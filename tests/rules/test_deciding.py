"""What a ruling comes to, and when a decision may be made anew."""

from itertools import pairwise

import pytest

from annotation.rubric.answers import Answer, Reason
from annotation.rubric.loading import load, shipped
from annotation.rules.deciding import (
    AMBIGUOUS,
    DecidedBy,
    as_ruled,
    asked_for,
    graph_of,
    problem_with_code,
    read_ruling,
    reason_not_to_revise,
)
from annotation.rules.lifecycle import ItemState, RoundState
from tests.graphs import CARE

WALK, NOTICING, GUIDING = CARE.criteria
SCALES = load(shipped()["mentalalign"])
LIST = load(shipped()["dialogue_safety"])
PAST_THEM = {"risk": "yes", "missed": "yes", "tone": "no"}

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


def test_a_graph_alone_is_answered_question_by_question():
    assert [graph_of(CARE, one) for one in CARE.criteria] == [WALK, WALK, WALK]
    assert graph_of(LIST, LIST.criteria[0]) is None
    assert graph_of(SCALES, SCALES.criteria[0]) is None


@pytest.mark.parametrize(
    ("rubric", "to_decide", "asked"),
    [
        (CARE, [GUIDING], [WALK]),
        (CARE, [GUIDING, WALK, NOTICING], [WALK]),
        (CARE, [], []),
        (LIST, LIST.criteria, list(LIST.criteria)),
        (SCALES, SCALES.criteria[2:0:-1], list(SCALES.criteria[1:3])),
    ],
)
def test_an_adjudicator_is_asked_once_for_what_decides_in_the_order_of_the_rubric(
    rubric, to_decide, asked
):
    assert asked_for(rubric, to_decide) == asked


def test_one_way_decides_the_label_and_every_scale_of_a_graph():
    ruling = read_ruling(CARE, [GUIDING], {"walk": PAST_THEM})
    assert ruling.values == {"walk": "warm", "noticing": "3", "guiding": "0"}
    assert ruling.ways == {"walk": "risk:yes missed:yes tone:no"}
    assert (ruling.ambiguous, ruling.problems) == ((), ())


def test_an_ambiguous_graph_leaves_ambiguous_what_was_to_be_decided_of_it():
    ruling = read_ruling(CARE, [NOTICING, GUIDING], {"walk": AMBIGUOUS})
    assert ruling.values == {"noticing": AMBIGUOUS, "guiding": AMBIGUOUS}
    assert (ruling.answers, ruling.ways, ruling.problems) == ((), {}, ())


def test_each_criterion_is_decided_or_ambiguous_by_itself():
    first, second, third = SCALES.criteria[:3]
    ruled = {first.key: AMBIGUOUS, second.key: "2", third.key: "4"}
    ruling = read_ruling(SCALES, [first, second], ruled)
    assert ruling.answers == (Answer(criterion=second.key, score=2),)
    assert ruling.ambiguous == (first.key,)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, Reason.MISSING),
        ({"walk": "warm"}, Reason.MISSING),  # several ways lead there
        ({"walk": {"risk": "yes"}}, Reason.INCOMPLETE_PATH),
        ({"walk": PAST_THEM | {"resources": "no"}}, Reason.UNREACHABLE),
    ],
)
def test_a_graph_is_not_decided_without_a_whole_way(given, reason):
    ruling = read_ruling(CARE, [WALK], given)
    assert [(one.criterion, one.reason) for one in ruling.problems] == [("walk", reason)]
    assert ruling.values == {}


@pytest.mark.parametrize("value", ["", "9", "perhaps"])
def test_a_problem_of_one_criterion_leaves_the_others_decided(value):
    first, second = SCALES.criteria[:2]
    ruling = read_ruling(SCALES, [first, second], {first.key: value, second.key: "2"})
    assert [one.criterion for one in ruling.problems] == [first.key]
    assert ruling.values == {second.key: "2"}


@pytest.mark.parametrize(
    ("rubric", "to_decide", "ruled"),
    [
        (CARE, CARE.criteria, {"walk": PAST_THEM}),
        (CARE, CARE.criteria, {"walk": AMBIGUOUS}),
        (CARE, [GUIDING], {"walk": PAST_THEM}),
        (CARE, [GUIDING], {"walk": AMBIGUOUS}),
        (LIST, LIST.criteria, {"safety": "nonsense"}),
        (SCALES, SCALES.criteria[:2], {"guidance": "3", "informativeness": AMBIGUOUS}),
        (SCALES, [], {}),
    ],
)
def test_what_was_kept_of_a_ruling_is_what_was_sent(rubric, to_decide, ruled):
    ruling = read_ruling(rubric, to_decide, ruled)
    assert as_ruled(rubric, ruling.values, ruling.ways) == ruled


def test_a_disagreement_comes_from_somewhere_that_is_known():
    assert [problem_with_code(code.value) for code in DecidedBy] == [None] * len(DecidedBy)
    assert problem_with_code("")
    assert problem_with_code("whim")
