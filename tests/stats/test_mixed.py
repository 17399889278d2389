"""Variance components of items in generators, raters, both together and the rest: beside lme4's
published fit and statsmodels, with gaps and without."""

import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from analytics.stats import mixed
from analytics.stats.mixed import Design, _Restricted, components_of, moments

# Davies & Goldsmith (1972), Statistical Methods in Research and Production, section 6.6: diameters on
# 24 plates, of six samples each; the data set Penicillin of lme4.
PENICILLIN = """
272326232321 272326232321 252125242420 262325232320 252226222320 242225232219 242023212219
262226242421 242124222220 242124232219 262326242421 252226242420 262426242522 262326232320
262325242422 252225232320 252124232320 252224232319 242123212119 262326242421 252124222218
252225222220 242124222419 242124222118
"""

# lme4 1.1-31 (R 4.2.2) of `drawn(4)` as a table: y ~ 1 + (1 | each effect), REML, optimizer bobyqa with
# rhoend = 1e-10; by how often a rater rates an item, the generators, and the share that is missing.
LME4 = {
    (2, 6, 0.0): {
        "items": 1.038956,
        "raters": 0.742765,
        "by_item": 0.297798,
        "generators": 0.544473,
        "rest": 0.393353,
    },
    (2, 6, 0.3): {
        "items": 1.071851,
        "raters": 0.752243,
        "by_item": 0.307566,
        "generators": 0.511756,
        "rest": 0.372986,
    },
    (2, 6, 0.6): {
        "items": 1.207287,
        "raters": 0.75612,
        "by_item": 0.297426,
        "generators": 0.578131,
        "rest": 0.265256,
    },
    (2, 1, 0.0): {"items": 1.115637, "raters": 0.076081, "by_item": 0.324236, "rest": 0.369486},
    (2, 1, 0.3): {"items": 1.096595, "raters": 0.090596, "by_item": 0.327048, "rest": 0.377003},
    (2, 1, 0.6): {"items": 1.244094, "raters": 0.122828, "by_item": 0.425535, "rest": 0.324208},
    (1, 6, 0.0): {"items": 1.09464, "raters": 0.599711, "generators": 0.586729, "rest": 0.775616},
    (1, 6, 0.3): {"items": 1.082464, "raters": 0.591253, "generators": 0.569726, "rest": 0.704345},
    (1, 6, 0.6): {"items": 1.059635, "raters": 0.462022, "generators": 0.691781, "rest": 0.623931},
    (1, 1, 0.0): {"items": 1.066582, "raters": 0.077104, "rest": 0.734436},
    (1, 1, 0.3): {"items": 0.981257, "raters": 0.082411, "rest": 0.69116},
    (1, 1, 0.6): {"items": 0.985149, "raters": 0.072326, "rest": 0.589118},
}


def drawn(seed, *, n=60, people=5, times=2, generators=6, missing=0.0):
    """Ratings of items by generators, where some were never given; generators have a spread."""
    rng = np.random.default_rng(seed)
    by = np.arange(n) % generators
    cube = (
        rng.normal(0, 0.8, generators)[by][:, None, None]
        + rng.normal(0, 1.1, (n, 1, 1))
        + rng.normal(0, 0.6, (1, people, 1))
        + rng.normal(0, 0.6, (n, people, 1))
        + rng.normal(0, 0.6, (n, people, times))
    )
    cube[rng.random(cube.shape) < missing] = np.nan
    item, rater, repeat = np.nonzero(np.isfinite(cube))
    design = Design(
        items=item,
        raters=rater,
        has_repeats=times > 1,
        generators=by[item] if generators > 1 else None,
    )
    return cube[item, rater, repeat], design


def by_statsmodels(library, values, design):
    """Its components by the names of ours, and the rest; all effects cross in one group."""
    columns = dict(design.effects())
    data = {"y": values, "whole": np.zeros(values.size), **columns}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = library("statsmodels.regression.mixed_linear_model").MixedLM.from_formula(
            "y ~ 1",
            groups="whole",
            re_formula="0",
            vc_formula={name: f"0 + C({name})" for name in columns},
            data=library("pandas").DataFrame(data),
        )
        fitted = model.fit(reml=True)
    return dict(zip(model.exog_vc.names, fitted.vcomp, strict=True)) | {"rest": fitted.scale}


def test_they_are_what_lme4_publishes():
    """Bates, Maechler, Bolker & Walker: diameter ~ 1 + (1 | plate) + (1 | sample), by REML."""
    table = np.array(
        [[int(row[place : place + 2]) for place in range(0, 12, 2)] for row in PENICILLIN.split()],
        dtype=float,
    )
    plate, sample = np.nonzero(np.isfinite(table))
    found = components_of(table.ravel(), Design(items=plate, raters=sample, has_repeats=False))
    assert found.items == pytest.approx(0.7169, abs=5e-5)
    assert found.raters == pytest.approx(3.7309, abs=5e-4)
    assert found.rest == pytest.approx(0.3024, abs=5e-5)


@pytest.mark.parametrize(("design", "told"), LME4.items(), ids=str)
def test_they_are_those_of_lme4_with_gaps_as_without(design, told):
    times, generators, missing = design
    found = components_of(*drawn(4, times=times, generators=generators, missing=missing))
    for name, variance in told.items():
        assert getattr(found, name) == pytest.approx(variance, abs=5e-6), name


