"""From what a judge says to what people would say: calibration, checked on dialogues held out.

Calibration repairs means, not items: it takes the bias away, and agreement rises at most to about
what consistency was before. Isotonic and ordinal maps also draw ratings together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats import moments
from analytics.stats.cells import Cell, cell_of_rows, numbered, owners_of
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import DIFFERENCE, SEED, Statistic
from analytics.stats.runs import estimate_over_runs
from analytics.stats.scales import Floats, Ints, levels_of, points_of, positions

FOLDS = 5
LEAST_ITEMS = 30
LEAST_DIALOGUES = 2 * FOLDS
CHECKED = ("mae", "bias", "icc_a1")
_CHANGED = ("mae", "icc_a1")
_STEEPEST = 30.0
_WIDEST = 12.0
_LEAST_CHANCE = 1e-15


class Method(StrEnum):
    """How the judge's rating x becomes the expected rating of people.

    `shift`: x + b. `linear`: a + b x, least squares. `isotonic`: any rising curve (pool adjacent
    violators). `ordinal`: the mean rating under proportional odds (McCullagh 1980, JRSS B 42(2)).
    """

    SHIFT = "shift"
    LINEAR = "linear"
    ISOTONIC = "isotonic"
    ORDINAL = "ordinal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrator:
    """A fitted map. Numbers only, so that it can be stored and used on later ratings.

    `parameters`: shift (b,); linear (a, b); isotonic, the knots x1 .. xm, y1 .. ym; ordinal, the
    slope, the thresholds between the points that people used, and those points. `low`, `high`:
    the judge's lowest and highest rating among the labelled items, its support.
    """

    method: Method
    parameters: tuple[float, ...]
    low: float
    high: float

    def calibrated(self, ratings: npt.ArrayLike) -> Floats:
        """Expected ratings of people for the judge's (n,); NaN where missing or off the support.

        They are means, so they may lie between the points of the scale or a little beyond its ends.
        """
        given = np.asarray(ratings, dtype=np.float64)
        inside = (given >= self.low) & (given <= self.high)
        found = np.full(given.shape, np.nan)
        found[inside] = _MAPS[self.method](np.asarray(self.parameters), given[inside])
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One method: `calibrator` from all labelled items, and how it did on dialogues held out.

    `held_out` (n,): each item's calibrated rating by a map that never saw its dialogue, NaN where
    it was refused. `before`, `after`: `mae`, `bias` and `icc_a1` of the judge's ratings against
    people's; `change`, of `mae` and `icc_a1`, is after less before, over the same dialogues.
    `n_refused`: labelled items outside the support of the map that never saw them; they count in
    none of these.
    """

    calibrator: Calibrator
    held_out: Floats
    before: dict[str, Estimate]
    after: dict[str, Estimate]
    change: dict[str, Estimate]
    n_refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrations:
    """What the labels allow: methods by name, or none and the note that says why."""

    methods: dict[Method, Calibration]
    n_items: int
    n_dialogues: int
    note: Note | None


def calibrations(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    methods: Collection[Method] = tuple(Method),
    folds: int = FOLDS,
    seed: int = SEED,
) -> Calibrations:
    """Calibrate the judge (n,) to people (n,), NaN where missing, and check it by cross-fitting.

    Dialogues (`clusters` (n,), None when every item stands alone) are dealt to `folds` folds in turn,
    so that those with the judge's lowest ratings lie apart, and those with its highest: a map fitted
    without all of them would know nothing of such a rating. `seed` decides between dialogues that are
    alike. The map for a fold is fitted on the others. The intervals take the maps as they are.
    `points`: the scale of people's ratings; the judge's may lie between points. Nothing is fitted
    with fewer than 30 labelled items or 10 dialogues.
    """
    scale = points_of(points)
    said, meant = (np.asarray(rater, dtype=np.float64) for rater in (judge, human))
    positions(meant, scale)
    labels = _dealt(said, meant, clusters, folds=folds, seed=seed)
    n = labels.judge.size
    if labels.are_few:
        return Calibrations(
            methods={}, n_items=n, n_dialogues=labels.n_dialogues, note=Note.TOO_FEW_LABELS
        )
    found = {}
    for method in methods:
        held_out = _cross_fitted(method, labels)
        found[method] = Calibration(
            calibrator=fit(method, labels.judge, labels.human),
            held_out=held_out,
            n_refused=labels.n_refused(held_out),
            **_compared(said, meant, held_out, n, clusters, scale),
        )
    return Calibrations(methods=found, n_items=n, n_dialogues=labels.n_dialogues, note=None)


