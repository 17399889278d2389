"""How a judge uses the scale where people use theirs: severity, spread, top of the scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats import pairs
from analytics.stats.cells import Cell, notes_on_size, numbered, reason_of_number, table_clusters
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import DIFFERENCE, SHARE, SIZE, Statistic, StatisticReading, Unit
from analytics.stats.scales import Floats, Ints, points_of, ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLevel:
    """Mean of judge less human over the items that the human rated `level`."""

    level: float
    gap: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class BlandAltman:
    """Differences judge less human against the means of both (Bland & Altman 1986).

    `estimates`: `bias`, `sd` of the differences, their mean square `mse`, `loa_low` and `loa_high` (bias -+ 1.96 sd), and
    `slope` of the difference on the mean: above 0 the judge spreads its ratings wider.
    `means`, `differences`, `counts` (m,): what a plot shows, each pair of ratings with how many
    items have it.
    """

    estimates: dict[str, Estimate]
    means: Floats
    differences: Floats
    counts: Ints


def severity_curve(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
) -> tuple[AtLevel, ...]:
    """Mean of judge less human at every level of the human's rating.

    Arguments as for `agreement.two_raters`. Even a judge without bias lies above people where they
    rated low and below where they rated high, for chance took some of their ratings there
    (regression to the mean): read the steepness against that of a second person.
    """
    scale = points_of(points)
    tables, unit = _tables(human, judge, clusters, scale)
    return tuple(
        AtLevel(
            level=float(level),
            gap=_cell(_only_row(tables, place), unit).estimate(
                "gap", _gap_at(level, scale), DIFFERENCE
            ),
        )
        for place, level in enumerate(scale)
    )


def bland_altman(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
) -> BlandAltman:
    """The numbers of a Bland-Altman plot. Arguments as for `agreement.two_raters`."""
    scale = points_of(points)
    tables, unit = _tables(human, judge, clusters, scale)
    whole = tables.sum(axis=0)
    row, column = np.nonzero(whole)
    return BlandAltman(
        estimates=_estimates(_DIFFERENCES, tables, unit, scale),
        means=(scale[row] + scale[column]) / 2,
        differences=scale[column] - scale[row],
        counts=whole[row, column].astype(np.int64),
    )


def scale_use(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
) -> dict[str, Estimate]:
    """How wide and how high both rate the same items. Arguments as for `agreement.two_raters`.

    `sd_human`, `sd_judge`: standard deviations; `sd_ratio`: the judge's over the human's, below 1
    where the judge huddles together. `top_human`, `top_judge`: shares of the highest score;
    `top_difference`: the judge's less the human's.
    """
    scale = points_of(points)
    tables, unit = _tables(human, judge, clusters, scale)
    return _estimates(_SPREADS, tables, unit, scale)


def _tables(
    human: npt.ArrayLike, judge: npt.ArrayLike, clusters: npt.ArrayLike | None, scale: Floats
) -> tuple[Floats, Unit]:
    """Count tables (g, q, q) of the dialogues, the human in the rows."""
    if clusters is None:
        return pairs.counts(human, judge, scale)[None], Unit.ITEM
    numbers, size = numbered(clusters, np.size(human))
    return pairs.cluster_counts(human, judge, scale, numbers, size), Unit.DIALOGUE


def _cell(tables: Floats, unit: Unit) -> Cell:
    n = int(tables.sum())
    reason = reason_of_number(n)
    return Cell(
        clusters=table_clusters(tables, unit),
        reasons=frozenset({reason} if reason else ()),
        doubts=notes_on_size(n),
        ends=frozenset(),
        n_items=n,
        n_pairs=n,
        n_raters=2 if n else 0,
    )


def _only_row(tables: Floats, place: int) -> Floats:
    kept = np.zeros_like(tables)
    kept[:, place] = tables[:, place]
    return kept


def _gap_at(level: float, scale: Floats) -> Statistic:
    def gap(flat: Floats) -> Floats:
        said = flat.reshape(*flat.shape[:-1], scale.size, scale.size).sum(axis=-2)
        return ratio(said @ (scale - level), said.sum(axis=-1))

    return gap


def _estimates(
    named: dict[str, tuple[Statistic, StatisticReading]],
    tables: Floats,
    unit: Unit,
    scale: Floats,
) -> dict[str, Estimate]:
    cell = _cell(tables, unit)
    return {
        name: cell.estimate(name, _of_sums(compute, scale), reading)
        for name, (compute, reading) in named.items()
    }


def _of_sums(compute: Statistic, scale: Floats) -> Statistic:
    """Of flat tables: the six sums and how often human and judge gave the highest score."""
    q = scale.size

    def computed(flat: Floats) -> Floats:
        tables = flat.reshape(*flat.shape[:-1], q, q)
        tops = [tables[..., -1, :].sum(axis=-1), tables[..., :, -1].sum(axis=-1)]
        return compute(np.concatenate([pairs.sums(tables, scale), np.stack(tops, axis=-1)], -1))

    return computed


def _sd(n: Floats, total: Floats, squares: Floats) -> Floats:
    return np.sqrt(np.maximum(ratio(n * squares - total**2, n * (n - 1)), 0.0))


def _sd_human(eight: Floats) -> Floats:
    return _sd(eight[..., 0], eight[..., 1], eight[..., 3])


def _sd_judge(eight: Floats) -> Floats:
    return _sd(eight[..., 0], eight[..., 2], eight[..., 4])


def _sd_of_differences(eight: Floats) -> Floats:
    squares = eight[..., 3] + eight[..., 4] - 2 * eight[..., 5]
    return _sd(eight[..., 0], eight[..., 2] - eight[..., 1], squares)


def _slope(eight: Floats) -> Floats:
    """Of y - x on (x + y) / 2, by least squares: twice (var y - var x) / var(x + y)."""
    n, sx, sy, sxx, syy, sxy = np.moveaxis(eight[..., :6], -1, 0)
    apart = n * (syy - sxx) - sy**2 + sx**2
    return ratio(2 * apart, n * (sxx + syy + 2 * sxy) - (sx + sy) ** 2)


def _top(place: int) -> Statistic:
    return lambda eight: ratio(eight[..., place], eight[..., 0])


_DIFFERENCES: dict[str, tuple[Statistic, StatisticReading]] = {
    "bias": (lambda eight: pairs.bias(eight[..., :6]), DIFFERENCE),
    "sd": (_sd_of_differences, SIZE),
    "mse": (lambda eight: pairs.mean_square(eight[..., :6]), SIZE),
    "loa_low": (lambda eight: pairs.limits_of_agreement(eight[..., :6])[0], DIFFERENCE),
    "loa_high": (lambda eight: pairs.limits_of_agreement(eight[..., :6])[1], DIFFERENCE),
    "slope": (_slope, DIFFERENCE),
}

_SPREADS: dict[str, tuple[Statistic, StatisticReading]] = {
    "sd_human": (_sd_human, SIZE),
    "sd_judge": (_sd_judge, SIZE),
    "sd_ratio": (lambda eight: ratio(_sd_judge(eight), _sd_human(eight)), SIZE),
    "top_human": (_top(6), SHARE),
    "top_judge": (_top(7), SHARE),
    "top_difference": (lambda eight: _top(7)(eight) - _top(6)(eight), DIFFERENCE),
}
