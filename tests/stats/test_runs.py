"""A judge asked several times: figures are means over runs, intervals speak of other runs too."""

import numpy as np
import pytest
from scipy import stats

from analytics.stats.accuracy import accuracy
from analytics.stats.agreement import two_raters
from analytics.stats.cells import FEW_PAIRS
from analytics.stats.differences import differences
from analytics.stats.estimates import Note
from analytics.stats.intervals import Clusters, IntervalScale, Unit
from analytics.stats.runs import mean_agreement, mean_agreements, over_runs, variance_of_mean

NAN = np.nan
FIVE = (1, 2, 3, 4, 5)


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
    assert found
    for name, estimate in found.items():
        expected = (alone | against)[name]
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (expected.value, expected.low, expected.high)
        )


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("measurement", ["nominal", "ordinal"])
def test_a_judge_comes_to_the_same_whichever_others_are_worked_out_beside_it(
    measurement, clustered, is_weighted
):
    """To the last digit: what is kept of one is taken beside what is worked out with others."""
    rng = np.random.default_rng(12)
    x = np.where(rng.random(90) < 0.1, NAN, rng.integers(1, 6, 90))
    judges = [
        np.where(rng.random((90, r)) < missing, NAN, rng.integers(1, 6, (90, r)).astype(float))
        for r, missing in [(1, 0.0), (3, 0.2), (1, 0.9), (1, 1.0), (2, 0.0)]
    ]
    options = {
        "clusters": np.arange(90) // 3 if clustered else None,
        "weights": rng.uniform(1, 4, 90) if is_weighted else None,
        "points": FIVE,
        "measurement": measurement,
    }
    alone = [mean_agreement(x, runs, **options) for runs in judges]
    assert mean_agreements(x, judges, **options) == alone
    assert mean_agreements(x, judges[::-2], **options) == alone[::-2]


def test_repeats_without_a_reference_have_no_agreement():
    found = mean_agreement([NAN] * 9, np.ones((9, 2)), points=FIVE, measurement="ordinal")
    assert (found["icc_a1"].value, found["icc_a1"].note) == (None, Note.NO_OVERLAP)
    with pytest.raises(ValueError, match="items by runs"):
        mean_agreement([1.0], [1.0], points=FIVE, measurement="nominal")


@pytest.mark.parametrize("times", [2, 30])
def test_items_that_stand_alone_are_their_own_dialogues(times):
    rng = np.random.default_rng(3)
    x = rng.integers(1, 6, 40)
    repeats = np.clip(x[:, None] + rng.integers(-1, 2, (40, times)), 1, 5)
    options = {"points": FIVE, "measurement": "ordinal", "only": {"icc_a1", "exact"}}
    alone = mean_agreement(x, repeats, **options)
    owned = mean_agreement(x, repeats, clusters=np.arange(40), **options)
    assert alone
    for name, estimate in alone.items():
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (owned[name].value, owned[name].low, owned[name].high)
        )
        assert estimate.method.startswith("jackknife by item")


def answers(rng, *, n, runs, run_sd):
    """People and the runs of a judge, each a point higher or lower by `run_sd` on the whole."""
    truth = rng.normal(3, 1, n)
    people = truth + rng.normal(0, 0.7, n)
    judge = truth + 0.3 + rng.normal(0, 0.8, n)
    said = judge[:, None] + rng.normal(0, 0.5, (n, runs)) + rng.normal(0, run_sd, runs)
    return (np.clip(np.round(given), 1, 5) for given in (people, said))


def test_the_interval_of_the_bias_speaks_of_other_runs():
    """0.48 of the intervals that hold the runs fixed would do, where runs differ by 0.05."""
    rng = np.random.default_rng(11)
    options = {"points": FIVE, "measurement": "ordinal", "only": {"bias", "icc_a1"}}
    held = {"bias": 0, "icc_a1": 0}
    x, said = answers(np.random.default_rng(1), n=200_000, runs=1, run_sd=0)
    truth = {name: one.value for name, one in mean_agreement(x, said, **options).items()}
    for _ in range(200):
        x, said = answers(rng, n=600, runs=4, run_sd=0.1)
        for name, one in mean_agreement(x, said, **options).items():
            held[name] += one.low <= truth[name] <= one.high
    assert 0.92 <= held["bias"] / 200 <= 0.98
    assert 0.92 <= held["icc_a1"] / 200 <= 0.98


