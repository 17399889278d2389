"""System level: agreement of the mean ratings that two raters give to each source of items.

There are few systems, three to a dozen, and a judge may rate all of them too high: then a
jackknife over them covers too rarely. The limits of ICC(A,1) are quantiles of its generalised
pivotal quantity (Weerahandi 1993, Journal of the American Statistical Association 88(423),
899-905): mean squares and bias are drawn as the model of the F limits of ICC(C,1) beside it has
them, systems normal and both raters as noisy. Where one spreads its ratings more than the other
the interval is too wide, not too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analytics.stats import icc
from analytics.stats.cells import numbered, with_level_note
from analytics.stats.estimates import Estimate, Note, in_order, number_or_none
from analytics.stats.intervals import (
    NO_SPREAD,
    PIVOTAL_METHOD,
    SEED,
    TOO_FEW_CLUSTERS,
    Interval,
    IntervalScale,
    Unit,
    f_interval,
    jackknife_method,
    limits,
    runs_method,
)
from analytics.stats.runs import LEAST_RUNS
from analytics.stats.scales import Floats, Ints, ratio

FEW_SYSTEMS = 20
DRAWS = 10_000
_LEAST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemLevel:
    """Agreement between mean ratings, one point a system.

    `systems` names the s systems with complete pairs, ascending; `means` (s, 2) are the means of
    both raters over those pairs, `n_pairs` (s,) how many there are. `estimates`: `icc_c1`,
    `icc_a1`, `bias`, `mean_x`, `mean_y`. `without` gives each ICC with one system left out, None
    where undefined.
    """

    systems: tuple[str, ...]
    means: Floats
    n_pairs: npt.NDArray[np.int64]
    estimates: dict[str, Estimate]
    without: dict[str, dict[str, float | None]]


def system_level(x: npt.ArrayLike, y: npt.ArrayLike, systems: npt.ArrayLike) -> SystemLevel:
    """Compare the mean ratings that raters x and y give to each system.

    `x` (n,), `y` (n,), or (n, r) of a judge that was run several times: ratings, NaN where
    missing; items with both count, a system's by the mean over the runs that have any of it.
    `systems` (n,): the source of each item. Limits speak about other systems, not other dialogues,
    and with three runs or more about other runs.
    """
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    runs = other if other.ndim == 2 else other[:, None]
    both = ~np.isnan(one) & ~np.isnan(runs).all(axis=1)
    names = np.asarray(systems)[both]
    numbers, size = numbered(names, int(both.sum()))
    n_pairs = np.bincount(numbers, minlength=size)
    of_runs = np.stack([_means(run[both], numbers, size) for run in runs.T], axis=-1)
    rated = np.isfinite(of_runs)
    of_judge = ratio(np.where(rated, of_runs, 0).sum(axis=1), rated.sum(axis=1))
    means = np.stack([_means(one[both], numbers, size), of_judge], axis=-1)
    shift = _Shift.of(of_runs[rated.all(axis=1)])
    labels = tuple(str(name) for name in np.unique(names))
    return SystemLevel(
        systems=labels,
        means=means,
        n_pairs=n_pairs,
        estimates=with_level_note(_estimates(means, shift, int(n_pairs.sum()))),
        without={
            name: dict(zip(labels, map(number_or_none, _left_out(means, compute)), strict=True))
            for name, compute in _ICCS.items()
        },
    )


def _icc(form: Callable[[icc.MeanSquares], Floats]) -> Callable[[Floats], float]:
    return lambda means: float(form(icc.mean_squares(means))) if len(means) > 1 else math.nan


_ICCS: dict[str, Callable[[Floats], float]] = {
    "icc_c1": _icc(icc.consistency),
    "icc_a1": _icc(icc.agreement),
}

_MEANS: dict[str, Callable[[Floats], float]] = {
    "mean_x": lambda means: float(means[:, 0].mean()),
    "mean_y": lambda means: float(means[:, 1].mean()),
    "bias": lambda means: float((means[:, 1] - means[:, 0]).mean()),
}


def _means(values: Floats, numbers: Ints, size: int) -> Floats:
    """The mean of the values of each system that are not missing, (size,)."""
    there = ~np.isnan(values)
    totals = np.bincount(numbers[there], values[there], minlength=size).astype(np.float64)
    return ratio(totals, np.bincount(numbers[there], minlength=size).astype(np.float64))


def _estimates(means: Floats, shift: _Shift, n_pairs: int) -> dict[str, Estimate]:
    size = len(means)
    found = {}
    for name, compute in (_ICCS | _MEANS).items():
        reasons = _reasons(means) if name in _ICCS else _reasons_of_size(size, 1)
        value = None if size < (2 if name in _ICCS else 1) else number_or_none(compute(means))
        made = Interval()
        if value is not None and not reasons:
            made = _LIMITS.get(name, _of_mean)(name, means, shift)
        few = {Note.FEW_SYSTEMS} if 0 < size < FEW_SYSTEMS else set()
        found[name] = Estimate(
            statistic=name,
            value=value,
            low=made.low,
            high=made.high,
            n_items=n_pairs,
            n_pairs=n_pairs,
            n_clusters=size,
            n_raters=2 if size else 0,
            method=made.method,
            notes=in_order({*reasons, *made.notes, *few}),
        )
    return found


def _reasons(means: Floats) -> frozenset[Note]:
    if reasons := _reasons_of_size(len(means), 2):
        return reasons
    if (means == means[0, 0]).all():
        return frozenset({Note.ALL_EQUAL})
    if (means[:, 0] == means[:, 1]).all():
        return frozenset({Note.NO_DISAGREEMENT})
    if (np.ptp(means, axis=0) == 0).any():
        return frozenset({Note.ONE_RATER_CONSTANT})
    return frozenset()


def _reasons_of_size(size: int, least: int) -> frozenset[Note]:
    if size == 0:
        return frozenset({Note.NO_OVERLAP})
    return frozenset({Note.ONE_SYSTEM}) if size < least else frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shift:
    """How sure the level of a judge is, as far as its runs tell: a variance and its freedom."""

    variance: float = 0.0
    freedom: int = 1

    @classmethod
    def of(cls, of_runs: Floats) -> _Shift:
        """From the mean of each system in each run (s, r); fewer than `LEAST_RUNS` are held fixed."""
        size, r = of_runs.shape
        if r < LEAST_RUNS or size == 0:
            return cls()
        return cls(variance=float(of_runs.mean(axis=0).var(ddof=1)) / r, freedom=r - 1)


def _f_based(_name: str, means: Floats, _shift: _Shift) -> Interval:
    if len(means) < _LEAST:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    return f_interval("icc_c1", icc.mean_squares(means))


def _pivotal(_name: str, means: Floats, shift: _Shift) -> Interval:
    """Quantiles of ICC(A,1) = (rows - error) / (rows + error + bias^2) over what the mean squares
    and the bias may be."""
    if len(means) < _LEAST:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    n, found = len(means), icc.mean_squares(means)
    drawn = _draws(n, shift.freedom)
    rows, error = found.rows * drawn.rows, found.error * drawn.error
    bias = float((means[:, 1] - means[:, 0]).mean()) + drawn.normal * np.sqrt(2 * error / n)
    bias = bias + drawn.student * math.sqrt(shift.variance)
    low, high = np.quantile((rows - error) / (rows + error + bias**2), [0.025, 0.975])
    return Interval(low=float(low), high=float(high), method=PIVOTAL_METHOD)


class _Draws(NamedTuple):
    """Of `DRAWS` each: what mean squares are multiplied by, standard normal, Student's t."""

    rows: Floats
    error: Floats
    normal: Floats
    student: Floats


