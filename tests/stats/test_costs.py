"""What a way of working costs, and how far the limits of that reach."""

import numpy as np
import pytest
from scipy import stats

from analytics.stats.costs import Costs, Outcomes, expected_cost

DEAR = Costs(miss=100, alarm=2)


def test_a_thousand_items_cost_their_misses_alarms_and_looks():
    found = expected_cost(Outcomes(missed=2, alarms=10, seen=50, n=200), DEAR)
    assert found.value == pytest.approx(1000 * (0.01 * 100 + 0.05 * 2 + 0.25))
    assert found.low < found.value < found.high
    assert (found.n_items, found.n_pairs, found.n_clusters, found.n_raters) == (200, 200, 200, 2)


@pytest.mark.parametrize("n_missed", [0, 3, 40])
def test_of_one_share_alone_the_limits_are_exact(n_missed):
    found = expected_cost(Outcomes(n_missed, alarms=5, seen=None, n=40), Costs(miss=2, alarm=0))
    exact = stats.binomtest(n_missed, 40).proportion_ci(0.95, method="exact")
    assert (found.low, found.high) == pytest.approx((2000 * exact.low, 2000 * exact.high))


def test_limits_of_a_sum_reach_as_far_as_the_root_of_squares():
    """Zou & Donner (2008): how far the limits of each part reach, squared, added, rooted."""
    missed = expected_cost(Outcomes(4, 0, None, 60), Costs(miss=3, alarm=0))
    seen = expected_cost(Outcomes(0, 0, 20, 60), Costs(miss=0, alarm=0))
    both = expected_cost(Outcomes(4, 0, 20, 60), Costs(miss=3, alarm=0))
    assert both.value == pytest.approx(missed.value + seen.value)
    none_missed = expected_cost(Outcomes(0, 0, 20, 60), Costs(miss=3, alarm=0))
    assert none_missed.low == pytest.approx(seen.low)
    assert none_missed.high > seen.high
    assert both.value - both.low == pytest.approx(
        np.hypot(missed.value - missed.low, seen.value - seen.low)
    )
    assert both.high - both.value == pytest.approx(
        np.hypot(missed.high - missed.value, seen.high - seen.value)
    )


def test_no_miss_in_few_items_is_not_none_at_all():
    few = expected_cost(Outcomes(missed=0, alarms=0, seen=None, n=40), DEAR)
    many = expected_cost(Outcomes(missed=0, alarms=0, seen=None, n=4000), DEAR)
    assert few.value == many.value == few.low == 0
    assert few.high > 50 * many.high / 100 > 0


def test_without_items_there_is_no_cost():
    found = expected_cost(Outcomes(missed=0, alarms=0, seen=0, n=0), DEAR)
    assert (found.value, found.low, found.high, found.method) == (None, None, None, None)


@pytest.mark.parametrize("shares", [(0.01, 0.1, 0.3), (0.002, 0.02, 0.0), (0.2, 0.2, 0.5)])
def test_the_limits_hold_as_often_as_they_say(shares):
    rng = np.random.default_rng(11)
    truth = expected_cost(Outcomes(*(round(10_000 * one) for one in shares), 10_000), DEAR).value
    drawn = rng.multinomial(150, [*shares, 1 - sum(shares)], size=400)
    made = (expected_cost(Outcomes(*map(int, one[:3]), 150), DEAR) for one in drawn)
    assert np.mean([one.low <= truth <= one.high for one in made]) >= 0.95