def calibrated_runs(
    runs: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    method: Method,
    items: npt.ArrayLike,
    clusters: npt.ArrayLike,
    points: Sequence[float] | npt.NDArray[Any],
) -> dict[str, Estimate]:
    """`mae`, `bias` and `icc_a1` of a judge's runs (n, r), each under maps that never saw the dialogue,
    against people (n,): means over runs, with intervals as `runs.mean_agreement` makes them.

    `items` (n,): which item each row is of, counted once. The rest as `calibrations`; empty where a
    run has too few labels.
    """
    meant = np.asarray(human, dtype=np.float64)
    scale = points_of(points)
    positions(meant, scale)
    each = [_dealt(run, meant, clusters) for run in np.asarray(runs, dtype=np.float64).T]
    if not each or any(labels.are_few for labels in each):
        return {}
    held_out = np.stack([_cross_fitted(method, labels) for labels in each], axis=1)
    used = np.asarray(np.isfinite(held_out).any(axis=1))
    middle, x, y = float(scale[0] + scale[-1]) / 2, meant[used], held_out[used]
    rows = np.stack([moments.rows(x, run, centre=middle) for run in y.T], axis=1)
    rows = np.where(np.isfinite(y)[:, :, None], rows, 0.0).reshape(len(y), -1)
    cell = cell_of_rows(
        np.concatenate([np.ones((len(y), 1)), rows], axis=1),
        owners_of(clusters, used),
        n_pairs=int(np.isfinite(y).sum()),
        reasons=set.union(
            *(moments.reasons(x[there], run[there]) for run in y.T for there in [np.isfinite(run)])
        ),
        doubts={Note.OUTSIDE_SUPPORT}
        if any(labels.n_refused(run) for labels, run in zip(each, held_out.T, strict=True))
        else (),
    )
    sums = cell.replicas[:, 1:].reshape(-1, y.shape[1], moments.WIDTH)
    n_items = int(np.unique(np.asarray(items)[used]).size)
    return {
        name: replace(
            estimate_over_runs(cell, name, known.compute(sums), known.reading), n_items=n_items
        )
        for name in CHECKED
        for known in [moments.STATISTICS[name]]
    }


def fit(method: Method, judge: Floats, human: Floats) -> Calibrator:
    """The map of one method from complete pairs of ratings (n,)."""
    return Calibrator(
        method=method,
        parameters=tuple(float(number) for number in _FITS[method](judge, human)),
        low=float(judge.min()),
        high=float(judge.max()),
    )


class _Labels(NamedTuple):
    """Which items, (n,), have both ratings; of those the ratings and the fold, (m,) each."""

    which: npt.NDArray[np.bool_]
    judge: Floats
    human: Floats
    fold: Ints
    n_dialogues: int

    @property
    def are_few(self) -> bool:
        return self.judge.size < LEAST_ITEMS or self.n_dialogues < LEAST_DIALOGUES

    def n_refused(self, held_out: Floats) -> int:
        return int((self.which & np.isnan(held_out)).sum())


def _dealt(
    said: Floats,
    meant: Floats,
    clusters: npt.ArrayLike | None,
    *,
    folds: int = FOLDS,
    seed: int = SEED,
) -> _Labels:
    which = np.isfinite(said) & np.isfinite(meant)
    numbers, size = numbered(owners_of(clusters, which), int(which.sum()))
    fold = np.empty(size, dtype=np.int64)
    fold[_in_turn(said[which], numbers, size, seed)] = np.arange(size) % folds
    return _Labels(which, said[which], meant[which], fold[numbers], size)


def _in_turn(said: Floats, numbers: Ints, size: int, seed: int) -> Ints:
    """The dialogues (d,) in the order in which they are dealt: those with the lowest rating stand
    side by side, and so do those with the highest; in each group they are ordered by their mean."""
    has_lowest, has_highest = (
        np.bincount(numbers[said == end], minlength=size) > 0
        for end in (said.min(initial=np.inf), said.max(initial=-np.inf))
    )
    group = np.where(has_lowest, has_highest, 3 - has_highest)
    mean = np.bincount(numbers, said, size) / np.bincount(numbers, minlength=size)
    return np.lexsort((np.random.default_rng(seed).random(size), mean, group))


def _cross_fitted(method: Method, labels: _Labels) -> Floats:
    x, y, calibrated = labels.judge, labels.human, np.full(labels.judge.size, np.nan)
    for one in np.unique(labels.fold):
        here = labels.fold == one
        calibrated[here] = fit(method, x[~here], y[~here]).calibrated(x[here])
    held_out = np.full(labels.which.shape, np.nan)
    held_out[labels.which] = calibrated
    return held_out


def _compared(
    said: Floats,
    meant: Floats,
    held_out: Floats,
    n: int,
    clusters: npt.ArrayLike | None,
    scale: Floats,
) -> dict[str, Any]:
    """`before`, `after` and `change` over the items that were not refused."""
    used = np.isfinite(held_out)
    sides = (said[used], held_out[used])
    middle = float(scale[0] + scale[-1]) / 2
    cell = cell_of_rows(
        np.concatenate([moments.rows(meant[used], side, centre=middle) for side in sides], axis=1),
        owners_of(clusters, used),
        doubts={Note.OUTSIDE_SUPPORT} if used.sum() < n else (),
    )
    before, after = (
        _side(cell, place, moments.reasons(meant[used], side)) for place, side in enumerate(sides)
    )
    return {
        "before": before,
        "after": after,
        "change": {name: _change(cell, name) for name in _CHANGED},
    }


