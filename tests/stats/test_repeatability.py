"""Repeats of one judge on the same items."""

import numpy as np
import pytest

from analytics.stats.agreement import many_raters
from analytics.stats.estimates import Note
from analytics.stats.intervals import IntervalScale, Unit, jackknife_method
from analytics.stats.repeatability import repeatability, votes

NAN = np.nan
FIVE = (1, 2, 3, 4, 5)
# Four items with three repeats each: all equal; one of three differs; all differ; two repeats only.
BY_HAND = np.array([[1, 1, 1], [1, 1, 2], [1, 2, 3], [4, 5, NAN]])


def test_shares_worked_by_hand():
    found = repeatability(BY_HAND, points=FIVE, measurement="nominal")
    assert found["flip_rate"].value == pytest.approx((0 + 2 / 3 + 1 + 1) / 4)
    assert found["unanimous"].value == pytest.approx(1 / 4)
    two_of_three = -(2 / 3) * np.log2(2 / 3) - (1 / 3) * np.log2(1 / 3)
    assert found["entropy"].value == pytest.approx((0 + two_of_three + np.log2(3) + 1) / 4)
    assert (found["flip_rate"].n_items, found["flip_rate"].n_pairs) == (4, 10)


def test_of_two_repeats_to_differ_is_not_to_be_unanimous_and_one_bit():
    repeats = np.random.default_rng(3).integers(1, 4, (80, 2))
    found = repeatability(repeats, points=FIVE, measurement="nominal")
    flips, unanimous, bits = (found[name] for name in ("flip_rate", "unanimous", "entropy"))
    assert flips.value == pytest.approx(1 - unanimous.value) == pytest.approx(bits.value)
    assert (flips.low, flips.high) == pytest.approx((1 - unanimous.high, 1 - unanimous.low))
    assert flips.method == unanimous.method == jackknife_method(Unit.ITEM, IntervalScale.LOGIT)


def test_the_majority_is_not_guessed():
    found = votes(np.vstack([BY_HAND, [NAN, NAN, NAN], [2, NAN, NAN]]), points=FIVE)
    assert found.majority == pytest.approx([1, 1, NAN, NAN, NAN, 2], nan_ok=True)
    assert found.share == pytest.approx([1, 2 / 3, 1 / 3, 1 / 2, NAN, 1], nan_ok=True)
    assert found.n_ties == 2


@pytest.mark.parametrize(
    ("measurement", "names"),
    [
        ("nominal", {"alpha_nominal", "fleiss"}),
        ("ordinal", {"icc_11", "alpha_ordinal", "alpha_interval", "alpha_nominal", "fleiss"}),
    ],
)
def test_agreement_of_repeats_is_that_of_exchangeable_raters(measurement, names):
    rng = np.random.default_rng(4)
    repeats = np.clip(rng.integers(1, 6, (60, 1)) + rng.integers(0, 2, (60, 5)), 1, 5)
    options = {"clusters": np.arange(60) // 2, "points": FIVE, "measurement": measurement}
    found = repeatability(repeats, **options)
    assert set(found) == names | {"flip_rate", "unanimous", "entropy"}
    expected = many_raters(repeats, **options)
    assert all(found[name] == expected[name] for name in names)
    for estimate in found.values():
        assert estimate.low < estimate.value < estimate.high
        assert estimate.n_clusters == 30
        assert Note.FEW_REPEATS not in estimate.notes


@pytest.mark.parametrize("shape", [(49, 5), (80, 4)])
def test_few_repeats_or_items_are_a_first_look_only(shape):
    repeats = np.random.default_rng(1).integers(1, 4, shape)
    found = repeatability(repeats, points=FIVE, measurement="ordinal")
    assert all(Note.FEW_REPEATS in estimate.notes for estimate in found.values())


def test_a_judge_that_always_says_the_same_may_flip_as_often_as_its_items_allow():
    """None of 100 items flipped: at most 1 - 0.05^(1 / 100) do, with 95 % confidence."""
    found = repeatability(np.tile(FIVE, (5, 20)).T, points=FIVE, measurement="ordinal")
    flips, same = found["flip_rate"], found["unanimous"]
    assert (flips.value, flips.low, flips.high) == (0, 0, pytest.approx(1 - 0.05 ** (1 / 100)))
    assert (same.value, same.low, same.high) == (1, pytest.approx(0.05 ** (1 / 100)), 1)
    assert (found["icc_11"].value, found["icc_11"].note) == (1, Note.NO_DISAGREEMENT)


def test_one_run_repeats_nothing():
    found = repeatability(np.ones((30, 1)), points=FIVE, measurement="nominal")
    assert (found["flip_rate"].value, found["flip_rate"].note) == (None, Note.NO_OVERLAP)
    with pytest.raises(ValueError, match="items by repeats"):
        repeatability([1.0, 2.0], points=FIVE, measurement="nominal")


def test_five_recorded_runs_repeat_each_other_as_known(dialogue_safety):
    gold, runs = dialogue_safety
    found = repeatability(runs, points=range(8), measurement="nominal")
    assert found["fleiss"].value == pytest.approx(0.781, abs=5e-4)
    assert found["unanimous"].value == pytest.approx(0.726, abs=5e-4)
    assert found["flip_rate"].low < found["flip_rate"].value < found["flip_rate"].high
    told = votes(runs, points=range(8))
    assert told.n_ties == 10
    clear = np.isfinite(told.majority)
    assert (told.majority[clear] == gold[clear]).mean() == pytest.approx(0.486, abs=5e-4)
