"""Routing: what the judge may decide alone, with which promise, and what is audited anyway."""

import numpy as np
import pytest
from scipy import stats

from analytics.stats.estimates import Note
from analytics.stats.repeatability import votes
from analytics.stats.routing import (
    audit_slice,
    certify,
    conformal,
    curve,
    highest_rate,
    n_passed,
    one_each,
)

FIVE = (1, 2, 3, 4, 5)
NAN = np.nan


def judged(rng, n=500):
    """A judge who is right as often as it is confident, from half to always."""
    confidence = rng.uniform(0.5, 1, n)
    return confidence, rng.random(n) < confidence


@pytest.mark.parametrize(("wrong", "n"), [(0, 30), (1, 30), (5, 80), (79, 80), (80, 80)])
def test_the_upper_limit_is_the_exact_binomial_one(wrong, n):
    found = float(highest_rate(wrong, n, delta=0.1))
    if wrong == n:
        assert found == 1
    else:
        assert stats.binom.cdf(wrong, n, found) == pytest.approx(0.1)
        exact = stats.binomtest(wrong, n, alternative="less").proportion_ci(0.9, "exact")
        assert found == pytest.approx(exact.high)


def test_the_sequence_goes_down_until_the_first_failure():
    confidence = np.repeat([0.9, 0.8, 0.7, 0.6], 50)
    is_right = np.ones(200, dtype=bool)
    is_right[[0, 50, *range(100, 112)]] = False
    found = certify(confidence, is_right, alpha=0.1, delta=0.1)
    assert found.threshold == 0.8
    assert found.coverage == 0.5
    assert [(step.threshold, step.n_items, step.n_wrong) for step in found.steps] == [
        (0.9, 50, 1),
        (0.8, 100, 2),
        (0.7, 150, 14),
    ]
    assert [step.bound <= 0.1 for step in found.steps] == [True, True, False]
    assert found.needs_person([0.95, 0.8, 0.79, NAN]).tolist() == [False, False, True, True]
    assert found.notes == ()


def test_what_would_pass_below_a_failure_is_not_tried():
    confidence = np.repeat([0.9, 0.8], [40, 400])
    is_right = np.ones(440, dtype=bool)
    is_right[:4] = False
    found = certify(confidence, is_right, alpha=0.1, delta=0.1)
    assert found.threshold is None
    assert len(found.steps) == 1
    assert found.needs_person(confidence).all()
    later = certify(confidence, is_right, alpha=0.1, delta=0.1, thresholds=[0.8])
    assert later.threshold == 0.8


def test_the_sequence_begins_where_thirty_items_are_left():
    confidence, is_right = judged(np.random.default_rng(1))
    found = certify(confidence, is_right, alpha=0.2, delta=0.1)
    assert found.steps[0].n_items == 30
    assert found.steps[0].threshold == np.sort(confidence)[-30]
    grid = np.linspace(0, 1, 101)
    coarse = certify(confidence, is_right, alpha=0.2, delta=0.1, thresholds=grid)
    assert coarse.threshold in grid


def test_fewer_than_thirty_items_certify_nothing():
    confidence, is_right = judged(np.random.default_rng(1), n=29)
    found = certify(confidence, is_right, alpha=0.5, delta=0.2)
    assert (found.threshold, found.steps) == (None, ())
    assert found.notes == (Note.TOO_FEW_LABELS,)