@lru_cache(maxsize=64)
def _draws(n: int, freedom: int) -> _Draws:
    """The same each time."""
    rng = np.random.default_rng(SEED)
    return _Draws(
        rows=(n - 1) / rng.chisquare(n - 1, DRAWS),
        error=(n - 1) / rng.chisquare(n - 1, DRAWS),
        normal=rng.normal(size=DRAWS),
        student=rng.standard_t(freedom, DRAWS),
    )


def _of_mean(name: str, means: Floats, shift: _Shift) -> Interval:
    """Student's t over systems, and over the runs of the judge where it has several."""
    values = {"mean_x": means[:, 0], "mean_y": means[:, 1]}.get(name, means[:, 1] - means[:, 0])
    size = len(values)
    if size < TOO_FEW_CLUSTERS:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    own = float(values.var(ddof=1)) / size
    between = 0.0 if name == "mean_x" else shift.variance
    if own + between < NO_SPREAD**2:
        return Interval(notes=(Note.NO_SPREAD,))
    freedom = (own + between) ** 2 / (own**2 / (size - 1) + between**2 / shift.freedom)
    low, high = limits(values.mean(), np.sqrt(own + between), freedom, IntervalScale.PLAIN)
    named = runs_method if between else jackknife_method
    return Interval(
        low=float(low), high=float(high), method=named(Unit.SYSTEM, IntervalScale.PLAIN)
    )


_LIMITS: dict[str, Callable[[str, Floats, _Shift], Interval]] = {
    "icc_c1": _f_based,
    "icc_a1": _pivotal,
}


def _left_out(means: Floats, compute: Callable[[Floats], float]) -> list[float]:
    return [compute(np.delete(means, place, axis=0)) for place in range(len(means))]
