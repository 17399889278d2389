"""Repeats of one judge on the same items."""

import numpy as np
import pytest

from analytics.stats.accuracy import accuracy
from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.estimates import Note
from analytics.stats.repeatability import mean_agreement, repeatability, votes

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


def test_a_judge_that_always_says_the_same_has_no_interval():
    found = repeatability(np.tile(FIVE, (5, 20)).T, points=FIVE, measurement="ordinal")
    assert (found["flip_rate"].value, found["flip_rate"].note) == (0, Note.NO_SPREAD)
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


def test_the_published_row_is_the_mean_of_five_recorded_runs(dialogue_safety):
    gold, runs = dialogue_safety
    found = mean_agreement(gold, runs, points=range(8), measurement="nominal")
    row = {"accuracy": 0.475, "precision": 0.499, "recall": 0.475, "f1": 0.484, "kappa": 0.135}
    assert {name: found[name].value for name in row} == pytest.approx(row, abs=6e-4)
    for estimate in found.values():
        assert estimate.low < estimate.value < estimate.high
        assert (estimate.n_items, estimate.n_pairs, estimate.n_clusters) == (800, 4000, 800)


@pytest.mark.parametrize("measurement", ["nominal", "ordinal"])
def test_agreement_on_average_is_the_mean_of_that_of_each_repeat(measurement):
    rng = np.random.default_rng(8)
    x = rng.integers(1, 6, 80).astype(float)
    repeats = np.clip(x[:, None] + rng.integers(-1, 2, (80, 3)), 1, 5)
    repeats[:4, 1] = NAN
    x[-3:] = NAN
    options = {"points": FIVE, "measurement": measurement}
    found = mean_agreement(x, repeats, clusters=np.arange(80) // 4, **options)
    each = [two_raters(x, repeat, **options) for repeat in repeats.T]
    for name, estimate in found.items():
        if name in each[0]:
            assert estimate.value == pytest.approx(np.mean([one[name].value for one in each]))
    assert ("accuracy" in found) is (measurement == "nominal")
    assert found["exact"].n_clusters == 20


def test_the_mean_of_one_repeat_is_that_repeat_with_its_interval():
    rng = np.random.default_rng(9)
    x = rng.integers(0, 3, 60)
    said = np.where(rng.random(60) < 0.7, x, rng.integers(0, 3, 60))
    options = {"clusters": np.arange(60) // 2, "points": range(3)}
    found = mean_agreement(x, said[:, None], measurement="nominal", **options)
    alone = two_raters(x, said, measurement="nominal", **options)
    against = accuracy(said, x, **options).overall
    for name, estimate in found.items():
        expected = (alone | against)[name]
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (expected.value, expected.low, expected.high)
        )


def test_repeats_without_a_reference_have_no_agreement():
    found = mean_agreement([NAN] * 9, np.ones((9, 2)), points=FIVE, measurement="ordinal")
    assert (found["icc_a1"].value, found["icc_a1"].note) == (None, Note.NO_OVERLAP)
    with pytest.raises(ValueError, match="items by repeats"):
        mean_agreement([1.0], [1.0], points=FIVE, measurement="nominal")


@pytest.mark.parametrize("times", [2, 30])
def test_items_that_stand_alone_are_their_own_dialogues(times):
    rng = np.random.default_rng(3)
    x = rng.integers(1, 6, 40)
    repeats = np.clip(x[:, None] + rng.integers(-1, 2, (40, times)), 1, 5)
    options = {"points": FIVE, "measurement": "ordinal", "only": {"icc_a1", "exact"}}
    alone = mean_agreement(x, repeats, **options)
    owned = mean_agreement(x, repeats, clusters=np.arange(40), **options)
    for name, estimate in alone.items():
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (owned[name].value, owned[name].low, owned[name].high)
        )
        assert estimate.method.startswith("jackknife by item")
