"""Promises by class: what must hold at once, what is refused, and how often one is broken."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from analytics.stats.promises import (
    JointPromise,
    Risk,
    StrawMan,
    Tries,
    chance_of_order,
    descend,
    highest_rate,
    orders,
    straw_man_that_passes,
)

WRONG, PASSED, SLIPPED = Risk.WRONG, Risk.PASSED, Risk.SLIPPED
BY_CLASS = JointPromise(asked={WRONG: 0.1, PASSED: 0.1, SLIPPED: 0.2}, delta=0.05)
MARGINAL = JointPromise(asked={WRONG: 0.1}, delta=0.05)


@dataclass
class Seen:
    tries: Mapping[Risk, Tries]


def seen(wrong, passed=(0, 1000), slipped=(0, 1000)) -> Seen:
    return Seen({WRONG: Tries(*wrong), PASSED: Tries(*passed), SLIPPED: Tries(*slipped)})


@pytest.mark.parametrize(("wrong", "n"), [(0, 30), (1, 30), (5, 80), (79, 80), (80, 80)])
def test_the_upper_limit_is_the_exact_binomial_one(wrong, n):
    found = float(highest_rate(wrong, n, delta=0.1))
    if wrong == n:
        assert found == 1
    else:
        assert stats.binom.cdf(wrong, n, found) == pytest.approx(0.1)
        exact = stats.binomtest(wrong, n, alternative="less").proportion_ci(0.9, "exact")
        assert found == pytest.approx(exact.high)


def test_each_limit_has_its_part_of_the_chance_of_error():
    limit = BY_CLASS.limit(Tries(3, 80))
    assert stats.binom.cdf(3, 80, limit) == pytest.approx(0.05 / 3)
    assert MARGINAL.limit(Tries(3, 80)) < limit


@pytest.mark.parametrize(
    ("step", "broken"),
    [
        (seen((0, 1000)), ()),
        (seen((100, 1000)), (WRONG,)),
        (seen((0, 1000), passed=(12, 80)), (PASSED,)),
        (seen((0, 1000), slipped=(9, 20)), (SLIPPED,)),
        (seen((100, 1000), slipped=(9, 20)), (WRONG, SLIPPED)),
    ],
)
def test_all_limits_must_hold_at_once(step, broken):
    assert BY_CLASS.broken(BY_CLASS.limits(step)) == broken
    assert (descend([step], BY_CLASS).lowest is None) == bool(broken)


@pytest.mark.parametrize(("risk", "least"), [(WRONG, 39), (PASSED, 39), (SLIPPED, 19)])
def test_too_few_items_cannot_bound_a_share_whatever_comes_of_them(risk, least):
    assert BY_CLASS.least(risk) == least
    assert (
        BY_CLASS.limit(Tries(0, least))
        <= BY_CLASS.asked[risk]
        < BY_CLASS.limit(Tries(0, least - 1))
    )
    few = seen((0, 1000)).tries | {risk: Tries(0, least - 1)}
    assert BY_CLASS.lacking(Seen(few)) == (risk,)
    assert descend([Seen(few)], BY_CLASS).lowest is None
    enough = seen((0, 1000)).tries | {risk: Tries(0, least)}
    assert BY_CLASS.lacking(Seen(enough)) == ()


def test_fewer_than_thirty_answers_promise_nothing():
    assert JointPromise(asked={WRONG: 0.3}, delta=0.05).least(WRONG) == 30


def test_the_descent_begins_where_there_are_enough_items_and_ends_at_the_first_failure():
    steps = [seen((0, 10)), seen((0, 60)), seen((1, 100)), seen((30, 150)), seen((30, 9000))]
    found = descend(steps, BY_CLASS)
    assert (found.n_lacking, found.n_kept, found.lowest, found.is_whole) == (1, 2, 2, False)
    assert descend(steps[:3], BY_CLASS).is_whole
    assert not descend(steps[:1], BY_CLASS).is_whole
    assert descend([], BY_CLASS).lowest is None


@pytest.mark.parametrize("share", [0, 1])
def test_a_promise_of_nothing_is_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        JointPromise(asked={WRONG: share}, delta=0.05)


def test_the_order_is_tested_by_ranks():
    rng = np.random.default_rng(3)
    sure = rng.integers(0, 6, 300) / 5
    bad = rng.random(300) < 0.4 - 0.3 * sure
    known = stats.mannwhitneyu(sure[bad], sure[~bad], alternative="less", method="asymptotic")
    assert chance_of_order(sure, bad) == pytest.approx(known.pvalue, rel=1e-9)
    assert orders(chance_of_order(sure, bad))
    assert not orders(chance_of_order(-sure, bad))


@pytest.mark.parametrize("bad", [[False] * 4, [True] * 4])
def test_nothing_is_ordered_where_all_are_alike(bad):
    assert chance_of_order([1, 2, 3, 4], bad) is None
    assert chance_of_order([1, 1, 1, 1], [True, False, True, False]) is None
    assert not orders(None)


@pytest.mark.parametrize(
    ("promise", "accepted", "passes"),
    [(MARGINAL, 1.0, True), (BY_CLASS, 1.0, False), (BY_CLASS, 0.2, True), (BY_CLASS, 0.21, False)],
)
def test_a_judge_that_never_flags_passes_unless_what_slips_is_bounded(promise, accepted, passes):
    never = StrawMan(says=5, flags=False, n_wrong=10, n_flagged=10, n=1000)
    other = StrawMan(says=4, flags=False, n_wrong=20, n_flagged=10, n=1000)
    found = straw_man_that_passes([other, never], promise, accepted=accepted)
    assert found == (never if passes else None)


def test_a_judge_that_always_flags_passes_where_nearly_all_is_flagged():
    always = StrawMan(says=1, flags=True, n_wrong=10, n_flagged=990, n=1000)
    assert straw_man_that_passes([always], BY_CLASS, accepted=1.0) == always
    often = StrawMan(says=1, flags=True, n_wrong=500, n_flagged=500, n=1000)
    assert straw_man_that_passes([often], BY_CLASS, accepted=1.0) is None


def test_one_that_breaks_a_promise_by_a_hair_may_have_kept_it():
    """10 % wrong where 10 % may be: with other items it would have been 9 %."""
    near = StrawMan(says=5, flags=False, n_wrong=100, n_flagged=100, n=1000)
    tenth = JointPromise(asked={Risk.WRONG: 0.1}, delta=0.05)
    assert tenth.broken(near.limits(tenth, accepted=1.0)) == (Risk.WRONG,)
    assert straw_man_that_passes([near], tenth, accepted=1.0) == near
    far = StrawMan(says=5, flags=False, n_wrong=130, n_flagged=130, n=1000)
    assert straw_man_that_passes([far], tenth, accepted=1.0) is None


def test_no_more_promises_are_broken_than_delta_allows():
    """By a judge who is right as often as it is confident, from half to always."""
    rng, asked = np.random.default_rng(7), JointPromise(asked={WRONG: 0.2}, delta=0.1)
    kept = broken = 0
    for _ in range(200):
        confidence = np.sort(rng.uniform(0.5, 1, 500))[::-1]
        n_wrong = np.cumsum(rng.random(500) >= confidence)
        found = descend([seen((bad, n)) for n, bad in enumerate(n_wrong, start=1)], asked)
        if found.lowest is not None:
            kept += 1
            broken += 1 - (confidence[found.lowest] + 1) / 2 > 0.2
    assert kept > 130
    assert broken <= 0.1 * 200
