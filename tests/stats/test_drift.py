"""Drift: what may be said of a judge that was checked again."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from analytics.stats.drift import Drift, check_drift, check_flips, least_for, needed_for, verdict
from analytics.stats.estimates import Estimate, Note

NAN = np.nan
RESIDUAL = Estimate(
    statistic="residual",
    value=0.0,
    low=-0.1,
    high=0.1,
    n_items=200,
    n_pairs=200,
    n_clusters=40,
    n_raters=2,
    method="jackknife by dialogue, plain scale, t",
)


@pytest.mark.parametrize(
    ("limits", "margin", "expected"),
    [
        ((-0.1, 0.1), 0.2, Drift.PASSED),
        ((-0.2, 0.2), 0.2, Drift.PASSED),
        ((-0.1, 0.3), 0.2, Drift.INCONCLUSIVE),
        ((-0.4, 0.4), 0.2, Drift.INCONCLUSIVE),
        ((0.21, 0.4), 0.2, Drift.FAILED),
        ((-0.4, -0.21), 0.2, Drift.FAILED),
        ((0.15, 0.4), 0.2, Drift.INCONCLUSIVE),
        ((-0.1, 0.1), None, Drift.NOT_GRADED),
        ((None, None), 0.2, Drift.INCONCLUSIVE),
    ],
)
def test_the_interval_decides(limits, margin, expected):
    low, high = limits
    assert verdict(replace(RESIDUAL, low=low, high=high), margin) is expected


@pytest.mark.parametrize(
    ("moved", "expected"), [(0.0, Drift.PASSED), (-0.2, Drift.PASSED), (0.5, Drift.FAILED)]
)
def test_where_every_dialogue_moved_alike_the_value_decides(moved, expected):
    alike = replace(RESIDUAL, value=moved, low=None, high=None, notes=(Note.NO_SPREAD,))
    assert verdict(alike, 0.2) is expected
    assert verdict(replace(alike, n_clusters=19), 0.2) is Drift.INCONCLUSIVE


def test_below_twenty_dialogues_nothing_passes_or_fails():
    assert verdict(replace(RESIDUAL, n_clusters=19), 0.2) is Drift.INCONCLUSIVE
    assert verdict(replace(RESIDUAL, low=0.5, high=0.6, n_clusters=19), 0.2) is Drift.INCONCLUSIVE


def test_the_residual_is_the_mean_difference_over_dialogues():
    rng = np.random.default_rng(1)
    dialogues = np.repeat(np.arange(30), 4)
    human = rng.integers(1, 6, 120).astype(float)
    judge = human + 0.3 + rng.normal(0, 0.4, 120)
    human[:3], judge[3:6] = NAN, NAN
    found = check_drift(human, judge, clusters=dialogues, margin=0.6)
    assert found.drift is Drift.PASSED
    assert found.residual.value == pytest.approx(np.nanmean(judge - human))
    assert (found.residual.n_items, found.residual.n_clusters) == (114, 29)
    assert check_drift(human, judge, clusters=dialogues, margin=0.1).drift is Drift.FAILED


def test_several_checks_at_once_need_wider_intervals():
    rng = np.random.default_rng(2)
    human, judge = rng.normal(3, 1, 60), rng.normal(3, 1, 60)
    one, seven = (check_drift(human, judge, margin=1, n_checks=n) for n in (1, 7))
    widths = [found.residual.high - found.residual.low for found in (one, seven)]
    expected = stats.t.ppf(1 - 0.025 / 7, 59) / stats.t.ppf(0.975, 59)
    assert widths[1] / widths[0] == pytest.approx(expected)
    assert one.residual.notes == seven.residual.notes == ()
    assert (one.confidence, seven.confidence) == (0.95, pytest.approx(1 - 0.05 / 7))


def test_without_a_probe_nothing_was_checked():
    found = check_drift([NAN, 3.0], [3.0, NAN], margin=0.3)
    assert found.drift is Drift.NOT_CHECKED
    assert found.residual.note is Note.NO_OVERLAP


def test_a_judge_that_always_errs_alike_is_judged_by_how_far():
    found = check_drift(np.full(40, 3.0), np.full(40, 4.0), margin=0.3)
    assert (found.drift, found.residual.note) == (Drift.FAILED, Note.NO_SPREAD)
    assert check_drift(np.full(40, 3.0), np.full(40, 3.0), margin=0.3).drift is Drift.PASSED


def test_a_margin_of_nought_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        check_drift([1.0], [1.0], margin=0)


FLIPS = [
    (0, 60, 0.1, Drift.PASSED),
    (3, 60, 0.1, Drift.INCONCLUSIVE),
    (20, 60, 0.1, Drift.FAILED),
    (0, 10, 0.1, Drift.INCONCLUSIVE),
    (10, 10, 0.1, Drift.FAILED),
    (0, 0, 0.1, Drift.NOT_CHECKED),
]


@pytest.mark.parametrize(("k", "n", "margin", "expected"), FLIPS)
def test_answers_that_changed_are_held_against_a_margin(k, n, margin, expected):
    found = check_flips([True] * k + [False] * (n - k), margin=margin)
    assert (found.drift, found.n_flipped, found.n_items) == (expected, k, n)


@pytest.mark.parametrize(("k", "n", "n_checks"), [(0, 60, 1), (3, 60, 1), (20, 61, 7), (5, 5, 2)])
def test_the_limits_are_those_of_clopper_and_pearson(k, n, n_checks):
    found = check_flips([True] * k + [False] * (n - k), margin=0.1, n_checks=n_checks)
    limits = proportion_confint(k, n, alpha=2 * 0.05 / n_checks, method="beta")
    assert (found.low, found.high) == pytest.approx(limits, abs=1e-12)
    assert found.confidence == pytest.approx(1 - 2 * 0.05 / n_checks)


@pytest.mark.parametrize(("margin", "n_checks"), [(0.1, 1), (0.1, 7), (0.05, 3)])
def test_fewer_answers_than_it_takes_never_pass(margin, n_checks):
    n = least_for(margin, n_checks=n_checks)
    verdicts = [
        check_flips([False] * one, margin=margin, n_checks=n_checks).drift for one in (n - 1, n)
    ]
    assert verdicts == [Drift.INCONCLUSIVE, Drift.PASSED]


@pytest.mark.parametrize(
    ("margin", "share", "n_checks"), [(0.1, 0, 1), (0.1, 0.025, 1), (0.1, 0.05, 7), (0.05, 0.01, 3)]
)
def test_as_many_as_are_planned_pass_in_four_of_five_times_and_fewer_do_not(
    margin, share, n_checks
):
    def passing(n):
        """How often one of several criteria passes, so that all do in four of five times."""
        verdicts = (
            check_flips(np.arange(n) < k, margin=margin, n_checks=n_checks).drift
            for k in range(int(n * margin) + 1)
        )
        passed = sum(1 for one in verdicts if one is Drift.PASSED)
        return binom.cdf(passed - 1, n, share)

    n = needed_for(margin, share, n_checks=n_checks)
    assert passing(n) >= 1 - 0.2 / n_checks > passing(n - 1)


@pytest.mark.parametrize("margin", [0.5, 0.94, 0.96, 0.999])
def test_where_one_answer_may_suffice_one_is_planned(margin):
    n = least_for(margin)
    assert needed_for(margin, 0) == n
    assert (1 - margin) ** n <= 0.05 < (1 - margin) ** (n - 1)


def test_a_judge_that_differs_as_often_as_the_margin_allows_is_not_planned_for():
    assert needed_for(0.1, 0.1) is None
    assert needed_for(0.1, 0.099) is None, "it would take more than 2,000"


def test_a_judge_at_the_margin_passes_in_one_of_twenty_at_most():
    margin, n = 0.1, 80
    passing = [
        k for k in range(n + 1) if check_flips([True] * k + [False] * (n - k), margin=margin).drift
        is Drift.PASSED
    ]  # fmt: skip
    assert stats.binom.cdf(max(passing), n, margin) <= 0.05


def test_a_margin_of_flips_is_a_share():
    with pytest.raises(ValueError, match="between 0 and 1"):
        check_flips([True], margin=1.5)
