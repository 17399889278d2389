"""What a judge can reach against people who err: in theory, and in ratings that are drawn."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.stats.agreement import two_raters
from analytics.stats.attainable import (
    at_most,
    least_reliability_for,
    of_the_truth,
    reliability_for,
)
from analytics.stats.estimates import Estimate
from analytics.stats.moments import STATISTICS, rows

N = 100_000
RELIABILITIES = (0.1, 0.3, 0.57, 0.9)


def agree_by(value, statistic="icc_a1"):
    return Estimate(
        statistic=statistic,
        value=value,
        low=value,
        high=value,
        n_items=1,
        n_pairs=1,
        n_clusters=1,
        n_raters=2,
    )


def reached(person, judge, statistic):
    return float(STATISTICS[statistic].compute(rows(person, judge, centre=0).sum(axis=0)))


def drawn(reliability, *, n_people=1):
    """True scores and the mean of so many people, whose ratings have variance 1 each."""
    rng = np.random.default_rng([round(100 * reliability), n_people])
    truth = rng.normal(0, np.sqrt(reliability), N)
    errors = rng.normal(0, np.sqrt((1 - reliability) / n_people), N)
    return truth, truth + errors


@pytest.mark.parametrize("statistic", ["icc_a1", "icc_c1"])
@pytest.mark.parametrize("reliability", RELIABILITIES)
def test_the_truth_reaches_what_is_said_and_who_spreads_as_people_do_the_bound(
    statistic, reliability
):
    truth, person = drawn(reliability)
    people = agree_by(reliability)
    most = at_most(people, statistic).value
    assert reached(person, truth, statistic) == pytest.approx(
        of_the_truth(people, statistic).value, abs=0.01
    )
    by_stretch = [reached(person, truth * by, statistic) for by in np.linspace(0.2, 4, 39)]
    as_people = truth / np.sqrt(reliability)
    assert reached(person, as_people, statistic) == pytest.approx(most, abs=0.01)
    assert max(by_stretch) <= most + 0.01


@pytest.mark.parametrize("bound", [at_most, of_the_truth])
def test_it_is_as_sure_as_the_agreement_of_people(bound):
    people = replace(agree_by(0.5), low=0.3, high=0.7)
    found = bound(people, "icc_a1")
    ends = tuple(bound(agree_by(end), "icc_a1").value for end in (0.3, 0.7))
    assert (found.low, found.high) == ends
    unsure = bound(replace(people, low=None, high=None), "icc_a1")
    assert (unsure.value, unsure.low, unsure.high) == (found.value, None, None)


@pytest.mark.parametrize("k", [2, 5])
def test_beside_a_mean_of_people_it_is_their_reliability_together(k):
    truth, consensus = drawn(0.3, n_people=k)
    together = agree_by(k * 0.3 / (1 + (k - 1) * 0.3))
    assert reached(consensus, truth, "icc_a1") == pytest.approx(
        of_the_truth(together, "icc_a1").value, abs=0.01
    )
    stretched = truth * np.std(consensus) / np.std(truth)
    assert reached(consensus, stretched, "icc_a1") == pytest.approx(
        at_most(together, "icc_a1").value, abs=0.01
    )


def test_people_who_differ_in_level_leave_less_to_reach_by_the_same_rule():
    """A judge beside people together, whose severity is part of what they err by."""
    rng = np.random.default_rng(8)
    truth = rng.normal(0, 1, N)
    severity = rng.normal(0, 0.7, 400)
    person = truth + severity[rng.integers(0, 400, N)] + rng.normal(0, 0.9, N)
    together = agree_by(1 / (1 + severity.var() + 0.9**2))
    assert reached(person, truth, "icc_a1") == pytest.approx(
        of_the_truth(together, "icc_a1").value, abs=0.02
    )


@pytest.mark.parametrize("q", [2, 3, 5])
def test_no_judge_exceeds_the_bound_of_kappa(q):
    """Of items with chances of each label of their own: who gives the likeliest, or by lot."""
    rng = np.random.default_rng(q)
    for concentration in (0.3, 1.0, 4.0, 20.0):
        chances = rng.dirichlet(rng.dirichlet(np.ones(q)) * concentration + 0.01, size=400)
        margin = chances.mean(axis=0)
        by_chance = (margin**2).sum()
        people = agree_by(((chances**2).sum(axis=1).mean() - by_chance) / (1 - by_chance), "kappa")
        most = at_most(people, "kappa").value
        for judge in (chances.argmax(axis=1), *rng.integers(0, q, (20, 400))):
            shares = np.bincount(judge, minlength=q) / judge.size
            expected = float((shares * margin).sum())
            seen = float(chances[np.arange(judge.size), judge].mean())
            if expected < 1:
                assert (seen - expected) / (1 - expected) <= most + 1e-9


@pytest.mark.parametrize("prevalence", [0.02, 0.1, 0.5])
def test_with_two_labels_the_truth_lies_between_what_it_would_as_a_score_and_the_bound(prevalence):
    rng = np.random.default_rng(round(1000 * prevalence))
    for _ in range(200):
        finds, passes = rng.uniform(0.55, 1, 2)
        flagged = prevalence * finds + (1 - prevalence) * (1 - passes)
        shared = (finds + passes - 1) * prevalence * (1 - prevalence)
        spread = flagged * (1 - flagged)
        people = agree_by((finds + passes - 1) * shared / spread, "kappa")
        chance = flagged * (1 - prevalence) + prevalence * (1 - flagged)
        truth = 2 * shared / chance
        assert truth <= of_the_truth(people, "kappa").value + 1e-9
        assert truth >= of_the_truth(people, "icc_a1").value - 1e-9


def test_quadratic_kappa_of_points_is_bounded_likewise():
    rng = np.random.default_rng(5)
    truth = rng.normal(0, 1, 60_000)
    one, other = (
        np.clip(np.round(3 + truth + rng.normal(0, 1, truth.size)), 1, 5) for _ in range(2)
    )

    def found(x, y):
        return two_raters(
            x, y, points=(1, 2, 3, 4, 5), measurement="ordinal", only={"kappa_quadratic"}
        )["kappa_quadratic"]

    most = at_most(found(one, other), "kappa_quadratic").value
    for by in (0.5, 1.0, 1.5, 2.5):
        assert found(one, np.clip(np.round(3 + by * truth), 1, 5)).value <= most + 0.01


@pytest.mark.parametrize("statistic", ["icc_a1", "icc_c1", "kappa", "kappa_quadratic"])
@pytest.mark.parametrize("reliability", RELIABILITIES)
def test_the_truth_never_exceeds_the_bound_and_both_can_be_turned_round(statistic, reliability):
    people = agree_by(reliability)
    truth, most = of_the_truth(people, statistic).value, at_most(people, statistic).value
    assert reliability < truth <= most
    assert reliability_for(truth, statistic) == pytest.approx(reliability)
    assert least_reliability_for(most, statistic) == pytest.approx(reliability)


def test_people_who_never_agree_make_nothing_possible_and_a_share_of_labels_has_no_bound():
    for known in (of_the_truth, at_most):
        assert known(agree_by(-0.2), "icc_a1").value == 0
        assert known(agree_by(0.5), "ac1") is None
        assert known(agree_by(None), "icc_a1") is None
    assert reliability_for(0.5, "ac1") is None
