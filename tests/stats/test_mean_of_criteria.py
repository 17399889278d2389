"""The mean of agreement over criteria has an interval, in which what criteria share is counted."""

import numpy as np
import pytest

from analytics.stats.agreement import PanelTable, interval_of_mean, many_raters
from analytics.stats.estimates import Note

POINTS = np.arange(1.0, 6.0)


def drawn(rng, n, criteria=5):
    """Five criteria of the same items, on which three people rate with more and more noise."""
    common = rng.normal(size=n)
    for place in range(criteria):
        truth = 0.6 * common + 0.8 * rng.normal(size=n)
        rated = truth[:, None] + rng.normal(size=(n, 3)) * (0.5 + 0.15 * place)
        yield np.clip(np.round(rated + 3), 1, 5)


def tables_of(values, statistic="alpha_interval"):
    return [PanelTable(values=one, points=POINTS, statistic=statistic) for one in values]


def mean_of(values, statistic="alpha_interval"):
    found = [
        many_raters(one, points=POINTS, measurement="ordinal", only={statistic})[statistic].value
        for one in values
    ]
    return float(np.mean(found))


@pytest.mark.parametrize("n", [15, 30])
def test_it_holds_the_truth_as_often_as_it_says(n):
    rng = np.random.default_rng(5)
    truth = mean_of(list(drawn(rng, 50_000)))
    held = 0
    for _study in range(300):
        found = interval_of_mean(tables_of(drawn(rng, n)), clusters=np.arange(n))
        held += found.low <= truth <= found.high
    assert 0.905 <= held / 300 <= 0.985


@pytest.mark.parametrize("statistic", ["fleiss", "alpha_ordinal", "ac2", "exact"])
def test_of_one_criterion_it_is_that_of_the_criterion(statistic):
    values = next(drawn(np.random.default_rng(1), 40))
    owners = np.arange(40) // 2
    found = interval_of_mean(tables_of([values], statistic), clusters=owners)
    alone = many_raters(
        values, clusters=owners, points=POINTS, measurement="ordinal", only={statistic}
    )[statistic]
    if statistic != "exact":  # whose own interval is taken on the logit
        assert (found.low, found.high) == pytest.approx((alone.low, alone.high))
    assert found.low < alone.value < found.high


def test_the_same_criterion_twice_is_no_more_certain_than_once():
    values = next(drawn(np.random.default_rng(2), 30))
    once = interval_of_mean(tables_of([values]), clusters=np.arange(30))
    twice = interval_of_mean(tables_of([values, values]), clusters=np.arange(30))
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))


def test_too_few_dialogues_have_none():
    values = list(drawn(np.random.default_rng(3), 12))
    found = interval_of_mean(tables_of(values), clusters=np.arange(12) // 3)
    assert found.low is None
    assert found.notes == (Note.TOO_FEW_CLUSTERS,)
