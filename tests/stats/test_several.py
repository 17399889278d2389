"""Several differences together: p-values by the t of their intervals, and what stays clear."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analytics.stats.agreement import two_raters
from analytics.stats.intervals import IntervalScale, Unit, runs_method
from analytics.stats.several import clear_together, family, p_value

FIVE = (1, 2, 3, 4, 5)


def bias_of(shift, seed, n=60):
    rng = np.random.default_rng(seed)
    people = rng.integers(2, 5, n).astype(float)
    judge = people + rng.choice([-1, 0, 1], n, p=[0.3 - shift, 0.4, 0.3 + shift])
    found = two_raters(people, judge, points=FIVE, measurement="ordinal", only=["bias"])["bias"]
    return people, judge, found


@pytest.mark.parametrize(("shift", "seed"), [(0.0, 1), (0.1, 2), (0.2, 3)])
def test_of_items_that_stand_alone_the_p_value_is_that_of_the_paired_t_test(shift, seed):
    people, judge, bias = bias_of(shift, seed)
    assert p_value(bias) == pytest.approx(stats.ttest_rel(judge, people).pvalue)
    assert (p_value(bias) < 0.05) == (not bias.low <= 0 <= bias.high)


def test_without_an_interval_of_a_difference_there_is_no_p_value():
    people, judge, _ = bias_of(0.1, 2, n=4)
    found = two_raters(people, judge, points=FIVE, measurement="ordinal")
    assert p_value(found["bias"]) is None
    people, judge, _ = bias_of(0.1, 2)
    found = two_raters(people, judge, points=FIVE, measurement="ordinal")
    assert found["icc_a1"].low is not None
    assert p_value(found["icc_a1"]) is None


@pytest.mark.parametrize("unit", [Unit.ITEM, Unit.DIALOGUE])
def test_of_other_runs_it_is_that_of_the_fewest_runs_there_can_be(unit):
    """A mean of three runs has two degrees of freedom."""
    half = float(stats.t.ppf(0.975, 2))
    method = runs_method(unit, IntervalScale.PLAIN)
    bias = bias_of(0.1, 2)[2]
    found = replace(bias, value=1.5, low=1.5 - half, high=1.5 + half, method=method)
    assert p_value(found) == pytest.approx(2 * stats.t.sf(1.5, 2))


def test_a_family_says_which_of_all_are_clear():
    strong, nothing = bias_of(0.25, 9)[2], [bias_of(0.0, seed)[2] for seed in range(500, 506)]
    found = family([*nothing, strong])
    assert found.n == 7
    assert found.clear == {strong}
    assert family([]).n == 0


def test_what_is_clear_alone_may_not_be_among_seven():
    lone = next(one for seed in range(200) if 0.02 < p_value(one := bias_of(0.1, seed)[2]) < 0.05)
    nothing = [bias_of(0.0, seed)[2] for seed in range(500, 506)]
    assert clear_together([lone]) == [True]
    assert clear_together([*nothing, lone])[-1] is False
    strong = bias_of(0.25, 9)[2]
    assert clear_together([*nothing, strong])[-1] is True


def test_seven_true_nothings_rarely_give_a_finding():
    rng = np.random.default_rng(5)
    wrong = [
        any(clear_together([bias_of(0.0, int(seed), n=30)[2] for seed in row]))
        for row in rng.integers(0, 10**9, (300, 7))
    ]
    assert np.mean(wrong) <= 0.05
