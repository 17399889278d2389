"""How many items, raters and positives a precision takes."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analytics.stats.agreement import two_raters
from analytics.stats.alternative import benjamini_yekutieli
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import IntervalScale, Unit, jackknife_method, limits
from analytics.stats.planning import (
    MOST_RATERS,
    detectable,
    items_for_bound,
    items_for_icc,
    needed_for_width,
    positives_for_miss_rate,
    positives_for_share,
    raters_for_icc,
    raters_for_mean,
)
from analytics.stats.promises import highest_rate

MULTIPLIER = 2.80  # of the standard error: Bloom (1995), 80 % power, two sides, 5 %
T_50 = 2.0095752371292397  # qt(.975, 49)


def estimate(
    value, low, high, *, scale=IntervalScale.PLAIN, n_items=200, n_clusters=50
) -> Estimate:
    return Estimate(
        statistic="icc_a1",
        value=value,
        low=low,
        high=high,
        n_items=n_items,
        n_pairs=n_items,
        n_clusters=n_clusters,
        n_raters=2,
        method=jackknife_method(Unit.DIALOGUE, scale),
    )


def test_bonett(goldens):
    for told in goldens["bonett"]:
        found = items_for_icc(told["rho"], told["k"], told["w"], corrected=False)
        assert found == pytest.approx(told["n"], abs=0.05)
    assert items_for_icc(0.8, 2, 0.2) == pytest.approx(50.785 + 4, abs=1e-3)
    assert items_for_icc(0.6, 2, 0.2) == items_for_icc(0.6, 2, 0.2, corrected=False)


@pytest.mark.parametrize(
    ("icc", "k", "width"), [(1, 2, 0.2), (-0.1, 2, 0.2), (0.5, 1, 0.2), (0.5, 2, 0)]
)
def test_a_plan_that_makes_no_sense_is_refused(icc, k, width):
    with pytest.raises(ValueError, match="ICC"):
        items_for_icc(icc, k, width)


@pytest.mark.parametrize("rate", [0, 1, -1])
def test_a_miss_rate_outside_nought_and_one_is_refused(rate):
    with pytest.raises(ValueError, match="between 0 and 1"):
        positives_for_miss_rate(rate)


@pytest.mark.parametrize(
    ("icc", "n_items", "width", "expected"),
    [(0.6, 159, 0.2, 2), (0.6, 158, 0.2, 3), (0.6, 101, 0.2, 3), (0.6, 100, 0.2, 4)],
)
def test_more_raters_make_up_for_items_as_bonett_has_it(icc, n_items, width, expected):
    assert raters_for_icc(icc, n_items, width) == expected


def test_no_more_raters_are_planned_than_may_be():
    items = items_for_icc(0.3, MOST_RATERS, 0.01)
    assert raters_for_icc(0.3, math.ceil(items), 0.01) == MOST_RATERS
    assert raters_for_icc(0.3, math.floor(items), 0.01) is None


def test_no_number_of_raters_makes_up_for_very_few_items():
    assert raters_for_icc(0.6, 10, 0.2) is None


@pytest.mark.parametrize(
    ("icc", "reliability", "expected"),
    [(0.5, 0.8, 4), (0.5, 0.5, 1), (0.9, 0.8, 1), (0.25, 0.75, 9), (0.0, 0.8, None)],
)
def test_the_mean_of_more_raters_is_more_reliable(icc, reliability, expected):
    assert raters_for_mean(icc, reliability) == expected


@pytest.mark.parametrize("reliability", [0, 1])
def test_a_reliability_lies_between_nought_and_one(reliability):
    with pytest.raises(ValueError, match="between 0 and 1"):
        raters_for_mean(0.5, reliability)


@pytest.mark.parametrize("scale", IntervalScale)
def test_the_width_there_is_takes_what_there_is(scale):
    low, high = limits(np.asarray(0.6), np.asarray(0.05), 49, scale)
    now = estimate(0.6, float(low), float(high), scale=scale)
    found = needed_for_width(now, now.high - now.low)
    assert (found.n_clusters, found.n_items) == (50, 200)
    assert (found.more_items, found.more_clusters) == (0, 0)


def test_a_quarter_of_the_width_takes_sixteen_times_the_dialogues_less_what_t_gives():
    found = needed_for_width(estimate(0.5, 0.3, 0.7), 0.1)
    error = 0.2 / T_50 * math.sqrt(50)
    assert found.n_clusters == pytest.approx((1.96 * error / 0.05) ** 2, rel=0.01)
    assert found.n_items == 4 * found.n_clusters
    assert found.more_items == found.n_items - 200
    assert 700 < found.n_clusters < 800


def test_blocks_of_dialogues_stay_as_many_so_t_stays_as_it_is():
    method = jackknife_method(Unit.BLOCK, IntervalScale.PLAIN)
    found = needed_for_width(replace(estimate(0.5, 0.3, 0.7), method=method), 0.1)
    assert found.n_clusters == 16 * 50


def test_a_wider_interval_takes_less_than_there_is():
    found = needed_for_width(estimate(0.5, 0.45, 0.55), 0.4)
    assert found.n_items < 200
    assert (found.more_items, found.more_clusters) == (0, 0)


def test_fewer_than_five_dialogues_never_suffice():
    assert needed_for_width(estimate(0.5, 0.49, 0.51), 1.9).n_clusters == 5


@pytest.mark.parametrize(
    "absent",
    [{"method": None}, {"low": None}, {"value": None}, {"method": "bootstrap by item, percentile"}],
)
def test_without_a_jackknife_interval_there_is_nothing_to_scale(absent):
    assert needed_for_width(replace(estimate(0.5, 0.3, 0.7), **absent), 0.2) is None


def test_a_width_out_of_reach_is_none():
    assert needed_for_width(estimate(0.5, 0.3, 0.7), 1e-5) is None


def test_a_width_of_nothing_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        needed_for_width(estimate(0.5, 0.3, 0.7), 0)


def test_as_many_items_as_were_planned_give_about_the_width():
    rng = np.random.default_rng(4)

    def found(n):
        meant = rng.normal(size=n)
        x, y = (np.clip(np.round(3 + meant + 0.7 * rng.normal(size=n)), 1, 5) for _ in range(2))
        return two_raters(x, y, points=range(1, 6), measurement="ordinal", only={"icc_a1"})[
            "icc_a1"
        ]

    planned = needed_for_width(found(80), 0.1)
    reached = found(planned.n_items)
    assert reached.high - reached.low == pytest.approx(0.1, rel=0.35)


@pytest.mark.parametrize(
    ("share", "reach", "expected"), [(0.9, 0.1, 35), (0.5, 0.1, 97), (0.9, 0.05, 139), (1, 0.1, 1)]
)
def test_positives_for_a_sensitivity_are_those_of_buderer(share, reach, expected):
    assert positives_for_share(share, reach) == expected


@pytest.mark.parametrize(("share", "reach"), [(1.1, 0.1), (-0.1, 0.1), (0.5, 0), (0.5, 1)])
def test_a_share_that_makes_no_sense_is_refused(share, reach):
    with pytest.raises(ValueError, match="share lies"):
        positives_for_share(share, reach)


@pytest.mark.parametrize(
    ("rate", "alpha", "expected"), [(0, 0.1, 29), (0, 0.05, 59), (0, 0.01, 299), (0.1, 0.1, None)]
)
def test_items_for_a_bound_follow_the_rule_of_three(rate, alpha, expected):
    assert items_for_bound(rate, alpha=alpha, delta=0.05) == expected


def test_items_for_a_bound_are_the_first_that_reach_it():
    n = items_for_bound(0.05, alpha=0.1, delta=0.05)
    assert highest_rate(math.ceil(0.05 * n), n, delta=0.05) <= 0.1
    assert highest_rate(math.ceil(0.05 * (n - 1)), n - 1, delta=0.05) > 0.1


def test_a_rate_just_below_the_bound_takes_more_items_than_anyone_has():
    assert items_for_bound(0.0999, alpha=0.1, delta=0.05) is None


@pytest.mark.parametrize(("alpha", "delta"), [(0, 0.1), (1, 0.1), (0.1, 0), (0.1, 1)])
def test_a_bound_that_makes_no_sense_is_refused(alpha, delta):
    with pytest.raises(ValueError, match="between 0 and 1"):
        items_for_bound(0, alpha=alpha, delta=delta)


def test_what_may_be_seen_in_four_of_five_cases_is_blooms_multiple_of_the_standard_error():
    found = estimate(0.5, 0.5 - 1.96 * 0.1, 0.5 + 1.96 * 0.1)
    assert detectable(found) == pytest.approx(MULTIPLIER * 0.1, abs=5e-4)


@pytest.mark.parametrize(("low", "high"), [(None, 0.7), (0.3, None)])
def test_without_a_whole_interval_it_is_not_known(low, high):
    assert detectable(estimate(0.5, low, high)) is None


@pytest.mark.parametrize("n_tests", [1, 7])
def test_what_may_be_seen_among_several_tests_is_seen_four_times_in_five(n_tests):
    """One difference among nothings, false discoveries held down together (Benjamini-Yekutieli)."""
    found = estimate(0.0, -0.196, 0.196)
    rng = np.random.default_rng(20250613)
    true = np.array([detectable(found, n_tests=n_tests), *[0.0] * (n_tests - 1)])
    z = (true + rng.normal(0, 0.1, (4000, n_tests))) / 0.1
    seen = np.mean([benjamini_yekutieli(2 * stats.norm.sf(np.abs(one)))[0] for one in z])
    assert seen == pytest.approx(0.8, abs=0.03)