def _side(cell: Cell, place: int, reasons: set[Note]) -> dict[str, Estimate]:
    of_side = replace(cell, reasons=cell.reasons | reasons)
    return {
        name: of_side.estimate(name, _at(name, place), moments.STATISTICS[name].reading)
        for name in CHECKED
    }


def _change(cell: Cell, name: str) -> Estimate:
    before, after = _at(name, 0), _at(name, 1)
    return cell.estimate(name, lambda sums: after(sums) - before(sums), DIFFERENCE)


def _at(name: str, place: int) -> Statistic:
    compute = moments.STATISTICS[name].compute
    part = slice(place * moments.WIDTH, (place + 1) * moments.WIDTH)
    return lambda sums: compute(sums[..., part])


def _fit_shift(x: Floats, y: Floats) -> Floats:
    return np.array([(y - x).mean()])


def _fit_linear(x: Floats, y: Floats) -> Floats:
    spread = ((x - x.mean()) ** 2).sum()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / spread if spread > 0 else 0.0
    return np.array([y.mean() - slope * x.mean(), slope])


def _fit_isotonic(x: Floats, y: Floats) -> Floats:
    from scipy import optimize  # noqa: PLC0415 -- megabytes that few figures need

    knots, place = levels_of(x)
    often = np.bincount(place)
    means = np.bincount(place, y) / often
    rising = optimize.isotonic_regression(means, weights=often.astype(np.float64))
    return np.concatenate([knots, rising.x])


def _fit_ordinal(x: Floats, y: Floats) -> Floats:
    """Maximum likelihood; bounds keep ratings that the judge separates perfectly from running off
    to infinity."""
    from scipy import optimize  # noqa: PLC0415 -- as above

    used, place = levels_of(y)
    if used.size == 1:
        return np.array([0.0, used[0]])
    centre, spread = x.mean(), x.std() or 1.0
    levels, level_of = levels_of((x - centre) / spread)
    counts = np.zeros((levels.size, used.size))
    np.add.at(counts, (level_of, place), 1 / y.size)
    shares = np.cumsum(counts.sum(axis=0))[:-1]
    first = special.logit(shares)
    start = np.concatenate([[1.0, first[0]], np.log(np.diff(first))])
    bounds = [(-_STEEPEST, _STEEPEST)] * 2 + [(-_WIDEST, np.log(_STEEPEST))] * (used.size - 2)

    def deviance(free: Floats) -> tuple[float, Floats]:
        """Minus the mean log-likelihood and its gradient."""
        below = _cumulated(levels, free[0], _rising(free))
        chances = np.maximum(below[:, 1:] - below[:, :-1], _LEAST_CHANCE)
        inner = (below * (1 - below))[:, 1:-1]
        pull = -np.diff(counts / chances, axis=1) * inner
        towards = -pull.sum(axis=0)
        steps = np.cumsum(towards[::-1])[::-1]
        gradient = np.concatenate([[(pull.sum(axis=1) @ levels)], steps])
        gradient[2:] *= np.exp(free[2:])
        return -float((counts * np.log(chances)).sum()), gradient

    free = optimize.minimize(
        deviance,
        start,
        jac=True,
        method="TNC",
        bounds=bounds,
        options={"ftol": 1e-14, "gtol": 1e-9, "maxfun": 2000},
    ).x
    slope = free[0] / spread
    return np.concatenate([[slope], _rising(free) + slope * centre, used])


def _rising(free: Floats) -> Floats:
    """Thresholds from the first and the logarithms of the steps between them."""
    return np.cumsum(np.concatenate([free[1:2], np.exp(free[2:])]))


def _cumulated(x: Floats, slope: float, thresholds: Floats) -> Floats:
    """Chance of at most point j, (n, k + 1) from 0 to 1, of log odds threshold j - slope x."""
    below = np.zeros((x.size, thresholds.size + 2))
    below[:, 1:-1] = special.expit(thresholds - slope * x[:, None])
    below[:, -1] = 1.0
    return below


def _between_knots(parameters: Floats, x: Floats) -> Floats:
    m = parameters.size // 2
    return np.asarray(np.interp(x, parameters[:m], parameters[m:]), dtype=np.float64)


def _expected(parameters: Floats, x: Floats) -> Floats:
    k = parameters.size // 2
    chances = np.diff(_cumulated(x, parameters[0], parameters[1:k]), axis=1)
    return np.asarray(chances @ parameters[k:])


_FITS: dict[Method, Callable[[Floats, Floats], Floats]] = {
    Method.SHIFT: _fit_shift,
    Method.LINEAR: _fit_linear,
    Method.ISOTONIC: _fit_isotonic,
    Method.ORDINAL: _fit_ordinal,
}

_MAPS: dict[Method, Callable[[Floats, Floats], Floats]] = {
    Method.SHIFT: lambda fitted, x: x + fitted[0],
    Method.LINEAR: lambda fitted, x: fitted[0] + fitted[1] * x,
    Method.ISOTONIC: _between_knots,
    Method.ORDINAL: _expected,
}
