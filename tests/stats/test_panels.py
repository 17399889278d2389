"""Many raters: published examples, reference packages, and what panels must satisfy."""

import itertools

import numpy as np
import pytest

from analytics.stats import kappa, panels
from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.estimates import Note
from analytics.stats.scales import points_of, positions, weights

FIVE = (1, 2, 3, 4, 5)
TOLERANCE = 1e-9
GWET = "Gwet 4 raters x 12 units, missing (irrCAC raw_4raters)"


def random_panel(seed, n=60, r=4, missing=0.25, q=5):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, q, (n, 1))
    ratings = np.clip(truth + rng.integers(-1, 2, (n, r)), 0, q - 1) + 1.0
    ratings[rng.random((n, r)) < missing] = np.nan
    return ratings


def values(ratings, points=FIVE, measurement="ordinal", **options):
    found = many_raters(ratings, points=points, measurement=measurement, **options)
    return {name: estimate.value for name, estimate in found.items()}


def raters_of(counts):
    return np.array([np.repeat(np.arange(row.size), row.astype(int)) for row in counts], float)


def test_fleiss_example_of_1971(published):
    counts = published("fleiss_1971")
    assert counts.sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    found = many_raters(raters_of(counts), points=range(5), measurement="nominal")
    assert found["fleiss"].value == pytest.approx(0.430, abs=5e-4)
    assert found["exact"].value == pytest.approx(0.5556, abs=5e-5)
    assert (found["fleiss"].n_items, found["fleiss"].n_pairs) == (30, 30 * 15)
    assert "fleiss_varying" not in found


def test_shrout_and_fleiss_example_of_1979(published, reference, pingouin_iccs):
    table = published("shrout_fleiss_1979")
    found = many_raters(table, points=range(1, 11), measurement="ordinal", kind="f")
    printed = {"icc_11": 0.17, "icc_a1": 0.29, "icc_c1": 0.71}
    printed |= {"icc_1k": 0.44, "icc_ak": 0.62, "icc_ck": 0.91}
    for form, (value, low, high) in pingouin_iccs(table).items():
        assert found[form].value == pytest.approx(printed[form], abs=5e-3), form
        assert found[form].value == pytest.approx(value, abs=TOLERANCE), form
        assert found[form].low == pytest.approx(low, abs=TOLERANCE), form
        assert found[form].high == pytest.approx(high, abs=TOLERANCE), form
    for told, form in {
        "ICC(1,1)": "icc_11",
        "ICC(A,1)": "icc_a1",
        "ICC(C,1)": "icc_c1",
        "ICC(A,k)": "icc_ak",
        "ICC(C,k)": "icc_ck",
    }.items():
        stored = reference["values"]["Shrout & Fleiss 1979 Table 2 (6x4)", told]
        one = found[form]
        assert one.value == pytest.approx(stored["value"], abs=TOLERANCE), form
        assert [one.low, one.high] == pytest.approx(stored["ci95"], abs=TOLERANCE), form


def test_krippendorff_example_of_2011(published, reference):
    found = values(published("krippendorff_2011"))
    dataset = "Krippendorff 2011 (4 observers x 12 units, missing)"
    for level, printed in {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}.items():
        stored = reference["values"][dataset, f"alpha {level}"]["value"]
        assert found[f"alpha_{level}"] == pytest.approx(printed, abs=5e-4)
        assert found[f"alpha_{level}"] == pytest.approx(stored, abs=TOLERANCE)


def test_gwet_example_of_2014(published, reference):
    ratings = published("krippendorff_2011")
    stored = {
        statistic: row["value"]
        for (dataset, statistic), row in reference["values"].items()
        if dataset == GWET
    }
    found = values(ratings)
    named = {
        "ac1": "AC1",
        "ac2": "AC2 quadratic",
        "fleiss_varying": "Fleiss kappa",
        "conger": "Conger kappa",
        "alpha_nominal": "Krippendorff alpha nominal",
    }
    for name, statistic in named.items():
        assert found[name] == pytest.approx(stored[statistic], abs=TOLERANCE), name
    points = points_of(FIVE)
    panel = panels.unpacked(panels.item_sums(positions(ratings, points), 5)[0].sum(axis=0), 5)
    for weighting in ("linear", "ordinal"):
        ac2 = panels.gwet(panel, points, weighting)
        assert ac2 == pytest.approx(stored[f"AC2 {weighting}"], abs=TOLERANCE), weighting


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_equals_the_krippendorff_package(krippendorff_alpha, seed, level):
    ratings = random_panel(seed, missing=0.5)
    assert (np.isfinite(ratings).sum(axis=1) == 1).any()
    expected = krippendorff_alpha(ratings, level, FIVE)
    assert values(ratings)[f"alpha_{level}"] == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(3))