def test_items_of_one_dialogue_are_said():
    confidence, is_right = judged(np.random.default_rng(1))
    shared = certify(confidence, is_right, alpha=0.2, delta=0.1, clusters=np.arange(500) // 2)
    assert shared.notes == (Note.SHARED_DIALOGUES,)
    alone = certify(confidence, is_right, alpha=0.2, delta=0.1, clusters=np.arange(500))
    assert alone.notes == ()


def test_the_promise_is_kept():
    rng = np.random.default_rng(7)
    broken = certified = 0
    for _ in range(200):
        found = certify(*judged(rng), alpha=0.2, delta=0.1)
        if found.threshold is not None:
            certified += 1
            broken += 1 - (found.threshold + 1) / 2 > 0.2
    assert certified > 130
    assert broken <= 0.1 * 200


@pytest.mark.parametrize(("alpha", "delta"), [(0, 0.1), (1, 0.1), (0.1, 0), (0.1, 1)])
def test_a_promise_that_makes_no_sense_is_refused(alpha, delta):
    with pytest.raises(ValueError, match="between 0 and 1"):
        certify([0.5], [True], alpha=alpha, delta=delta)


def test_votes_of_recorded_runs_certify_nothing(dialogue_safety):
    gold, runs = dialogue_safety
    told = votes(runs, points=range(8))
    found = certify(told.share, told.majority == gold, alpha=0.3, delta=0.1)
    assert found.threshold is None
    assert found.steps[0].n_items == 581
    assert found.steps[0].bound > 0.5


def test_the_reach_is_the_quantile_with_one_item_more():
    judge = np.zeros(19)
    human = np.array([0.0] * 10 + [1] * 5 + [2] * 3 + [3])
    options = {"points": range(-5, 6)}
    found = conformal(judge, human, alpha=0.1, **options)
    assert (found.reach, found.n_items) == (2, 19)
    assert conformal(judge, human, alpha=0.05, **options).reach == 3
    assert conformal(judge, human, alpha=0.04, **options).reach is None


def test_intervals_stay_on_the_scale():
    found = conformal(
        np.full(99, 3.0), np.tile([3.0, 4.5], 50)[:99], points=np.arange(1, 5.5, 0.5), alpha=0.1
    )
    assert found.reach == 1.5
    low, high = found.intervals([1, 3, 4.8, NAN])
    assert low == pytest.approx([1, 1.5, 3.3, NAN], nan_ok=True)
    assert high == pytest.approx([2.5, 4.5, 5, NAN], nan_ok=True)
    low, high = found.intervals([3.1, 3.4], snap=0.2)
    assert low == pytest.approx([1.5, 2.0])
    assert high == pytest.approx([4.5, 5.0])


def test_too_few_items_leave_the_whole_scale():
    found = conformal([3.0] * 8, [3.0] * 8, points=FIVE, alpha=0.1)
    assert found.reach is None
    low, high = found.intervals([4.0])
    assert (low.tolist(), high.tolist()) == ([1], [5])


def test_intervals_cover_as_promised():
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(100):
        human = rng.choice(FIVE, 300).astype(float)
        judge = human + rng.normal(0, 0.8, 300)
        found = conformal(judge[:100], human[:100], points=FIVE, alpha=0.1)
        low, high = found.intervals(judge[100:])
        inside.append(((low <= human[100:]) & (human[100:] <= high)).mean())
    assert 0.9 <= np.mean(inside) < 0.93


@pytest.mark.parametrize(("alpha", "snap"), [(0, 0), (1, 0), (0.1, 0.6), (0.1, -0.1)])
def test_intervals_that_make_no_sense_are_refused(alpha, snap):
    with pytest.raises(ValueError, match=r"between 0 and 1|half a step"):
        conformal([3.0] * 30, [3.0] * 30, points=FIVE, alpha=alpha).intervals([3.0], snap=snap)


def test_an_audit_slice_hangs_on_id_and_seed_alone():
    ids = np.arange(20_000)
    drawn = audit_slice(ids, share=0.05, seed=11)
    assert drawn.mean() == pytest.approx(0.05, abs=5e-3)
    assert (audit_slice(ids, share=0.05, seed=11) == drawn).all()
    assert (audit_slice(ids[::-1], share=0.05, seed=11)[::-1] == drawn).all()
    assert (audit_slice(ids[:500], share=0.05, seed=11) == drawn[:500]).all()
    assert audit_slice(ids, share=0.1, seed=11)[drawn].all()
    other = audit_slice(ids, share=0.05, seed=12)
    assert (other & drawn).mean() == pytest.approx(0.0025, abs=1e-3)


@pytest.mark.parametrize(("share", "expected"), [(0, False), (1, True)])
def test_none_and_all_may_be_audited(share, expected):
    assert (audit_slice([1, 2, 3], share=share, seed=0) == expected).all()


def test_the_draw_is_splitmix64():
    # The first numbers of the generator seeded with 1234567, as published with it.
    published = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    for item, number in enumerate(published):
        at = (number >> 11) / 2**53
        assert not audit_slice([item], share=at, seed=1234567)[0]
        assert audit_slice([item], share=at + 1e-9, seed=1234567)[0]


def test_a_share_that_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        audit_slice([1], share=1.5, seed=0)


def test_the_curve_tells_every_threshold_and_certifying_stops_at_the_first_that_fails():
    confidence = np.repeat([0.9, 0.8, 0.7], 100)
    is_right = np.concatenate([np.ones(100), np.arange(100) % 2, np.ones(100)]).astype(bool)
    told = curve(confidence, is_right, delta=0.05)
    assert [step.n_items for step in told] == [100, 200, 300]
    assert [step.n_wrong for step in told] == [0, 50, 50]
    assert n_passed(told, alpha=0.2) == 1, "300 items would pass, but come after a failure"
    assert n_passed(told, alpha=0.4) == 3
    assert certify(confidence, is_right, alpha=0.2, delta=0.05).steps == told[:2]


def test_one_item_of_each_dialogue_is_drawn_and_stays_drawn():
    ids, owners = np.arange(1, 401), np.repeat(np.arange(100), 4)
    chosen = ids % 3 > 0
    drawn = one_each(ids, owners, chosen, seed=1)
    assert (np.bincount(owners[drawn], minlength=100) == 1).all()
    assert chosen[drawn].all()
    again = one_each(ids[::-1], owners[::-1], chosen[::-1], seed=1)
    assert (again[::-1] == drawn).all(), "the order of the items is of no matter"
    assert not (one_each(ids, owners, chosen, seed=2) == drawn).all()
    assert len(set((np.flatnonzero(drawn) % 4).tolist())) > 1, "not always the first"


def test_from_nothing_nothing_is_drawn():
    assert not one_each([1, 2], [1, 1], [False, False], seed=1).any()
