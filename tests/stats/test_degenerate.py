"""What cannot be computed says why; nothing crashes, warns, or answers with NaN."""

import math

import numpy as np
import pytest

from analytics.stats import pairs, panels
from analytics.stats.accuracy import accuracy
from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.ceiling import ceiling
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import NONE_IN_N_METHOD
from analytics.stats.runs import mean_agreement
from analytics.stats.systems import system_level

FIVE = (1, 2, 3, 4, 5)
NAN = math.nan
HALVES = np.tile(FIVE, 8)
MEASUREMENTS = ("nominal", "binary", "ordinal")

PAIRS = {
    "empty": ([], [], Note.NO_OVERLAP),
    "all missing": ([NAN] * 6, [NAN] * 6, Note.NO_OVERLAP),
    "one rater missing entirely": ([1, 2, 3], [NAN] * 3, Note.NO_OVERLAP),
    "never the same item": ([1, NAN, 2, NAN], [NAN, 1, NAN, 2], Note.NO_OVERLAP),
    "one item": ([3], [4], Note.ONE_ITEM),
    "one item rated by both": ([3, 2, NAN], [4, NAN, 1], Note.ONE_ITEM),
    "all equal": ([5] * 30, [5] * 30, Note.ALL_EQUAL),
    "perfect agreement": (HALVES, HALVES, Note.NO_DISAGREEMENT),
    "one rater constant": ([5] * 40, HALVES, Note.ONE_RATER_CONSTANT),
    "both constant and different": ([4] * 30, [5] * 30, Note.ONE_RATER_CONSTANT),
    "two items": ([1, 4], [2, 5], Note.TOO_FEW_CLUSTERS),
}
VALUES = {
    "empty": {"icc_a1": None, "kappa": None, "exact": None, "bias": None, "ac1": None},
    "all missing": {"icc_a1": None, "alpha_ordinal": None, "mae": None},
    "one rater missing entirely": {"icc_c1": None, "pearson": None, "bias": None},
    "never the same item": {"icc_c1": None, "spearman": None},
    "one item": {"icc_a1": None, "kappa": None, "bias": 1, "exact": 0, "loa_low": None},
    "one item rated by both": {"alpha_nominal": None, "bias": 1},
    "all equal": {"icc_a1": None, "kappa": None, "alpha_nominal": None, "ac1": 1, "exact": 1},
    "perfect agreement": {"icc_a1": 1, "icc_c1": 1, "kappa": 1, "alpha_ordinal": 1, "bias": 0},
    "one rater constant": {"icc_a1": 0, "icc_c1": 0, "kappa": 0, "pearson": None, "bias": -2},
    "both constant and different": {"icc_a1": 0, "icc_c1": None, "icc_11": -1, "bias": 1},
    "two items": {"icc_c1": 1, "alpha_ordinal": 0.7, "alpha_interval": 0.85, "alpha_nominal": 0},
}


def is_honest(estimate: Estimate) -> bool:
    limits = (estimate.low, estimate.high)
    missing = [number for number in (estimate.value, *limits) if number is None]
    return (
        (estimate.low is None) == (estimate.high is None) == (estimate.method is None)
        and (not missing or bool(estimate.notes))
        and (estimate.low is None or estimate.low <= estimate.value <= estimate.high)
    )


