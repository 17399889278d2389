"""Intervals: the quick way equals the plain way, and each says how it was made."""

import itertools

import numpy as np
import pytest
from scipy import stats

from analytics.stats import icc, intervals, kappa, pairs
from analytics.stats.agreement import many_raters, two_raters, two_raters_of_tables
from analytics.stats.estimates import Note, Severity
from analytics.stats.icc import SINGLE_OF_MEAN
from analytics.stats.intervals import Clusters, IntervalScale, Unit
from analytics.stats.scales import points_of

FIVE = (1, 2, 3, 4, 5)
SINGLE = [name for name in pairs.STATISTICS if name not in SINGLE_OF_MEAN]


def rated_dialogues(seed=1, n_clusters=30, size=6, raters=2):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), size)
    level = rng.integers(1, 5, n_clusters)[clusters]
    shape = (clusters.size, raters)
    ratings = np.clip(level[:, None] + rng.integers(-1, 2, shape), 1, 5).astype(float)
    return ratings, clusters


def plain_jackknife(compute, clusters, scale):
    """Leave every cluster out in turn and compute everything again."""
    everything = np.ones(clusters.size, dtype=bool)
    value = compute(everything)
    names = np.unique(clusters)
    left = np.array([compute(clusters != name) for name in names])
    size = names.size
    error = np.sqrt((size - 1) / size * ((left - left.mean()) ** 2).sum())
    reach = stats.t.ppf(0.975, size - 1) * error
    if scale is IntervalScale.FISHER_Z:
        half = reach / (1 - value**2)
        return np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)
    if scale is IntervalScale.LOGIT:
        centre, half = np.log(value / (1 - value)), reach / (value * (1 - value))
        return tuple(1 / (1 + np.exp(-(centre + side * half))) for side in (-1, 1))
    if scale is IntervalScale.LOG:
        return value * np.exp(-reach / value), value * np.exp(reach / value)
    return value - reach, value + reach


@pytest.mark.parametrize("alone", [False, True], ids=["by dialogue", "by item"])
@pytest.mark.parametrize("name", SINGLE)
def test_the_jackknife_from_sums_is_the_jackknife_from_ratings(name, alone):
    ratings, clusters = rated_dialogues()
    groups = np.arange(clusters.size) if alone else clusters
    statistic, points = pairs.STATISTICS[name], points_of(FIVE)

    def compute(kept):
        return float(statistic.compute(pairs.counts(*ratings[kept].T, points), points))

    found = two_raters(
        *ratings.T, clusters=None if alone else clusters, points=FIVE, measurement="ordinal"
    )[name]
    low, high = plain_jackknife(compute, groups, statistic.reading.scale)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    unit = "item" if alone else "dialogue"
    assert found.method == f"jackknife by {unit}, {statistic.reading.scale}, t"
    assert found.n_clusters == (180 if alone else 30)


@pytest.mark.parametrize("alone", [False, True], ids=["by dialogue", "by item"])
def test_the_jackknife_of_panels_is_the_jackknife_from_ratings(alone):
    ratings, clusters = rated_dialogues(seed=2, raters=4, n_clusters=10, size=4)
    ratings[:, :2][np.random.default_rng(3).random((40, 2)) < 0.2] = np.nan
    groups = np.arange(clusters.size) if alone else clusters
    options = {"points": FIVE, "measurement": "ordinal", "panel": 4}
    found = many_raters(ratings, clusters=None if alone else clusters, **options)
    complete = np.isfinite(ratings).all(axis=1)
    computed = {}

    def without_a_group(table):
        """All statistics at once: each name asks for the same tables."""
        if (key := table.tobytes()) not in computed:
            computed[key] = many_raters(table, **options)
        return computed[key]

    for name in ("fleiss", "fleiss_varying", "conger", "alpha_ordinal", "ac1", "ac2", "icc_a1"):
        used = complete if name in ("fleiss", "icc_a1") else np.ones_like(complete)

        def compute(kept, name=name, used=used):
            return without_a_group(ratings[used][kept])[name].value

        low, high = plain_jackknife(compute, groups[used], IntervalScale.FISHER_Z)
        assert (found[name].low, found[name].high) == pytest.approx((low, high), abs=1e-9), name


def test_limits_of_mean_ratings_follow_from_those_of_single_ratings():
    ratings, clusters = rated_dialogues(raters=3)
    found = many_raters(ratings, clusters=clusters, points=FIVE, measurement="ordinal")
    for mean, single in SINGLE_OF_MEAN.items():
        for end in ("value", "low", "high"):
            one = getattr(found[single], end)
            assert getattr(found[mean], end) == pytest.approx(3 * one / (1 + 2 * one), abs=1e-9)


