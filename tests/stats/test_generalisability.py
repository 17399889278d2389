"""Whose the variance of ratings is, beside published tables."""

import numpy as np
import pytest

from analytics.stats import icc
from analytics.stats.generalisability import variance_shares

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
    assert (found.by_item, found.generators, found.n_ratings) == (None, None, 24)


def test_the_decision_study_gives_the_published_iccs():
    found = shares(TABLE)
    for n, absolute in {1: 0.29, 4: 0.62}.items():
        assert found.dependability(n_raters=n) == pytest.approx(absolute, abs=0.005)
    ms = icc.mean_squares(TABLE)
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


def test_repeats_take_chance_off_but_not_what_somebody_sees_otherwise():
    cube = np.random.default_rng(6).normal(0, 0.5, (30, 4, 3))
    cube += np.random.default_rng(7).normal(0, 1, (30, 1, 1))
    cube += np.random.default_rng(8).normal(0, 0.7, (30, 4, 1))
    found = shares(cube)
    once, often = (found.dependability(n_repeats=n) for n in (1, 1000))
    assert once < often < found.dependability(n_raters=50) < 1
    assert found.total == pytest.approx(found.items + found.severity + found.by_item + found.rest)