def test_fleiss_equals_statsmodels_on_complete_panels(library, seed):
    ratings = random_panel(seed, missing=0)
    placed = positions(ratings, points_of(FIVE))
    counts = (placed[..., None] == np.arange(5)).sum(axis=1)
    expected = library("statsmodels.stats.inter_rater").fleiss_kappa(counts)
    assert values(ratings)["fleiss"] == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("seed", range(3))
def test_iccs_of_complete_panels_equal_pingouin(pingouin_iccs, seed):
    ratings = random_panel(seed)
    complete = ratings[np.isfinite(ratings).all(axis=1)]
    found = many_raters(ratings, points=FIVE, measurement="ordinal")
    for form, (value, _, _) in pingouin_iccs(complete).items():
        assert found[form].value == pytest.approx(value, abs=TOLERANCE), form
        assert found[form].n_items == len(complete)
        assert Note.INCOMPLETE_LEFT_OUT in found[form].notes


def test_conger_of_two_raters_is_cohen_and_is_the_mean_chance_of_pairs():
    ratings = random_panel(3, r=2, missing=0)
    pair = two_raters(*ratings.T, points=FIVE, measurement="nominal")
    assert values(ratings)["conger"] == pytest.approx(pair["kappa"].value, abs=1e-12)

    ratings = random_panel(4, r=4, missing=0)
    points, weight = points_of(FIVE), weights(points_of(FIVE), "none")
    shares = [(ratings[:, [rater]] == points).mean(axis=0) for rater in range(4)]
    chance = np.mean([one @ other for one, other in itertools.combinations(shares, 2)])
    panel = panels.unpacked(panels.item_sums(positions(ratings, points), 5)[0].sum(axis=0), 5)
    expected = kappa.beyond_chance(panel.observed(weight), np.asarray(chance))
    assert values(ratings)["conger"] == pytest.approx(float(expected), abs=1e-12)


def test_a_panel_of_two_gives_what_two_raters_give():
    ratings = random_panel(6, r=2, missing=0)
    panel = values(ratings)
    pair = two_raters(*ratings.T, points=FIVE, measurement="ordinal")
    shared_names = set(panel) & set(pair)
    assert len(shared_names) >= 12
    for name in shared_names:
        assert panel[name] == pytest.approx(pair[name].value, abs=1e-12), name


def test_singly_rated_items_count_for_ac_but_not_for_alpha():
    ratings = random_panel(7)
    lonely = np.full((30, 4), np.nan)
    lonely[:, 0] = 5
    found, extended = values(ratings), values(np.vstack([ratings, lonely]))
    assert extended["alpha_ordinal"] == pytest.approx(found["alpha_ordinal"], abs=1e-12)
    assert extended["exact"] == pytest.approx(found["exact"], abs=1e-12)
    assert abs(extended["ac1"] - found["ac1"]) > 0.01


def test_items_rated_once_do_not_make_an_interval_safer():
    few = random_panel(8, n=4, missing=0)
    lonely = np.full((500, 4), np.nan)
    lonely[:, 1] = 3
    found = many_raters(np.vstack([few, lonely]), points=FIVE, measurement="ordinal")
    assert found
    for name, estimate in found.items():
        assert estimate.low is None, name
        assert Note.TOO_FEW_CLUSTERS in estimate.notes, name
        assert estimate.n_clusters == 4, name


def test_rotating_pairs_of_raters_who_agree_perfectly_give_one():
    rng = np.random.default_rng(11)
    truth = rng.integers(1, 6, 60).astype(float)
    ratings = np.full((60, 6), np.nan)
    for item, pair in enumerate(
        itertools.islice(itertools.cycle(itertools.combinations(range(6), 2)), 60)
    ):
        ratings[item, list(pair)] = truth[item]
    found = many_raters(ratings, points=FIVE, measurement="ordinal")
    but_iccs = {name: one for name, one in found.items() if not name.startswith("icc_")}
    assert but_iccs
    for name, estimate in but_iccs.items():
        assert estimate.value == pytest.approx(1, abs=1e-12), name
        if name == "exact":  # a share of all items, which has its limit
            assert (estimate.low, estimate.note) == (pytest.approx(0.05 ** (1 / 60)), None)
            continue
        assert estimate.note is Note.NO_DISAGREEMENT, name
        assert estimate.low is None, name