def test_the_bootstrap_is_the_same_every_time_and_near_the_jackknife():
    ratings, clusters = rated_dialogues(n_clusters=200)
    options = {"clusters": clusters, "points": FIVE, "measurement": "ordinal"}
    drawn = two_raters(*ratings.T, kind="bootstrap", **options)
    again = two_raters(*ratings.T, kind="bootstrap", **options)
    assert drawn == again
    left_out = two_raters(*ratings.T, **options)
    for name, estimate in drawn.items():
        width = left_out[name].high - left_out[name].low
        assert estimate.low == pytest.approx(left_out[name].low, abs=0.15 * width), name
        assert estimate.high == pytest.approx(left_out[name].high, abs=0.15 * width), name
    assert drawn["icc_a1"].method == "bootstrap by dialogue, percentile"


def test_bootstrap_draws_are_shared_by_cells_with_the_same_dialogues():
    ratings, clusters = rated_dialogues(raters=3, n_clusters=60)
    points = points_of(FIVE)
    human, one, other = ratings.T
    one[clusters < 4] = np.nan

    def drawn(judge):
        tables = pairs.cluster_counts(human, judge, points, clusters, 60).reshape(60, -1)
        found = Clusters(
            sums=tables, copies=np.ones(60), telling=tables.any(axis=1), unit=Unit.DIALOGUE
        )
        flat = intervals.resampled(found)
        return pairs.bias(pairs.sums(flat.reshape(-1, 5, 5), points))

    weight = intervals.bootstrap_weights(60)
    assert weight.sum(axis=1).tolist() == [60.0] * 1000
    difference = np.array([np.nansum((other - human) * draw[clusters]) for draw in weight])
    assert drawn(other) == pytest.approx(difference / (6 * 60), abs=1e-12)
    kept = np.isfinite(one)
    shorter = [
        ((one - human) * draw[clusters])[kept].sum() / draw[clusters][kept].sum() for draw in weight
    ]
    assert drawn(one) == pytest.approx(np.array(shorter), abs=1e-12)


def test_dialogues_without_a_pair_are_not_counted():
    ratings, clusters = rated_dialogues()
    missing = ratings.copy()
    missing[clusters >= 12, 1] = np.nan
    options = {"points": FIVE, "measurement": "ordinal"}
    found = two_raters(*missing.T, clusters=clusters, **options)
    short = two_raters(*ratings[clusters < 12].T, clusters=clusters[clusters < 12], **options)
    assert found == short
    assert found["bias"].n_clusters == 12


@pytest.mark.parametrize(
    ("n_clusters", "note", "has_interval"),
    [
        (1, Note.TOO_FEW_CLUSTERS, False),
        (4, Note.TOO_FEW_CLUSTERS, False),
        (5, Note.FEW_CLUSTERS, True),
        (19, Note.FEW_CLUSTERS, True),
        (20, None, True),
    ],
)
def test_few_dialogues_are_said(n_clusters, note, has_interval):
    ratings, clusters = rated_dialogues(seed=5, n_clusters=n_clusters, size=12)
    found = two_raters(*ratings.T, clusters=clusters, points=FIVE, measurement="nominal")["kappa"]
    assert found.note is note
    assert (found.low is not None) is has_interval


def test_a_value_beyond_minus_one_gets_limits_on_the_plain_scale():
    x = np.tile([1.0, 2, 3, 4, 5], 2)
    y = 6 - x
    y[0] = 4
    found = two_raters(x, y, points=FIVE, measurement="ordinal")["icc_a1"]
    assert found.value < -1
    assert found.method == "jackknife by item, plain scale, t"
    assert found.low < found.value < found.high


def test_a_value_that_hangs_on_one_dialogue_has_no_interval():
    x = np.array([1.0] + [5.0] * 29)
    y = np.array([2.0] + [5.0] * 29)
    found = two_raters(x, y, points=FIVE, measurement="ordinal")
    assert found["pearson"].note is Note.HANGS_ON_ONE
    assert found["pearson"].low is None
    drawn = two_raters(x, y, points=FIVE, measurement="ordinal", kind="bootstrap")
    assert Note.UNDEFINED_RESAMPLES in drawn["pearson"].notes or drawn["pearson"].low is None