def test_two_runs_are_held_fixed():
    x, said = answers(np.random.default_rng(2), n=300, runs=3, run_sd=0.5)
    two, three = (
        mean_agreement(x, said[:, :n], points=FIVE, measurement="ordinal")["bias"] for n in (2, 3)
    )
    assert two.method == "jackknife by item, plain scale, t"
    assert three.method == "jackknife by item and over runs, plain scale, t"
    assert three.high - three.low > 2 * (two.high - two.low)


def test_runs_that_say_the_same_have_the_interval_of_one():
    x, said = answers(np.random.default_rng(3), n=80, runs=1, run_sd=0)
    options = {"points": FIVE, "measurement": "ordinal", "clusters": np.arange(80) // 2}
    alone = mean_agreement(x, said, **options)
    same = mean_agreement(x, np.tile(said, (1, 4)), **options)
    assert alone
    for name, one in alone.items():
        found = same[name]
        assert (found.value, found.low, found.high) == pytest.approx((one.value, one.low, one.high))


def test_the_variance_of_the_mean_worked_by_hand():
    """Obuchowski & Rockette (1995): the spread between runs over r, and the covariance of two.

    Five items alone; bias of three runs: 0, 1 and 2, so 1 between them, and 1/3 of that; the
    differences of item 1 and 2 are one more and one less in each: 0.5 / 5 shared.
    """
    x = np.array([3.0, 3, 3, 3, 3])
    apart = np.array([1.0, -1, 0, 0, 0])
    runs = 2 + apart[:, None] + np.arange(3)
    found = mean_agreement(x, runs, points=range(7), measurement="ordinal", only={"bias"})["bias"]
    total = 1 / 3 + 0.5 / 5
    freedom = total**2 / ((1 / 3) ** 2 / 2 + 0.1**2 / 4)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(total)
    assert (found.value, found.low, found.high) == pytest.approx((0, -half, half))


def three_runs(judge):
    """One judge three times: the second calls the first item otherwise, the third the second."""
    runs = np.repeat(np.asarray(judge, float)[:, None], 3, axis=1)
    runs[0, 1], runs[1, 2] = 2, 2
    return runs


@pytest.mark.parametrize(
    ("dialogues", "note"),
    [
        (np.arange(60) // 15, Note.TOO_FEW_CLUSTERS),
        # All that anybody calls 2 is in one dialogue: without it nothing is beyond chance.
        (np.maximum(np.arange(60) - 39, 0), Note.HANGS_ON_ONE),
    ],
)
def test_several_runs_have_an_interval_where_one_would(dialogues, note):
    x = np.where(np.arange(60) < 20, 2.0, 1.0)
    options = {"clusters": dialogues, "points": (1, 2), "measurement": "nominal", "only": {"kappa"}}
    judge = three_runs(np.where(np.arange(60) < 15, 1.0, x))
    found = mean_agreement(x, judge, **options)["kappa"]
    assert found.value is not None
    assert (found.low, found.high, found.note) == (None, None, note)
    apart = differences(x, judge, three_runs(x), **options)["kappa"]
    assert apart.value > 0
    assert (apart.low, apart.high, apart.note) == (None, None, note)


def test_a_share_that_one_dialogue_makes_a_thousand_times_as_much_has_no_limit():
    sums = np.ones((6, 1))
    clusters = Clusters(sums=sums, copies=np.ones(6), telling=sums[:, 0] > 0, unit=Unit.ITEM)
    values = np.full((7, 3), 0.01)
    values[3] = 10
    found = over_runs(values, clusters, scale=IntervalScale.LOG)
    assert (found.low, found.high, found.notes) == (None, None, (Note.UNBOUNDED,))


def test_a_variance_over_runs_is_never_less_than_with_the_runs_held_fixed():
    """Three runs that come to the same and share nothing: 3 times 0.09, over 3 squared."""
    variance, _freedom = variance_of_mean(np.full(3, 0.5), np.diag([0.09] * 3), 40)
    assert variance == pytest.approx(0.03)


@pytest.mark.parametrize(("n", "is_few"), [(FEW_PAIRS - 1, True), (FEW_PAIRS, False)])
def test_one_run_is_of_as_few_items_as_two_raters_are(n, is_few):
    rng = np.random.default_rng(12)
    x, y = rng.integers(1, 6, (2, n)).astype(float)
    options = {"points": FIVE, "measurement": "ordinal"}
    ours = mean_agreement(x, y[:, None], **options)["icc_a1"].notes
    assert (Note.EXPLORATORY in ours) == is_few
    assert ours == two_raters(x, y, **options)["icc_a1"].notes