def test_fleiss_takes_only_panels_of_the_expected_size():
    ratings = random_panel(12, n=40, r=3, missing=0)
    ratings[25:, 2] = np.nan
    found = many_raters(ratings, points=FIVE, measurement="ordinal")
    assert (found["fleiss"].n_items, found["fleiss_varying"].n_items) == (25, 40)
    alone = many_raters(ratings[:25], points=FIVE, measurement="ordinal")
    assert found["fleiss"].value == pytest.approx(alone["fleiss"].value, abs=1e-12)
    of_two = many_raters(ratings, points=FIVE, measurement="ordinal", panel=2)
    assert of_two["fleiss"].n_items == 15
    for figure in (found["fleiss"], of_two["fleiss"]):
        assert Note.INCOMPLETE_LEFT_OUT in figure.notes
    for figure in (alone["fleiss"], found["fleiss_varying"], found["alpha_ordinal"]):
        assert Note.INCOMPLETE_LEFT_OUT not in figure.notes


def test_nominal_ratings_have_no_icc():
    assert set(values(random_panel(2), measurement="nominal")) == {
        "fleiss",
        "fleiss_varying",
        "conger",
        "alpha_nominal",
        "ac1",
        "exact",
    }


def test_an_absent_rater_is_left_out_and_said_so():
    ratings = random_panel(5, r=3, missing=0)
    ratings[:, 1] = np.nan
    found = many_raters(ratings, points=FIVE, measurement="ordinal")
    without = many_raters(ratings[:, [0, 2]], points=FIVE, measurement="ordinal")
    for name, estimate in without.items():
        assert found[name].value == pytest.approx(estimate.value, abs=1e-12), name
        assert found[name].n_raters == 2, name
    assert Note.ABSENT_RATER in found["icc_a1"].notes
    assert Note.ABSENT_RATER not in without["icc_a1"].notes


def test_two_items_high_on_a_long_scale_are_seen_as_agreement():
    found = many_raters([[9, 9], [9, 9]], points=range(1, 11), measurement="ordinal")
    assert found["alpha_ordinal"].note is Note.ALL_EQUAL
    found = many_raters([[9, 9], [10, 10]], points=range(1, 11), measurement="ordinal")
    assert found["alpha_ordinal"].note is Note.NO_DISAGREEMENT


def test_where_raters_rotate_the_variance_components_tell_the_icc_of_all_items():
    """Pairs that agree perfectly: an ICC of the items which all have rated would not exist."""
    rng = np.random.default_rng(3)
    values = np.full((40, 4), np.nan)
    for item in range(40):
        values[item, [item % 4, (item + 1) % 4]] = rng.integers(1, 6)
    found = many_raters(values, points=range(1, 6), measurement="ordinal")
    for name in ("fleiss", "alpha_ordinal", "alpha_interval", "icc_a1_reml", "icc_c1_reml", "ac2"):
        assert found[name].value == pytest.approx(1, abs=1e-12), name
    complete = many_raters(values[:, :2][:1], points=range(1, 6), measurement="ordinal")
    assert "icc_a1_reml" not in complete


def test_rare_answers_are_counted_by_items_not_by_how_many_raters_share_them():
    """A fifth of 300 items is marked; that two of two raters gave them or two of twelve is one."""
    rng = np.random.default_rng(12)
    marked = rng.random(300) < 0.2
    pairs = np.where(rng.random((300, 2)) < 0.9, marked[:, None], ~marked[:, None]).astype(float)
    twelve = np.full((300, 12), np.nan)
    for item, chosen in enumerate(rng.permuted(np.tile(np.arange(12), (300, 1)), axis=1)[:, :2]):
        twelve[item, chosen] = pairs[item]
    absent = np.column_stack([pairs, np.full((300, 10), np.nan)])
    for ratings in (pairs, twelve, absent):
        found = many_raters(ratings, points=(0, 1), measurement="binary")["alpha_nominal"]
        assert Note.TOO_FEW_RARE_ANSWERS not in found.notes
        assert found.low < found.value < found.high
    few = np.where(np.arange(300)[:, None] < 280, 0.0, twelve)
    rare = many_raters(np.where(np.isnan(twelve), np.nan, few), points=(0, 1), measurement="binary")
    assert rare["alpha_nominal"].note is Note.TOO_FEW_RARE_ANSWERS