def test_a_constant_shift_has_perfect_consistency_without_an_interval():
    x = np.tile([1.0, 2, 3, 4], 10)
    found = two_raters(x, x + 1, points=FIVE, measurement="ordinal")
    assert found["icc_c1"].value == 1
    assert found["icc_c1"].note is Note.NO_SPREAD
    assert found["icc_c1"].low is None
    assert found["bias"].value == 1
    assert found["bias"].low is None
    assert found["icc_a1"].low < found["icc_a1"].value < found["icc_a1"].high
    assert Note.RATERS_DIFFER_IN_LEVEL in found["icc_a1"].notes


def test_many_cells_at_once_give_what_each_gives():
    cells, expected = [], []
    for seed in range(6):
        ratings, clusters = rated_dialogues(seed=seed)
        ratings[clusters < 5 * seed, 1] = np.nan
        ratings[np.flatnonzero(clusters == 29)[1:], 1] = np.nan
        cells.append(pairs.cluster_counts(*ratings.T, points_of(FIVE), clusters, 30))
        expected.append(two_raters_of_tables(cells[-1], points=FIVE, measurement="ordinal"))
    ratings, clusters = rated_dialogues()
    cells.append(pairs.cluster_counts(ratings[:, 0], ratings[:, 0], points_of(FIVE), clusters, 30))
    cells.append(np.zeros((30, 5, 5)))
    six = pairs.sums(np.array(cells), points_of(FIVE))
    for name, form in (("icc_a1", icc.agreement), ("icc_c1", icc.consistency)):
        value, low, high = intervals.many_jackknives(
            lambda sums, form=form: form(pairs.mean_squares(sums)), six
        )
        for cell, found in enumerate(expected):
            one = found[name]
            assert (value[cell], low[cell], high[cell]) == pytest.approx(
                (one.value, one.low, one.high), abs=1e-9
            )
        assert value[6] == 1
        assert np.isnan([low[6], high[6], value[7], low[7], high[7]]).all()


def test_a_bootstrap_that_is_mostly_undefined_has_no_interval():
    x, y = np.full(30, 5.0), np.full(30, 5.0)
    x[0], y[1] = 1, 1
    found = two_raters(x, y, points=FIVE, measurement="ordinal", kind="bootstrap")["pearson"]
    assert found.value is not None
    assert found.low is None
    assert found.note is Note.HANGS_ON_ONE


@pytest.mark.parametrize("kind", ["jackknife", "bootstrap"])
def test_tables_give_what_ratings_give(kind):
    """Dialogues that nobody rated twice are among those drawn, so that draws stay in step."""
    ratings, clusters = rated_dialogues()
    ratings[clusters < 6, 1] = np.nan
    tables = pairs.cluster_counts(*ratings.T, points_of(FIVE), clusters, 30)
    options = {"points": FIVE, "measurement": "ordinal", "kind": kind}
    from_tables = two_raters_of_tables(tables, **options)
    assert from_tables == two_raters(*ratings.T, clusters=clusters, **options)


def test_every_name_of_a_method_is_listed():
    ratings, clusters = rated_dialogues()
    for kind in ("jackknife", "bootstrap", "f"):
        for groups in (clusters, None):
            found = two_raters(
                *ratings.T, clusters=groups, points=FIVE, measurement="ordinal", kind=kind
            )
            assert {estimate.method for estimate in found.values()} <= set(intervals.METHODS)


@pytest.mark.parametrize("wanted", Severity)
def test_every_note_has_a_sentence_and_a_severity(wanted):
    notes = [note for note in Note if note.severity is wanted]
    assert notes
    for note in notes:
        assert note.sentence.endswith(".")


def test_the_jackknife_covers_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(17)
    covered = 0
    for _ in range(200):
        truth = rng.normal(size=(40, 1))
        ratings = np.round(truth * 1.2 + 3 + rng.normal(scale=0.8, size=(40, 2))).clip(-2, 8)
        found = two_raters(*ratings.T, points=range(-2, 9), measurement="ordinal")["icc_c1"]
        covered += found.low <= TRUE_CONSISTENCY <= found.high
    assert 0.91 <= covered / 200 <= 0.98


def expected_consistency():
    rng = np.random.default_rng(18)
    truth = rng.normal(size=(400_000, 1))
    ratings = np.round(truth * 1.2 + 3 + rng.normal(scale=0.8, size=(400_000, 2))).clip(-2, 8)
    return np.corrcoef(ratings.T)[0, 1]


TRUE_CONSISTENCY = expected_consistency()


