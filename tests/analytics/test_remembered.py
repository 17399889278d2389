"""What was computed is remembered by the content of the ratings behind it."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest

from analytics.figures import memo
from analytics.figures.memo import (
    by_turns,
    remembered,
    remembered_by_turns,
    remembered_each,
)


def test_the_same_ratings_are_computed_once_and_others_anew():
    asked = []

    def total(values, clusters, *, times):
        asked.append(values.size)
        return values.sum() * times

    one, same = np.arange(3.0), np.arange(3.0)
    assert remembered(total, one, None, times=2) == 6.0
    assert remembered(total, same, None, times=2) == 6.0
    assert len(asked) == 1
    one[0] = 1.0
    assert remembered(total, one, None, times=2) == 8.0
    assert remembered(total, same, None, times=3) == 9.0
    assert remembered(total, same.reshape(1, 3), None, times=2) == 6.0
    assert remembered(total, same, np.zeros(3), times=2) == 6.0
    assert len(asked) == 5


def test_of_several_those_that_are_new_are_computed_together():
    asked = []

    def totals(each, offset, *, times):
        asked.append(len(each))
        return [float((one + offset).sum()) * times for one in each]

    one, two, three = np.zeros(1), np.ones(2), np.ones(3)
    offset = np.array(1.0)
    assert remembered_each(totals, [one, two, two.copy()], offset, times=1) == [1.0, 4.0, 4.0]
    assert remembered_each(totals, [three, two, one], offset, times=1) == [6.0, 4.0, 1.0]
    assert remembered_each(totals, [three, one], offset, times=1) == [6.0, 1.0]
    assert asked == [2, 1]
    assert remembered_each(totals, [one], offset, times=2) == [2.0]
    assert remembered_each(totals, [one], np.array(2.0), times=1) == [2.0]
    assert asked == [2, 1, 1, 1]


def test_a_column_of_a_table_is_told_by_its_content():
    table = np.arange(6.0).reshape(3, 2)
    assert remembered(np.sum, table[:, 0]) == 6.0
    assert remembered(np.sum, table[:, 1]) == 9.0


def total_of(values):
    return float(values.sum())


def report(*arrays):
    """Sums that take long: [(sum, whether it is of earlier arrays)]."""
    return [remembered_by_turns((place,), total_of, array) for place, array in enumerate(arrays)]


@pytest.fixture
def ticking(monkeypatch):
    """Each sum takes a second."""
    monkeypatch.setattr(memo, "time", SimpleNamespace(perf_counter=itertools.count().__next__))


def within(seconds, array, *, of="turns"):
    with by_turns(of, seconds=seconds) as turns:
        found = report(array, array, array)
    assert len(turns.left) == sum(is_earlier for _sum, is_earlier in found)
    return found


def test_what_takes_long_is_brought_up_to_date_by_turns_and_says_where_it_is_not(ticking):
    old, new = np.ones(3), np.full(3, 2.0)
    assert within(0, old) == [(3.0, False)] * 3, "what nobody knows yet is computed"
    assert within(0, new) == [(3.0, True)] * 3
    assert within(1, new) == [(6.0, False), (3.0, True), (3.0, True)]
    assert within(1, new) == [(6.0, False), (6.0, False), (3.0, True)], "what waits longest first"
    assert within(1, new) == [(6.0, False)] * 3
    assert within(math.inf, old) == [(3.0, False)] * 3, "who has time computes all"


def test_one_that_takes_longer_than_its_turn_has_the_next_ones_do_without(ticking):
    old, new = np.ones(5), np.full(5, 2.0)
    assert within(math.inf, old, of="debts") == [(5.0, False)] * 3
    assert within(0.5, new, of="debts") == [(10.0, False), (5.0, True), (5.0, True)]
    assert within(0.5, new, of="debts") == [(10.0, False), (5.0, True), (5.0, True)]
    assert within(0.5, new, of="debts") == [(10.0, False), (10.0, False), (5.0, True)]


def test_turns_are_of_one_report_and_who_asks_outside_of_one_gets_what_is_new():
    old, new = np.ones(4), np.full(4, 2.0)
    with by_turns("one", seconds=0):
        report(old, old)
    with by_turns("another", seconds=0):
        assert report(new, new) == [(8.0, False)] * 2
    assert report(new, new) == [(8.0, False)] * 2