@pytest.mark.parametrize("case", PAIRS)
def test_two_raters_say_what_stands_in_the_way(case):
    x, y, note = PAIRS[case]
    found = two_raters(x, y, points=FIVE, measurement="ordinal")
    assert all(map(is_honest, found.values()))
    assert found["icc_a1"].note is note
    assert found["icc_a1"].low is None
    for name, value in VALUES[case].items():
        expected = value if value is None else pytest.approx(value, abs=1e-12)
        assert found[name].value == expected, name


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@pytest.mark.parametrize(("clusters", "n"), [(None, 10), (np.arange(10) // 2, 5)])
def test_raters_who_always_agree_have_an_exact_limit_from_their_dialogues(clusters, n, measurement):
    """As a share of flags has: with no disagreement in n dialogues it is rarer than 1 - 0.05^(1/n)."""
    points, same = (0, 1), np.ones(10)
    options = {"points": points, "measurement": measurement, "clusters": clusters}
    for found in (
        two_raters(same, same, **options)["exact"],
        many_raters(np.ones((10, 3)), **options)["exact"],
        mean_agreement(same, np.ones((10, 3)), **options)["exact"],
    ):
        assert (found.value, found.high, found.method) == (1, 1, NONE_IN_N_METHOD)
        assert found.low == pytest.approx(0.05 ** (1 / n))
        assert found.n_clusters == n
    never = two_raters(same, 1 - same, **options)["exact"]
    assert (never.value, never.low, never.high) == (0, 0, pytest.approx(1 - 0.05 ** (1 / n)))


def test_a_judge_who_never_differs_from_people_has_no_share_as_a_difference():
    options = {"points": (0, 1), "measurement": "nominal", "only": ["exact"]}
    found = ceiling(np.ones(12), np.ones((12, 3)), **options)["exact"]
    assert (found.people.value, found.people.low) == (1, pytest.approx(0.05 ** (1 / 12)))
    assert (found.difference.value, found.difference.low) == (0, None)


@pytest.mark.parametrize("kind", ["jackknife", "bootstrap", "f"])
@pytest.mark.parametrize("measurement", MEASUREMENTS)
@pytest.mark.parametrize("case", PAIRS)
def test_every_front_door_survives_every_case(case, measurement, kind):
    x, y, _ = PAIRS[case]
    n = len(x)
    options = {"points": FIVE, "measurement": measurement, "kind": kind}
    for clusters in (None, np.arange(n) // 3):
        found = two_raters(x, y, clusters=clusters, **options)
        assert tuple(found) == pairs.SUITED[measurement]
        assert all(map(is_honest, found.values()))
        panel = np.stack([x, y, [NAN] * n], axis=1) if n else np.empty((0, 3))
        many = many_raters(panel, clusters=clusters, **options)
        assert set(many) >= set(panels.SUITED[measurement]) - {"fleiss_varying"}
        assert all(map(is_honest, many.values()))
        against = accuracy(x, y, clusters=clusters, points=FIVE)
        shares = [*against.overall.values(), *against.recall.values(), *against.precision.values()]
        assert all(map(is_honest, shares))
    systems = system_level(x, y, [str(item % 4) for item in range(n)])
    assert all(map(is_honest, systems.estimates.values()))


PANELS = {
    "no items": (np.empty((0, 3)), Note.NO_OVERLAP),
    "no raters": (np.empty((5, 0)), Note.NO_OVERLAP),
    "one rater": (np.array([[1.0], [2], [3]]), Note.NO_OVERLAP),
    "one item": (np.array([[1.0, 2, 3]]), Note.ONE_ITEM),
    "all equal": (np.full((30, 3), 4.0), Note.ALL_EQUAL),
    "perfect agreement": (np.tile(HALVES[:, None], 3).astype(float), Note.NO_DISAGREEMENT),
}


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@pytest.mark.parametrize("case", PANELS)
def test_panels_say_what_stands_in_the_way(case, measurement):
    ratings, note = PANELS[case]
    found = many_raters(ratings, points=FIVE, measurement=measurement)
    assert all(map(is_honest, found.values()))
    assert found["alpha_nominal"].note is note
    assert found["fleiss"].low is None


def test_a_panel_without_a_complete_item_has_no_icc_and_says_so():
    ratings = np.array([[1, 2, NAN], [NAN, 3, 4], [5, NAN, 5]] * 4)
    found = many_raters(ratings, points=FIVE, measurement="ordinal")
    assert found["icc_a1"].value is None
    assert found["icc_a1"].note is Note.NO_COMPLETE_ITEM
    assert found["alpha_interval"].value is not None


@pytest.mark.parametrize("value", [0, 6, 2.5, math.inf])
def test_a_rating_off_the_scale_is_refused(value):
    with pytest.raises(ValueError, match=r"^1 ratings are not on the scale 1, 2, 3, 4, 5: leave"):
        two_raters([1, value], [1, 2], points=FIVE, measurement="ordinal")
    with pytest.raises(ValueError, match="not on the scale"):
        many_raters([[1, 2], [value, 2]], points=FIVE, measurement="nominal")


@pytest.mark.parametrize("points", [(), (1,), (1, 1, 2), (1, NAN), (1, math.inf)])
def test_points_that_are_no_scale_are_refused(points):
    with pytest.raises(ValueError, match="scale"):
        two_raters([1], [1], points=points, measurement="ordinal")


def test_ratings_of_different_length_are_refused():
    with pytest.raises(ValueError, match="one value an item"):
        two_raters([1, 2, 3], [1, 2], points=FIVE, measurement="ordinal")
    with pytest.raises(ValueError, match="exactly one cluster"):
        two_raters([1, 2], [1, 2], clusters=[1, 1, 2], points=FIVE, measurement="ordinal")
    with pytest.raises(ValueError, match="items by raters"):
        many_raters([1, 2, 3], points=FIVE, measurement="ordinal")


def test_an_estimate_refuses_what_is_not_a_number():
    with pytest.raises(ValueError, match="kappa"):
        Estimate(statistic="kappa", value=NAN, n_items=1, n_pairs=1, n_clusters=1, n_raters=2)


@pytest.mark.parametrize(
    ("n_low", "n_high", "note"),
    [
        (2, 100, Note.TOO_FEW_LOW),
        (3, 100, Note.FEW_LOW),
        (4, 100, Note.FEW_LOW),
        (5, 100, None),
        (100, 2, Note.TOO_FEW_HIGH),
        (100, 4, Note.FEW_HIGH),
    ],
)
def test_few_items_at_an_end_of_the_scale_are_said_where_agreement_hangs_on_them(
    n_low, n_high, note
):
    x = np.array([1] * n_low + [5] * n_high + [2, 5, 4, 1] * 5, dtype=float)
    y = np.array([1] * n_low + [5] * n_high + [5, 2, 2, 4] * 5, dtype=float)
    found = two_raters(x, y, points=FIVE, measurement="ordinal")
    assert found["icc_a1"].note is note
    assert found["kappa"].note is note
    assert found["bias"].note is None
    assert found["icc_a1"].low is not None
    panel = many_raters(np.stack([x, y], axis=1), points=FIVE, measurement="ordinal")
    assert panel["alpha_ordinal"].note is note


def test_fewer_than_thirty_pairs_are_exploratory():
    x = np.tile([1.0, 5, 2, 4], 7)
    y = np.tile([1.0, 5, 4, 2], 7)
    assert Note.EXPLORATORY in two_raters(x, y, points=FIVE, measurement="ordinal")["bias"].notes
