"""Whose the variance of ratings is, beside published tables."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.stats import icc
from analytics.stats.generalisability import VarianceShares, variance_shares

# Shrout & Fleiss (1979), Psychological Bulletin 86(2), table 2: six items, four judges.
TABLE = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)


def long(table):
    """Values with their items and raters, of ratings (n, r) or, of several repeats, (n, r, t)."""
    cube = table.reshape(*table.shape[:2], -1)
    item, rater, repeat = np.nonzero(np.isfinite(cube))
    return cube[item, rater, repeat], item, rater


def shares(table, generators=None):
    values, items, raters = long(table)
    named = np.full(items.size, "") if generators is None else np.asarray(generators)[items]
    return variance_shares(values, items=items, raters=raters, generators=named)


def test_a_published_table_is_divided_as_its_mean_squares_say():
    """Between items 11.24, between judges 32.49, residual 1.02: table 3 there."""
    found = shares(TABLE)
    assert found.items == pytest.approx((11.24 - 1.02) / 4, abs=0.005)
    assert found.severity == pytest.approx((32.49 - 1.02) / 6, abs=0.005)
    assert found.rest == pytest.approx(1.02, abs=0.005)
    assert (found.by_item, found.generators) == (None, None)
    assert (found.n_items, found.n_ratings) == (6, 24)


def test_the_decision_study_gives_the_published_iccs():
    found = shares(TABLE)
    for n, absolute in {1: 0.29, 4: 0.62}.items():
        assert found.dependability(n_raters=n) == pytest.approx(absolute, abs=0.005)
    ms = icc.mean_squares(TABLE)
    assert float(icc.one_way(ms)) == pytest.approx(0.17, abs=0.005)
    assert found.dependability(n_raters=4) == pytest.approx(float(icc.agreement_mean(ms)))
    needed = found.raters_for(0.8)
    assert found.dependability(n_raters=needed) >= 0.8 > found.dependability(n_raters=needed - 1)


def test_with_gaps_they_are_right_on_average():
    rng, found = np.random.default_rng(5), []
    for _ in range(200):
        table = rng.normal(0, 1, (40, 1)) + rng.normal(0, 0.6, 6) + rng.normal(0, 0.8, (40, 6))
        table[rng.random((40, 6)) < np.linspace(0, 0.8, 6)] = np.nan
        one = shares(table)
        found.append([one.items, one.severity, one.rest])
    assert np.mean(found, axis=0) == pytest.approx([1, 0.36, 0.64], abs=0.06)


def test_two_raters_and_two_items_can_be_told_apart():
    assert shares(TABLE[:, :2]).n_ratings == 12
    assert shares(np.array([[1.0, 3.0], [2.0, 7.0]])).n_ratings == 4


def test_generators_have_a_share_where_there_are_several_and_each_is_known():
    rng = np.random.default_rng(9)
    table = TABLE[:, :3].repeat(4, axis=0) + rng.normal(0, 1, (24, 3))
    assert shares(table, ["oak"] * 12 + ["elm"] * 12).generators is not None
    for unknown in (["oak"] * 24, ["oak"] * 12 + [""] * 12):
        assert shares(table, unknown) == shares(table)


def test_what_cannot_be_told_apart_is_not():
    assert shares(np.full((5, 3), 2.0)) is None
    assert shares(TABLE[:, :1]) is None
    alone = np.full((6, 6), np.nan)
    np.fill_diagonal(alone, np.arange(6.0))
    assert shares(alone) is None


def test_where_items_do_not_differ_no_number_of_raters_tells_them_apart():
    """A Latin square: each item, as each rater, has the same mean."""
    found = shares(np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]], float))
    assert (found.items, found.severity) == (0, 0)
    assert found.raters_for(0.8) is None
    assert found.dependability(n_raters=50) == 0


def test_repeats_tell_what_somebody_sees_otherwise_from_chance():
    rng = np.random.default_rng(6)
    of_items, seen = rng.normal(0, 1, (200, 1, 1)), rng.normal(0, 0.7, (200, 5, 1))
    chance = rng.normal(0, 0.5, (200, 5, 3))
    found = shares(of_items + seen + chance)
    drawn = tuple(float(part.var()) for part in (of_items, seen, chance))
    assert (found.items, found.by_item, found.rest) == pytest.approx(drawn, rel=0.1)
    assert found.total == pytest.approx(found.items + found.severity + found.by_item + found.rest)


WITH_ALL = VarianceShares(
    generators=0.5, items=1.5, severity=0.4, by_item=0.5, rest=0.6, n_items=30, n_ratings=90
)


@pytest.mark.parametrize("by_item", [0.5, None])
def test_the_mean_of_several_is_as_dependable_as_spearman_and_brown_say(by_item):
    some = replace(WITH_ALL, by_item=by_item)
    one = some.dependability()
    assert one == pytest.approx(2 / some.total)
    for n in (2, 3, 10):
        assert some.dependability(n_raters=n) == pytest.approx(n * one / (1 + (n - 1) * one))


def test_as_many_raters_are_needed_as_just_reach_it():
    assert WITH_ALL.dependability(n_raters=3) == pytest.approx(0.8)
    assert WITH_ALL.raters_for(0.8) == 3
    assert WITH_ALL.raters_for(0.81) == 4
    never_in_error = replace(WITH_ALL, severity=0.0, by_item=None, rest=0.0)
    assert never_in_error.raters_for(0.8) == 1