@pytest.mark.parametrize(
    ("times", "generators"),
    [(2, 6), (2, 1), (1, 6), (1, 1)],
    ids=["all", "no generators", "no repeats", "two"],
)
def test_with_gaps_they_are_those_of_statsmodels_too(library, times, generators):
    values, design = drawn(4, times=times, generators=generators, missing=0.3)
    found = components_of(values, design)
    for name, variance in by_statsmodels(library, values, design).items():
        assert getattr(found, name) == pytest.approx(variance, rel=3e-3, abs=2e-4), name


def test_without_gaps_they_are_those_of_the_analysis_of_variance():
    values, design = drawn(4)
    found, by_squares = components_of(values, design), moments(values, design)
    assert min(by_squares.values()) > 0
    for name, variance in by_squares.items():
        assert getattr(found, name) == pytest.approx(variance, rel=1e-4), name


def test_the_slope_is_that_of_the_deviance():
    values, design = drawn(2, missing=0.4)
    names = [name for name, _groups in design.effects()]
    likelihood = _Restricted(values, design, names)
    for logs in ([0.3, -0.5, -0.7, -0.2], [2.0, -3.0, -4.0, 1.0]):
        _, slope = likelihood.at(np.array(logs))
        by_steps = approx_fprime(np.array(logs), lambda at: likelihood.at(at)[0], 1e-6)
        assert slope == pytest.approx(by_steps, rel=1e-3, abs=1e-3)


def test_an_effect_that_is_not_there_is_none_and_what_holds_it_is_fitted_without():
    """Henderson's method takes it for negative; cut off at 0 there, the others would be too large."""
    values, design = drawn(3, generators=6)
    level = np.bincount(design.raters, values) / np.bincount(design.raters)
    values = values - level[design.raters]
    assert moments(values, design)["raters"] < 0
    found = components_of(values, design)
    assert found.raters == 0
    assert found.by_item + found.rest < sum(
        moments(values, design)[name] for name in ("by_item", "rest")
    )


def test_raters_who_never_differ_leave_all_variance_to_the_items():
    worth = np.random.default_rng(1).normal(0, 1, 50)
    items, raters = np.divmod(np.arange(150), 3)
    found = components_of(worth[items], Design(items=items, raters=raters, has_repeats=False))
    assert found.items == pytest.approx(worth.var(ddof=1), rel=1e-3)
    assert found.raters + found.rest == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("people", [3, 16, 36, 100])
def test_raters_who_never_waver_have_all_variance_themselves(people):
    """Of many such, rounding was once more than what is left."""
    level = np.arange(people) ** 2 % 5 + 1.0
    items, raters = np.divmod(np.arange(12 * people), people)
    found = components_of(level[raters], Design(items=items, raters=raters, has_repeats=False))
    assert found.raters == pytest.approx(level.var(ddof=1), rel=0.05)
    assert found.items + found.rest == pytest.approx(0, abs=1e-6)


def test_of_thousands_of_items_at_which_many_take_turns_they_are_found_too():
    """A step leaps to where items are all that differs: sums there are small beside what they are
    of."""
    rng, n, people = np.random.default_rng(38), 10_000, 20
    item = np.repeat(np.arange(n), 3)
    rater = (item + np.tile([0, 1, 2], n) * rng.integers(1, 7, n)[item]) % people
    again = rng.random(item.size) < 0.05
    item, rater = (np.concatenate([one, one[again]]) for one in (item, rater))
    by, level = np.arange(n) % 10, rng.normal(0, 0.3, people)
    values = np.round(
        np.linspace(-0.6, 0.6, 10)[by[item]]
        + rng.normal(0, 0.9, n)[item]
        + level[rater]
        + rng.normal(0, 0.6, item.size)
    )
    design = Design(items=item, raters=rater, has_repeats=True, generators=by[item])
    found = components_of(values, design)
    assert found.items == pytest.approx(0.81, rel=0.05)
    assert found.by_item + found.rest == pytest.approx(0.36 + 1 / 12, rel=0.05)  # of rounding
    assert found.generators == pytest.approx(0.16, rel=0.1)
    assert found.raters == pytest.approx(level.var(ddof=1), rel=0.1)


def test_effects_that_cannot_be_told_apart_are_not():
    alone = np.arange(6)
    assert components_of(alone * 1.0, Design(items=alone, raters=alone, has_repeats=False)) is None


def test_gaps_that_follow_from_what_was_rated_before_do_not_draw_items_aside():
    """Others look only where the first gave little: Henderson's method takes the level of their items
    for their own, and the likelihood has a second hill there."""
    rng, far, by_squares = np.random.default_rng(5), [], []
    for _ in range(60):
        table = rng.normal(0, 1, (200, 1)) + rng.normal(0, 0.5, (200, 3))
        table[table[:, 0] > 0, 1:] = np.nan
        item, rater = np.nonzero(np.isfinite(table))
        design = Design(items=item, raters=rater, has_repeats=False)
        found = components_of(table[item, rater], design)
        far.append([found.items - 1, found.raters, found.rest - 0.25])
        by_squares.append(moments(table[item, rater], design)["raters"])
    assert np.mean(far, axis=0) == pytest.approx([0, 0, 0], abs=0.04)
    assert np.mean(by_squares) > 0.15


@pytest.mark.parametrize("times", [1, 2])
def test_sums_that_no_step_changes_are_made_once(times, monkeypatch):
    made = []

    class Counted(mixed._Weighed):
        def __init__(self, of, by_item):
            made.append(by_item)
            super().__init__(of, by_item)

    monkeypatch.setattr(mixed, "_Weighed", Counted)
    components_of(*drawn(4, times=times))
    if times == 1:
        assert made == [0.0]
    else:
        assert len(made) > 2
