"""How often answers have no value, by how much people differ."""

from itertools import pairwise

import numpy as np
import pytest

from analytics.stats.caution import LEAST_ITEMS, dispute, held_back, more_held_back, steps

NAN = np.nan


def test_people_differ_by_the_mean_distance_of_two_of_them():
    people = [[1, 1, 1], [1, 2, 3], [1, NAN, 5], [NAN, NAN, 4]]
    assert dispute(people, are_labels=False) == pytest.approx([0, 4 / 3, 4, NAN], nan_ok=True)


def test_labels_differ_or_do_not():
    people = [[1, 1, 1], [1, 2, 9], [1, 1, 7]]
    assert dispute(people, are_labels=True) == pytest.approx([0, 1, 2 / 3])


def test_ratings_of_people_come_items_by_people():
    with pytest.raises(ValueError, match="items by people"):
        dispute([1.0, 2.0], are_labels=False)


def test_items_fall_into_groups_that_are_large_enough_and_leave_none_out():
    disputed = np.array([NAN, *[0.0] * 7, *np.linspace(0.1, 2, 45)])
    found = list(steps(disputed))
    assert [(step.low, step.high) for step in found[:1]] == [(0, 0)]
    assert all(step.items.sum() >= LEAST_ITEMS for step in found[1:])
    assert all(one.high < other.low for one, other in pairwise(found))
    assert len(found) == 5
    assert np.sum([step.items for step in found], axis=0).tolist() == [0] + [1] * 52


def test_items_that_differ_as_much_stay_together():
    found = list(steps(np.array([1.0] * 30 + [2.0] * 15)))
    assert [(step.mean, int(step.items.sum())) for step in found] == [(1.0, 30), (2.0, 15)]


def test_a_few_items_are_one_group_and_none_are_none():
    assert [int(step.items.sum()) for step in steps(np.array([1.0, 2.0, NAN]))] == [2]
    assert list(steps(np.full(3, NAN))) == []


def test_the_share_without_a_value_is_over_answers_not_over_items():
    unscored = [[1, 0], [0, 0], [1, NAN], [NAN, NAN], [0, 1]]
    found = held_back(unscored, np.ones(5, dtype=np.bool_))
    assert (found.value, found.n_items, found.n_pairs) == (pytest.approx(3 / 7), 4, 7)


def test_runs_are_of_one_rater():
    found = held_back([[1, 0], [0, 0]], np.ones(2, dtype=np.bool_), are_runs=True)
    assert (found.n_raters, found.n_pairs) == (1, 4)
    assert held_back([[1, 0], [0, 0]], np.ones(2, dtype=np.bool_)).n_raters == 2


def test_who_never_holds_back_may_do_so_in_so_many():
    found = held_back(np.zeros((60, 1)), np.ones(60, dtype=np.bool_))
    assert (found.value, found.low) == (0, 0)
    assert found.high == pytest.approx(1 - 0.05 ** (1 / 60), abs=1e-9)


def test_a_careful_rater_holds_back_more_where_people_differ():
    rng = np.random.default_rng(5)
    disputed = np.where(np.arange(400) % 2, 1.0, 0.0)
    careful = rng.random((400, 1)) < np.where(disputed, 0.4, 0.1)[:, None]
    found = more_held_back(careful.astype(float), disputed)
    assert found.value == pytest.approx(
        careful[disputed > 0].mean() - careful[disputed == 0].mean()
    )
    assert found.low > 0
    alike = more_held_back((rng.random((400, 1)) < 0.2).astype(float), disputed)
    assert alike.low < 0 < alike.high


def test_there_is_no_difference_where_people_never_agree():
    assert more_held_back(np.zeros((20, 1)), np.ones(20)).value is None
