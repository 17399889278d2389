"""How well answers meet gold that is known."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.rubric.answers import Answer
from annotation.rubric.loading import load, shipped
from annotation.rules.qualifying import (
    NOTHING_ASKED,
    GoldScore,
    has_passed,
    mixed_in,
    reason_not_to_seat,
    score,
)

SCALES = load(shipped()["mentalalign"])
KEYS = [criterion.key for criterion in SCALES.criteria]


def answers(*scores):
    return {
        key: Answer(criterion=key, score=value) for key, value in zip(KEYS, scores, strict=False)
    }


def test_an_answer_is_right_where_two_raters_would_need_no_decision():
    gap = SCALES.criteria[0].adjudicate_from_gap
    gold = answers(4, 4)
    assert score(SCALES, answers(4, 4), gold) == GoldScore(right=2, of=2)
    assert score(SCALES, answers(4 - gap, 4), gold) == GoldScore(right=1, of=2)
    assert score(SCALES, {KEYS[0]: None}, gold) == GoldScore(right=0, of=2)


def test_the_mark_is_not_rounded_up():
    assert not has_passed(GoldScore(right=799, of=1000), 80)
    assert has_passed(GoldScore(right=8, of=10), 80)
    assert not has_passed(NOTHING_ASKED, 1)


def test_the_scores_of_several_items_add_up():
    assert GoldScore(right=2, of=3) + GoldScore(right=4, of=7) == GoldScore(right=6, of=10)
    assert NOTHING_ASKED + GoldScore(right=2, of=3) == GoldScore(right=2, of=3)


def test_who_has_not_qualified_is_named():
    assert reason_not_to_seat([]) is None
    assert "Ben, Cleo." in reason_not_to_seat(["Ben", "Cleo"])


@given(st.integers(0, 30), st.integers(0, 10), st.text(max_size=5))
def test_gold_is_mixed_in_and_nothing_is_lost(n_items, n_gold, seed):
    items, gold = list(range(n_items)), list(range(100, 100 + n_gold))
    mixed = mixed_in(items, gold, seed=seed)
    assert [one for one in mixed if one < 100] == items
    assert [one for one in mixed if one >= 100] == gold
