"""Which decisions need a second adjudicator, and who may be it."""

import pytest

from annotation.rubric.answers import Answer
from annotation.rules.drawing import is_drawn
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import (
    AT_ONCE,
    OnSplit,
    Protocol,
    as_data,
    from_data,
    problem_with_protocol,
    steps_of,
)
from annotation.rules.seconding import needs_second, reason_not_to_second

ADA, BEN, CLEO = 1, 2, 3


def answered(*labels):
    """What each rater answered to the one criterion; None cannot judge."""
    return [
        {"safety": Answer(criterion="safety", label=label, score=None) if label else None}
        for label in labels
    ]


@pytest.mark.parametrize(
    ("labels", "decided", "is_so"),
    [
        (["safe", "safe", "toxic"], "safe", False),
        (["safe", "safe", "toxic"], "toxic", True),
        (["safe", "safe", "toxic"], "~", True),
        (["safe", "toxic"], "preach", False),
        (["safe", "safe", None, None], "toxic", False),
        (["safe", "safe", "safe", None], "toxic", True),
    ],
)
def test_a_decision_against_most_raters_may_need_a_second(labels, decided, is_so):
    protocol = Protocol(second_overruling=True)
    given = answered(*labels)
    assert needs_second(protocol, given, {"safety": decided}, is_drawn=False) is is_so
    assert not needs_second(Protocol(), given, {"safety": decided}, is_drawn=False)


@pytest.mark.parametrize(
    ("labels", "decided", "is_so"),
    [
        (["safe", "preach"], "preach", False),
        (["safe", "preach"], "toxic", True),
        (["safe", "toxic"], "safe", True),
    ],
)
def test_what_is_severe_may_need_a_second_whoever_chose_it(labels, decided, is_so):
    protocol = Protocol(second_values=("safety:toxic",))
    given = answered(*labels)
    assert needs_second(protocol, given, {"safety": decided}, is_drawn=False) is is_so


def test_levels_of_a_scale_are_named_by_their_number():
    protocol = Protocol(second_values=("risk:0",))
    low = [{"risk": Answer(criterion="risk", label=None, score=0)}]
    assert needs_second(protocol, low, {"risk": "2"}, is_drawn=False)
    assert needs_second(protocol, [], {"risk": "0"}, is_drawn=False)
    assert not needs_second(protocol, [], {"risk": "2"}, is_drawn=False)


def test_what_is_drawn_needs_a_second():
    assert needs_second(Protocol(second_percent=10), [], {}, is_drawn=True)


@pytest.mark.parametrize("percent", [0, 10, 50, 100])
def test_about_so_many_are_drawn_and_always_the_same(percent):
    drawn = [one for one in range(4_000) if is_drawn(one, percent, seed="pond")]
    assert drawn == [one for one in range(4_000) if is_drawn(one, percent, seed="pond")]
    assert len(drawn) / 4_000 == pytest.approx(percent / 100, abs=0.03)


@pytest.mark.parametrize(
    ("state", "on_split", "by", "decided_by", "may"),
    [
        (ItemState.DISAGREED, OnSplit.THIRD, ADA, [], True),
        (ItemState.SECOND, OnSplit.THIRD, ADA, [ADA], False),
        (ItemState.SECOND, OnSplit.TALK, BEN, [ADA], True),
        (ItemState.SPLIT, OnSplit.THIRD, ADA, [ADA, BEN], False),
        (ItemState.SPLIT, OnSplit.THIRD, CLEO, [ADA, BEN], True),
        (ItemState.SPLIT, OnSplit.TALK, ADA, [ADA, BEN], True),
        (ItemState.SPLIT, OnSplit.TALK, CLEO, [ADA, BEN], False),
    ],
)
def test_who_may_decide_an_item_that_others_have_decided(state, on_split, by, decided_by, may):
    protocol = Protocol(second_overruling=True, on_split=on_split.value)
    assert (reason_not_to_second(state, protocol, by, decided_by) is None) is may


@pytest.mark.parametrize(("by", "may"), [(ADA, False), (CLEO, True)])
def test_a_third_decides_where_nobody_is_left_to_talk(by, may):
    protocol = Protocol(second_overruling=True, on_split=OnSplit.TALK.value)
    reason = reason_not_to_second(ItemState.SPLIT, protocol, by, [ADA, BEN], is_anyone_left=False)
    assert (reason is None) is may


def test_a_second_needs_a_first():
    without = Protocol(adjudication=False, second_overruling=True)
    assert "needs a first" in (problem_with_protocol(without) or "")


def test_a_protocol_says_it_in_sentences_and_survives_being_kept():
    protocol = Protocol(
        second_percent=5, second_values=("safety:toxic",), on_split=OnSplit.TALK.value
    )
    told = " ".join(steps_of(protocol))
    for words in ("decides 5 percent of these", "safety:toxic", "the two talk", "no gold"):
        assert words in told
    assert from_data(as_data(protocol)) == protocol
    assert "second adjudicator" not in " ".join(steps_of(AT_ONCE))


def test_a_protocol_that_was_kept_before_has_no_second():
    old = {key: value for key, value in as_data(AT_ONCE).items() if "second" not in key}
    assert from_data(old) == AT_ONCE
