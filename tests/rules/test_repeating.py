"""Hidden repeats: which items come back to their rater, and how far behind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rules.repeating import (
    AGAIN,
    FIRST,
    LEAST_BETWEEN,
    MOST_PERCENT,
    Turn,
    reason_not_to_repeat,
    usual_percent,
    with_repeats,
)


def order(n, percent, seed="pond"):
    return with_repeats(list(range(100, 100 + n)), percent, seed=seed)


def repeats(turns):
    return [turn.item for turn in turns if turn.repeat == AGAIN]


def test_without_repeats_the_items_come_as_they_are():
    assert order(3, 0) == [Turn(100, FIRST), Turn(101, FIRST), Turn(102, FIRST)]


@pytest.mark.parametrize(
    ("n", "percent", "expected"),
    [(40, 5, 2), (41, 5, 3), (100, 20, 20), (20, 1, 1), (11, 20, 1), (10, 20, 0), (0, 5, 0)],
)
def test_the_share_is_rounded_up_as_far_as_there_is_room(n, percent, expected):
    assert len(repeats(order(n, percent))) == expected


@given(
    n=st.integers(0, 120),
    percent=st.integers(0, MOST_PERCENT),
    seed=st.text(max_size=5),
)
def test_every_item_comes_once_in_order_and_again_far_behind(n, percent, seed):
    turns = order(n, percent, seed)
    assert [turn.item for turn in turns if turn.repeat == FIRST] == list(range(100, 100 + n))
    again = repeats(turns)
    assert len(set(again)) == len(again)
    for item in again:
        first, second = turns.index(Turn(item, FIRST)), turns.index(Turn(item, AGAIN))
        between = [turn for turn in turns[first + 1 : second] if turn.repeat == FIRST]
        assert len(between) >= max(n / 2, LEAST_BETWEEN)


@pytest.mark.parametrize(("n", "fewest"), [(40, 20), (41, 21)])
def test_no_more_than_half_of_the_items_lies_between_where_chance_has_it_so(n, fewest):
    """Of the first half each may come back, its last item but at the end alone."""
    turns = [order(n, MOST_PERCENT, str(seed)) for seed in range(200)]
    first = {item - 100 for one in turns for item in repeats(one)}
    assert first == set(range(n - fewest))


def test_the_same_seed_gives_the_same_order_and_another_rater_another():
    assert order(60, 10) == order(60, 10)
    assert repeats(order(60, 10, "ben")) != repeats(order(60, 10, "cleo"))


@pytest.mark.parametrize(
    ("percent", "fewest", "reason"),
    [
        (0, 0, None),
        (5, 11, None),
        (1, 400, None),
        (MOST_PERCENT, 400, None),
        (5, 10, "more than 10 items a rater"),
        (5, 7, "somebody has 7:"),
        (MOST_PERCENT + 1, 400, "between 0 and 20 percent"),
        (-1, 400, "between 0 and 20 percent"),
    ],
)
def test_what_stands_against_repeats(percent, fewest, reason):
    found = reason_not_to_repeat(percent, fewest)
    assert found is None if reason is None else reason in found


def test_what_comes_back_and_where_depends_on_the_seed():
    orders = [order(60, 10, seed) for seed in ("ben", "cleo", "finn", "dora")]
    assert len({tuple(repeats(turns)) for turns in orders}) == len(orders)
    one = [order(24, 5, f"{seed}") for seed in range(80)]
    gaps = {turns.index(Turn(repeats(turns)[0], AGAIN)) for turns in one}
    assert len(gaps) > 5


@pytest.mark.parametrize(("fewest", "percent"), [(0, 0), (10, 0), (11, 5), (200, 5)])
def test_the_usual_share_comes_back_where_nobody_would_remember(fewest, percent):
    assert usual_percent(fewest) == percent
