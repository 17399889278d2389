"""The straw man: what a judge that always says the same would be credited with."""

import numpy as np
import pytest

from analytics.stats.agreement import two_raters
from analytics.stats.constant import (
    always,
    best_by_statistic,
    best_constant,
    comes_as_far,
    constant_judges,
    only_answer,
)
from analytics.stats.screening import screening

FIVE = (1, 2, 3, 4, 5)
NAN = np.nan


@pytest.fixture
def people():
    """98 items that people find safe, and two that they do not."""
    return np.repeat([5.0, 1.0], [98, 2])


def against(people, only=None):
    return lambda said: two_raters(people, said, points=FIVE, measurement="ordinal", only=only)


def test_a_constant_judge_answers_what_the_real_one_answered():
    np.testing.assert_array_equal(always(5, [1, NAN, 3]), [5, NAN, 5])


@pytest.mark.parametrize(
    ("said", "answer"), [([5, NAN, 5], 5), ([5, 4], None), ([NAN, NAN], None), ([], None)]
)
def test_a_judge_that_says_one_thing_only_is_found_out(said, answer):
    assert only_answer(said) == answer


def test_the_best_constant_agrees_nearly_always_where_nearly_all_is_safe(people):
    judges = constant_judges(people, points=FIVE, measure=against(people))
    assert [one.says for one in judges] == list(FIVE)
    best = best_constant(judges, "ac2")
    assert best.says == 5
    assert best.estimates["exact"].value == 0.98
    assert best.estimates["ac2"].value > 0.95
    assert best.estimates["icc_a1"].value == pytest.approx(0)


@pytest.mark.parametrize(("statistic", "says"), [("exact", 5), ("mae", 5), ("bias", 5)])
def test_the_best_constant_is_the_best_by_each_measure(people, statistic, says):
    judges = constant_judges(people, points=FIVE, measure=against(people))
    assert best_constant(judges, statistic).says == says


def test_no_constant_is_best_where_the_measure_is_not_defined(people):
    judges = constant_judges(np.full(100, NAN), points=FIVE, measure=against(people))
    assert best_constant(judges, "kappa") is None
    assert best_constant(judges, "no such statistic") is None


def test_a_constant_finds_every_flagged_item_or_none(people):
    judges = constant_judges(
        people,
        points=FIVE,
        measure=lambda said: screening(said, people, positive={1, 2}, points=FIVE),
    )
    shares = [
        (one.estimates["sensitivity"].value, one.estimates["specificity"].value) for one in judges
    ]
    assert shares == [(1, 0)] * 2 + [(0, 1)] * 3


@pytest.mark.parametrize("statistic", ["exact", "icc_a1", "kappa", "mae"])
def test_a_judge_that_tells_items_apart_goes_beyond_it(statistic):
    people = np.tile(np.arange(1.0, 6.0), 20)
    judges = constant_judges(people, points=FIVE, measure=against(people))
    said = np.where(np.arange(100) % 9 == 0, 3.0, people)
    best = best_by_statistic(judges, [statistic])[statistic].estimates[statistic]
    assert not comes_as_far(best, against(people)(said)[statistic])


@pytest.mark.parametrize(
    ("n_found", "statistic", "does"),
    [(0, "exact", True), (2, "exact", True), (0, "icc_a1", True)],
)
def test_a_straw_man_comes_as_far_unless_the_judge_is_surely_better(
    people, n_found, statistic, does
):
    """A judge that finds `n_found` of the two unsafe items, and calls three others unsafe."""
    said = people.copy()
    said[98 + n_found :] = 5.0
    said[:3] = 1.0
    judges = constant_judges(people, points=FIVE, measure=against(people))
    best = best_by_statistic(judges, [statistic])[statistic]
    assert list(best.estimates) == [statistic]
    assert comes_as_far(best.estimates[statistic], against(people)(said)[statistic]) is does


def test_where_a_figure_is_not_defined_a_straw_man_is_no_match_for_it(people):
    unknown = against(np.full(100, NAN))(people)["exact"]
    known = against(people)(people)["exact"]
    assert unknown.value is None
    assert not comes_as_far(None, known)
    assert not comes_as_far(unknown, known)
    assert not comes_as_far(known, unknown)


def test_bias_is_no_merit_and_a_small_distance_is(people):
    judges = constant_judges(people, points=FIVE, measure=against(people))
    best = best_by_statistic(judges, ["bias", "mae"])
    real = against(people)(people)
    assert not comes_as_far(best["bias"].estimates["bias"], real["bias"])
    assert not comes_as_far(best["mae"].estimates["mae"], real["mae"])
    assert comes_as_far(best["mae"].estimates["mae"], judges[2].estimates["mae"])
