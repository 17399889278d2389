"""System level: agreement of the mean ratings that two raters give to each source of items."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.stats import icc
from analytics.stats.cells import numbered, with_level_note
from analytics.stats.estimates import Estimate, Note, in_order, number_or_none
from analytics.stats.intervals import (
    TOO_FEW_CLUSTERS,
    Interval,
    IntervalScale,
    Unit,
    f_interval,
    jackknife,
)
from analytics.stats.scales import Floats

FEW_SYSTEMS = 20
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

    def range_without_one(self, statistic: str) -> tuple[float, float] | None:
        """Smallest and largest value when any one system is left out."""
        values = [value for value in self.without[statistic].values() if value is not None]
        return (min(values), max(values)) if values else None


def system_level(x: npt.ArrayLike, y: npt.ArrayLike, systems: npt.ArrayLike) -> SystemLevel:
    """Compare the mean ratings that raters x and y give to each system.

    `x`, `y` (n,): ratings, NaN where missing; items with both count. `systems` (n,): the source
    of each item. ICC(C,1) has F-based limits, ICC(A,1) and the bias a jackknife over systems:
    they speak about other systems, not other dialogues.
    """
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    both = ~(np.isnan(one) | np.isnan(other))
    names = np.asarray(systems)[both]
    numbers, size = numbered(names, int(both.sum()))
    n_pairs = np.bincount(numbers, minlength=size)
    totals = [np.bincount(numbers, rater[both], minlength=size) for rater in (one, other)]
    means = np.stack(totals, axis=-1) / n_pairs[:, None]
    labels = tuple(str(name) for name in np.unique(names))
    return SystemLevel(
        systems=labels,
        means=means,
        n_pairs=n_pairs,
        estimates=with_level_note(_estimates(means, int(n_pairs.sum()))),
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


def _estimates(means: Floats, n_pairs: int) -> dict[str, Estimate]:
    size = len(means)
    found = {}
    for name, compute in (_ICCS | _MEANS).items():
        reasons = _reasons(means) if name in _ICCS else _reasons_of_size(size, 1)
        value = None if size < (2 if name in _ICCS else 1) else number_or_none(compute(means))
        limits = Interval()
        if value is not None and not reasons:
            limits = _f_based(means) if name == "icc_c1" else _jackknifed(name, compute, means)
        few = {Note.FEW_SYSTEMS} if 0 < size < FEW_SYSTEMS else set()
        found[name] = Estimate(
            statistic=name,
            value=value,
            low=limits.low,
            high=limits.high,
            n_items=n_pairs,
            n_pairs=n_pairs,
            n_clusters=size,
            n_raters=2 if size else 0,
            method=limits.method,
            notes=in_order({*reasons, *limits.notes, *few}),
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


def _f_based(means: Floats) -> Interval:
    if len(means) < _LEAST:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    return f_interval("icc_c1", icc.mean_squares(means))


def _jackknifed(name: str, compute: Callable[[Floats], float], means: Floats) -> Interval:
    if len(means) < TOO_FEW_CLUSTERS:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    scale = IntervalScale.FISHER_Z if name in _ICCS else IntervalScale.PLAIN
    return jackknife(
        compute(means),
        np.array(_left_out(means, compute)),
        np.ones(len(means)),
        freedom=len(means) - 1,
        unit=Unit.SYSTEM,
        scale=scale,
    )


def _left_out(means: Floats, compute: Callable[[Floats], float]) -> list[float]:
    return [compute(np.delete(means, place, axis=0)) for place in range(len(means))]
