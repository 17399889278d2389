"""Rotating panels: variance components with gaps."""

import itertools
import warnings

import numpy as np
import pytest

from analytics.stats import icc
from analytics.stats.components import components, rotating_panel
from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS


def rated(seed=1, n=60, r=4, missing=0.0):
    rng = np.random.default_rng(seed)
    values = rng.normal(3, 1.2, (n, 1)) + rng.normal(0, 0.6, (1, r)) + rng.normal(0, 0.8, (n, r))
    values[rng.random((n, r)) < missing] = np.nan
    return values


@pytest.mark.parametrize("seed", range(4))
def test_without_gaps_they_are_those_of_the_analysis_of_variance(seed):
    values = rated(seed)
    ms = icc.mean_squares(values)
    found = components(values)
    assert found.items == pytest.approx((ms.rows - ms.error) / 4, rel=1e-5)
    assert found.raters == pytest.approx((ms.columns - ms.error) / 60, rel=1e-5)
    assert found.rest == pytest.approx(float(ms.error), rel=1e-5)
    assert found.agreement == pytest.approx(float(icc.agreement(ms)), abs=1e-6)
    assert found.consistency == pytest.approx(float(icc.consistency(ms)), abs=1e-6)


def test_with_gaps_they_are_those_of_a_crossed_mixed_model(library):
    values = rated(5, missing=0.4)
    item, rater = np.nonzero(np.isfinite(values))
    data = {"y": values[item, rater], "item": item, "rater": rater, "all": np.zeros(item.size)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = library("statsmodels.regression.mixed_linear_model").MixedLM.from_formula(
            "y ~ 1",
            groups="all",
            re_formula="0",
            vc_formula={"item": "0 + C(item)", "rater": "0 + C(rater)"},
            data=library("pandas").DataFrame(data),
        )
        fitted = model.fit(reml=True)
    found = components(values)
    assert (found.items, found.raters) == pytest.approx(tuple(fitted.vcomp), rel=1e-4)
    assert found.rest == pytest.approx(fitted.scale, rel=1e-4)


def test_raters_without_any_difference_in_level_have_no_variance():
    values = rated(6)
    values -= values.mean(axis=0) - values.mean()
    found = components(values)
    assert found.raters == pytest.approx(0, abs=1e-4)
    assert found.agreement == pytest.approx(found.consistency, abs=1e-4)


def test_where_raters_do_not_differ_in_level_both_reach_as_high():
    """But other raters may differ, so that agreement may be lower than consistency."""
    values = rated(6, r=8)
    values -= values.mean(axis=0) - values.mean()
    values[0, 0] = np.nan
    agreement, consistency = rotating_panel(values).values()
    assert agreement.value == pytest.approx(consistency.value, abs=1e-3)
    assert agreement.high == pytest.approx(consistency.high, abs=1e-3)
    assert agreement.low < consistency.low


def test_a_shift_leaves_consistency_alone_and_lowers_agreement():
    values = rated(7, missing=0.3)
    before, after = components(values), components(values + np.array([0, 0, 0, 4]))
    assert after.consistency == pytest.approx(before.consistency, abs=0.01)
    assert after.agreement < before.agreement - 0.1


def test_rotating_pairs_of_raters_who_agree_perfectly_give_one():
    rng = np.random.default_rng(11)
    values = np.full((60, 6), np.nan)
    pairs = itertools.cycle(itertools.combinations(range(6), 2))
    for item, pair in zip(range(60), pairs, strict=False):
        values[item, list(pair)] = rng.integers(1, 6)
    found = rotating_panel(values)
    assert found
    for estimate in found.values():
        assert estimate.value == 1
        assert estimate.note is Note.NO_DISAGREEMENT
        assert estimate.low is None
        assert (estimate.n_items, estimate.n_pairs, estimate.n_raters) == (60, 60, 6)


def test_rotating_pairs_of_noisy_raters_find_the_true_share():
    rng = np.random.default_rng(12)
    values = rated(13, n=600, r=8)
    for row in values:
        row[rng.permutation(8)[2:]] = np.nan
    found = rotating_panel(values, clusters=np.arange(600) // 3)
    consistency = found["icc_c1_reml"]
    assert consistency.low < 1.2**2 / (1.2**2 + 0.8**2) < consistency.high
    assert consistency.n_clusters == 200
    assert consistency.method in METHODS
    assert found["icc_a1_reml"].value < consistency.value


@pytest.mark.parametrize(
    ("values", "value", "note"),
    [
        (np.empty((0, 0)), None, Note.NO_OVERLAP),
        (np.array([[1.0, np.nan], [np.nan, 2.0]]), None, Note.NO_OVERLAP),
        (np.array([[1.0, 2.0]]), None, Note.ONE_ITEM),
        (np.full((30, 3), 4.0), None, Note.ALL_EQUAL),
        (np.array([[1.0, 1], [2, 2], [5, 5]]), 1.0, Note.NO_DISAGREEMENT),
    ],
)
def test_degenerate_ratings_say_what_stands_in_the_way(values, value, note):
    found = rotating_panel(values)
    assert found
    for estimate in found.values():
        assert estimate.value == value
        assert estimate.note is note
        assert estimate.low is None


def test_few_items_have_no_interval():
    found = rotating_panel(np.array([[1.0, 2], [2, 2], [5, 4]]))["icc_c1_reml"]
    assert found.value > 0.5
    assert found.note is Note.TOO_FEW_CLUSTERS
    for n in (8, 19):
        assert rotating_panel(rated(8, n=n))["icc_c1_reml"].note is Note.FEW_CLUSTERS
    assert rotating_panel(rated(8, n=20))["icc_c1_reml"].note is None


def test_equal_ratings_have_no_components():
    with pytest.raises(ValueError, match="equal"):
        components(np.full((5, 2), 3.0))


@pytest.mark.parametrize(("r", "seed"), [(8, 3), (4, 4), (3, 5)])
def test_limits_of_agreement_speak_of_other_raters(r, seed):
    """A jackknife that holds eight raters fixed held the truth 0.68 to 0.76 times."""
    rng, held = np.random.default_rng(seed), 0
    for _ in range(60):
        values = rng.normal(0, 1.2, (300, 1)) + rng.normal(0, 0.6, r) + rng.normal(0, 0.8, (300, r))
        for row in values:
            row[rng.permutation(r)[2:]] = np.nan
        found = rotating_panel(values)["icc_a1_reml"]
        held += found.low <= 1.44 / (1.44 + 0.36 + 0.64) <= found.high
    assert held >= 54


def test_two_raters_tell_nothing_of_others():
    values = rated(9)[:, :2]
    values[:3, 0] = np.nan
    found = rotating_panel(values)
    assert found["icc_a1_reml"].low is None
    assert found["icc_a1_reml"].note is Note.TOO_FEW_RATERS
    assert found["icc_c1_reml"].low is not None


def test_items_that_do_not_differ_have_no_interval():
    """It printed 0.00 [0.00, 0.00]."""
    values = np.random.default_rng(1).normal(0, 1, (60, 4))
    values -= values.mean(axis=1, keepdims=True)
    values[::3, 0] = np.nan
    found = rotating_panel(values)
    assert found
    for estimate in found.values():
        assert estimate.value == pytest.approx(0, abs=1e-4)
        assert (estimate.low, estimate.high) == (None, None)
        assert estimate.note is Note.AT_BOUNDARY