def test_limits_beyond_any_number_are_no_interval():
    """A quotient over next to nothing has an upper limit that no number holds."""
    replicas = np.array([1e-3, *np.linspace(-0.4, 0.4, 20)])
    sums = np.ones((20, 1))
    cell = Clusters(sums=sums, copies=np.ones(20), telling=np.ones(20, dtype=bool), unit=Unit.ITEM)
    found = intervals.interval_of(replicas, cell, scale=IntervalScale.LOG, kind="jackknife")
    assert (found.low, found.high, found.notes) == (None, None, (Note.UNBOUNDED,))


def test_dialogues_with_equal_sums_are_left_out_once_and_counted_as_often():
    rng = np.random.default_rng(6)
    sums = rng.integers(0, 3, (400, 2)).astype(np.float64)
    clusters = Clusters(sums=sums, copies=np.ones(400), telling=sums[:, 0] > 0, unit=Unit.DIALOGUE)

    folded = clusters.folded()

    assert len(folded.sums) == 9
    assert folded.size == clusters.size
    made, expected = (
        intervals.interval(lambda total: total[..., 0] / total.sum(axis=-1), one)
        for one in (folded, clusters)
    )
    assert (made.low, made.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert made.notes == expected.notes


def of_two_answers(both_yes, one_yes, other_yes, both_no, clusters=None):
    times = [both_yes, one_yes, other_yes, both_no]
    x, y = np.repeat([1, 1, 0, 0], times), np.repeat([1, 0, 1, 0], times)
    return two_raters(x, y, clusters=clusters, points=(0, 1), measurement="binary")


@pytest.mark.parametrize(("k", "share"), [(0.9, 0.02), (0.4, 0.3), (0.0, 0.5), (-0.01, 0.1)])
def test_the_variance_of_kappa_equals_that_of_any_table_of_two_answers(library, k, share):
    """Fleiss, Cohen and Everitt (1969), of a table that both raters fill alike."""
    apart = share * (1 - share) * (1 - k)
    table = 1e6 * np.array([[1 - share - apart, apart], [apart, share - apart]])
    told = library("statsmodels.stats.inter_rater").cohens_kappa(table)
    assert told.kappa == pytest.approx(k, abs=1e-9)
    assert kappa.variance(k, share) == pytest.approx(1e6 * told.var_kappa)


@pytest.mark.parametrize(
    "counts", [(18, 2, 2, 978), (3, 9, 4, 184), (40, 10, 10, 40), (0, 5, 4, 91)]
)
def test_score_limits_of_kappa_are_where_a_test_just_rejects(counts):
    found = of_two_answers(*counts)["kappa"]
    n, share = sum(counts), (2 * counts[0] + counts[1] + counts[2]) / (2 * sum(counts))
    quantile = stats.t.ppf(0.975, n - 1)
    assert found.method == intervals.SCORE_METHOD
    for limit in (found.low, found.high):
        far = (found.value - limit) / np.sqrt(kappa.variance(limit, share) / n)
        at_the_least = limit == pytest.approx(-share / (1 - share))
        assert abs(far) == pytest.approx(quantile) or (at_the_least and abs(far) < quantile)
    assert found.low < found.value < found.high


def test_two_who_never_disagree_have_a_kappa_that_may_be_lower():
    """Of items that stand alone; how far dialogues are alike, nobody can tell then."""
    few, many = (of_two_answers(yes, 0, 0, 980)["kappa"] for yes in (5, 20))
    assert few.value == many.value == few.high == many.high == 1
    assert 0.4 < few.low < many.low < 0.92
    none = of_two_answers(20, 0, 0, 80, clusters=np.arange(100) // 4)["kappa"]
    assert none.low is None
    assert none.note is Note.NO_DISAGREEMENT


@pytest.mark.parametrize("n", [5, 8, 10])
def test_whatever_two_say_of_few_items_lies_within_its_limits(n):
    """The ICC of five items that two hardly ever agree on may be -1.5."""
    for both, one, other in itertools.product(range(n + 1), repeat=3):
        if both + one + other > n:
            continue
        counts = (both, one, other, n - both - one - other)
        for clusters in (None, np.arange(n) // 2):
            for found in of_two_answers(*counts, clusters=clusters).values():
                assert found.low is None or found.low <= found.value <= found.high, found


def test_dialogues_that_hold_the_same_answer_tell_less():
    counts = (60, 12, 12, 216)
    alone = of_two_answers(*counts)["kappa"]
    together = of_two_answers(*counts, clusters=np.arange(300) // 6)["kappa"]
    assert together.value == alone.value
    assert together.high - together.low > 1.3 * (alone.high - alone.low)
