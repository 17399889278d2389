"""Two raters: every statistic equals other producers, papers, and its own definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analytics.stats import icc, pairs
from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.estimates import Note
from analytics.stats.scales import points_of

FIVE = (1, 2, 3, 4, 5)
TOLERANCE = 1e-9

EDGE_CASES = {
    "edge:perfect 1..5 (n=5)": ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
    "edge:human const 5, judge varies": ([5, 5, 5, 5, 5, 5], [1, 2, 3, 4, 5, 5]),
    "edge:constant shift +1": ([1, 2, 2, 3, 3, 4], [2, 3, 3, 4, 4, 5]),
    "edge:perfect reversal": ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]),
    "edge:2 items [1,2],[4,5]": ([1, 4], [2, 5]),
    "edge:2 items noisy [1,2],[4,3]": ([1, 4], [2, 3]),
    "edge:3 items": ([1, 2, 4], [2, 2, 3]),
    "edge:one missing": ([1, 2, 2, 4, 5, np.nan], [1, 2, 3, 4, 4, 3]),
    "edge:skipped category {1,2,5}": ([1, 1, 2, 2, 2, 5, 5, 5], [1, 2, 1, 2, 5, 5, 5, 5]),
}
REFERENCE_NAMES = {
    "pingouin.intraclass_corr ICC(1,1)": "icc_11",
    "pingouin.intraclass_corr ICC(A,1)": "icc_a1",
    "pingouin.intraclass_corr ICC(C,1)": "icc_c1",
    "pingouin nan_policy=omit ICC(1,1)": "icc_11",
    "pingouin nan_policy=omit ICC(A,1)": "icc_a1",
    "pingouin nan_policy=omit ICC(C,1)": "icc_c1",
    "krippendorff nominal": "alpha_nominal",
    "krippendorff ordinal": "alpha_ordinal",
    "krippendorff interval": "alpha_interval",
}


def random_pair(seed, n=80, q=5):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, q, n)
    x, y = (np.clip(truth + rng.integers(-1, 2, n), 0, q - 1) + 1.0 for _ in range(2))
    return x, y


def values(x, y, points=FIVE, measurement="ordinal"):
    found = two_raters(x, y, points=points, measurement=measurement)
    return {name: estimate.value for name, estimate in found.items()}


@pytest.mark.parametrize("dataset", EDGE_CASES)
def test_edge_cases_have_the_values_that_libraries_give_where_they_give_any(reference, dataset):
    found = values(*EDGE_CASES[dataset])
    compared = 0
    for (name, statistic), row in reference["values"].items():
        if name == dataset and statistic in REFERENCE_NAMES and isinstance(row["value"], float):
            expected = pytest.approx(row["value"], abs=TOLERANCE)
            assert found[REFERENCE_NAMES[statistic]] == expected, statistic
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize("seed", range(6))
def test_the_six_iccs_equal_pingouin(pingouin_iccs, seed):
    x, y = random_pair(seed)
    found = two_raters(x, y, points=FIVE, measurement="ordinal", kind="f")
    for form, (value, low, high) in pingouin_iccs(np.stack([x, y], axis=1)).items():
        assert found[form].value == pytest.approx(value, abs=TOLERANCE), form
        assert found[form].low == pytest.approx(low, abs=TOLERANCE), form
        assert found[form].high == pytest.approx(high, abs=TOLERANCE), form
        assert found[form].method == "F distribution"


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_alpha_equals_the_krippendorff_package(krippendorff_alpha, level, seed):
    x, y = random_pair(seed)
    expected = krippendorff_alpha(np.stack([x, y], axis=1), level, FIVE)
    assert values(x, y)[f"alpha_{level}"] == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_correlations_equal_scipy(seed):
    x, y = random_pair(seed)
    found = values(x, y)
    assert found["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic, abs=TOLERANCE)
    assert found["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic, abs=TOLERANCE)
    assert found["kendall_b"] == pytest.approx(stats.kendalltau(x, y).statistic, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_kappa_equals_scikit_learn(library, seed, weighting):
    from_library = library("sklearn.metrics").cohen_kappa_score
    x, y = random_pair(seed)
    expected = from_library(
        x, y, labels=list(FIVE), weights=None if weighting == "none" else weighting
    )
    name = "kappa" if weighting == "none" else f"kappa_{weighting}"
    assert values(x, y)[name] == pytest.approx(expected, abs=TOLERANCE)


def test_differences_are_described_as_numpy_would():
    x, y = random_pair(3)
    difference = y - x
    spread = 1.959963984540054 * difference.std(ddof=1)
    expected = {
        "bias": difference.mean(),
        "mae": np.abs(difference).mean(),
        "rmse": np.sqrt((difference**2).mean()),
        "loa_low": difference.mean() - spread,
        "loa_high": difference.mean() + spread,
        "exact": (difference == 0).mean(),
        "within_one": (np.abs(difference) <= 1).mean(),
    }
    found = values(x, y)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=TOLERANCE), name


def test_cohens_example_of_1960(published):
    counted = pairs.Counts(tables=published("cohen_1960"), points=points_of([1, 2, 3]))
    assert pairs.cohen(counted, "none") == pytest.approx(0.492, abs=5e-4)


def test_bland_and_altmans_peak_flow_of_1986(published):
    large, mini = published("bland_altman_1986").T
    found = values(mini, large, points=np.unique([large, mini]))
    assert found["bias"] == pytest.approx(-2.1, abs=0.05)
    spread = (found["loa_high"] - found["loa_low"]) / 2 / 1.959963984540054
    assert spread == pytest.approx(38.8, abs=0.05)


def test_gwets_paradox_kappa_is_low_where_agreement_is_high(goldens):
    told = goldens["kappa_paradox_2x2"]
    table = np.array([[told["a"], told["b"]], [told["c"], told["d"]]], dtype=float)
    counted = pairs.Counts(tables=table, points=points_of([0, 1]))
    assert pairs.exact(table) == pytest.approx(told["po"], abs=1e-12)
    assert pairs.cohen(counted, "none") == pytest.approx(told["kappa"], abs=5e-5)
    assert pairs.gwet(counted, "none") == pytest.approx(told["AC1"], abs=5e-6)


def test_ac_depends_on_the_declared_points_and_alpha_and_kappa_do_not():
    x, y = random_pair(5, q=3)
    three, seven = values(x, y, points=(1, 2, 3)), values(x, y, points=range(7))
    assert abs(three["ac1"] - seven["ac1"]) > 0.01
    for name in ("alpha_nominal", "alpha_ordinal", "alpha_interval", "kappa", "icc_a1"):
        assert three[name] == pytest.approx(seven[name], abs=1e-12), name


def test_a_stack_of_tables_gives_what_single_tables_give():
    rng = np.random.default_rng(8)
    tables = rng.integers(0, 9, (3, 4, 5, 5)).astype(float)
    points = points_of(FIVE)
    for name, statistic in pairs.STATISTICS.items():
        stacked = statistic.compute(tables, points)
        assert stacked.shape == (3, 4), name
        alone = [[statistic.compute(table, points) for table in row] for row in tables]
        assert stacked == pytest.approx(np.array(alone), abs=1e-12), name


def test_sums_of_clusters_add_up_to_the_sums_of_the_whole():
    x, y = random_pair(9)
    points = points_of(FIVE)
    tables = pairs.cluster_counts(x, y, points, np.arange(80) // 7, 12)
    whole = pairs.sums(pairs.counts(x, y, points), points)
    assert (pairs.sums(tables, points).sum(axis=0) == whole).all()
    assert whole.tolist() == [80, x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()]


ratings = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40).filter(
    lambda found: len({x for x, _ in found}) > 1 and len({y for _, y in found}) > 1
)
SYMMETRIC = [name for name in pairs.STATISTICS if name not in ("bias", "loa_low", "loa_high")]


@given(ratings)
@settings(max_examples=60)
def test_raters_may_change_places(found):
    x, y = np.array(found, dtype=float).T
    points = points_of(FIVE)
    there, back = pairs.counts(x, y, points), pairs.counts(y, x, points)
    for name in SYMMETRIC:
        compute = pairs.STATISTICS[name].compute
        expected = pytest.approx(compute(back, points), abs=1e-9, nan_ok=True)
        assert compute(there, points) == expected, name
    assert pairs.bias(pairs.sums(there, points)) == -pairs.bias(pairs.sums(back, points))


@given(ratings)
@settings(max_examples=60)
def test_shifting_one_rater_leaves_consistency_alone_and_changes_agreement(found):
    x, y = np.array(found, dtype=float).T
    points = points_of(range(1, 21))
    forms = {}
    for shift in (0, 10):
        ms = pairs.mean_squares(pairs.sums(pairs.counts(x, y + shift, points), points))
        forms[shift] = (float(icc.consistency(ms)), float(icc.agreement(ms)))
    assert forms[0][0] == pytest.approx(forms[10][0], abs=1e-9)
    assert abs(forms[10][1]) <= abs(forms[0][1]) + 1e-9


@given(ratings, st.floats(0.1, 9), st.floats(-50, 50))
@settings(max_examples=60)
def test_stretching_the_scale_for_both_changes_nothing_but_the_unit(found, stretch, shift):
    x, y = np.array(found, dtype=float).T
    points = points_of(FIVE)
    table = pairs.counts(x, y, points)
    for name in (
        "icc_a1",
        "icc_c1",
        "icc_11",
        "ccc",
        "pearson",
        "kappa_quadratic",
        "alpha_interval",
    ):
        compute = pairs.STATISTICS[name].compute
        stretched = compute(table, shift + stretch * points)
        assert stretched == pytest.approx(compute(table, points), abs=1e-6), name


@given(ratings)
@settings(max_examples=60)
def test_known_identities_hold(found):
    x, y = np.array(found, dtype=float).T
    n = x.size
    points = points_of(FIVE)
    table = pairs.counts(x, y, points)
    counted = pairs.Counts(tables=table, points=points)
    quadratic = pairs.cohen(counted, "quadratic")
    assert quadratic == pytest.approx(pairs.concordance(counted.six), abs=1e-9)
    share = (table.sum(axis=0) + table.sum(axis=1)) / (2 * n)
    scott = (pairs.exact(table) - (share**2).sum()) / (1 - (share**2).sum())
    nominal = pairs.krippendorff(counted, "nominal")
    assert nominal == pytest.approx(1 - (1 - scott) * (2 * n - 1) / (2 * n), abs=1e-9)
    both = np.concatenate([x, y])
    interval = 1 - (2 * n - 1) / (2 * n) * ((x - y) ** 2).sum() / ((both - both.mean()) ** 2).sum()
    assert pairs.krippendorff(counted, "interval") == pytest.approx(interval, abs=1e-9)


def test_binary_kappa_quadratic_is_kappa_and_pearson_is_phi():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 2, 60).astype(float)
    y = np.where(rng.random(60) < 0.8, x, 1 - x)
    found = values(x, y, points=(0, 1), measurement="binary")
    assert set(found) == {
        "kappa",
        "alpha_nominal",
        "ac1",
        "exact",
        "icc_a1",
        "icc_c1",
        "icc_11",
        "pearson",
        "bias",
    }
    (a, b), (c, d) = pairs.counts(x, y, points_of([0, 1]))
    phi = (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    assert found["pearson"] == pytest.approx(phi, abs=1e-12)


def test_nominal_ratings_have_no_icc_and_no_bias():
    assert set(values([1, 2, 2, 3], [1, 2, 3, 3], measurement="nominal")) == {
        "kappa",
        "alpha_nominal",
        "ac1",
        "exact",
    }


@pytest.mark.parametrize("only", [{"kappa"}, {"icc_ak", "bias"}, {"icc_a1"}, {"icc_c1", "exact"}])
def test_a_few_statistics_are_the_same_as_among_all(only):
    x, y = random_pair(2)
    options = {"points": FIVE, "measurement": "ordinal"}
    every = two_raters(x, y + (y < 4), **options)
    assert two_raters(x, y + (y < 4), only=only, **options) == {
        name: every[name] for name in every if name in only
    }
    panel = np.stack([x, y, x], axis=1)
    every = many_raters(panel, **options)
    assert many_raters(panel, only=only, **options) == {
        name: every[name] for name in every if name in only
    }


def test_the_mean_of_raters_who_contradict_each_other_has_no_agreement():
    """It was 40.0: what the mean's variance is reckoned at has gone below 0."""
    x = np.tile(FIVE, 8)
    found = two_raters(x, 6 - x, points=FIVE, measurement="ordinal")
    assert found["icc_a1"].value < -1
    assert (found["icc_ak"].value, found["icc_ak"].low) == (None, None)
    assert found["icc_ak"].note is Note.NOTHING_TO_DIVIDE


def test_the_mean_square_is_the_bias_and_the_spread_together():
    rng = np.random.default_rng(6)
    x, y = rng.integers(1, 6, 50), rng.integers(2, 6, 50)
    found = two_raters(x, y, points=FIVE, measurement="ordinal")
    assert found["mse"].value == pytest.approx(((y - x) ** 2).mean())
    assert found["mse"].value == pytest.approx(found["rmse"].value ** 2)
    assert found["mse"].low < found["mse"].value < found["mse"].high
