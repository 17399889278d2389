"""Which of two raters agrees better with a third: the difference with its own interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats import pairs
from analytics.stats.cells import Cell, notes_on_rare_of, notes_on_size, numbered, owners_of
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import Clusters, IntervalScale, Unit, interval_of
from analytics.stats.runs import LEAST_RUNS, over_runs_of_two, tables_of_runs
from analytics.stats.scales import Floats, Ints, Measurement, alike, points_of, positions


def differences(
    x: npt.ArrayLike,
    one: npt.ArrayLike,
    other: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    measurement: Measurement,
    only: Collection[str] | None = None,
) -> dict[str, Estimate]:
    """Each statistic of (x, other) less that of (x, one), over items that all three rated.

    Arguments as for `agreement.two_raters`; a rater asked several times comes with its runs
    (n, r), and its statistic is their mean. Both statistics are taken without the same dialogues
    (or from the same draws), so what the raters have in common does not widen the interval; from
    `LEAST_RUNS` runs of both on it speaks of other runs of either.
    """
    scale = points_of(points)
    truth = positions(x, scale)
    sides = [_of_runs(positions(rater, scale)) for rater in (one, other)]
    rated = (truth >= 0) & np.all([(side >= 0).any(axis=1) for side in sides], axis=0)
    placed = np.column_stack([truth, *sides])[rated]
    n, n_of_one, n_runs = int(rated.sum()), sides[0].shape[1], placed.shape[1] - 1
    cell = Cell(
        clusters=_clusters(placed, owners_of(clusters, rated), scale.size),
        reasons=frozenset(_reasons(placed)),
        doubts=notes_on_size(n),
        ends=notes_on_rare_of(((placed[:, 0], run) for run in placed[:, 1:].T), measurement),
        n_items=n,
        n_pairs=2 * n,
        n_raters=3 if n else 0,
    )
    tables = cell.replicas[:, 1:].reshape(-1, n_runs, scale.size, scale.size)
    found = {}
    for name in pairs.SUITED[measurement]:
        if only is None or name in only:
            known = pairs.STATISTICS[name]
            values = known.compute(tables, scale)
            found[name] = _estimate(cell, name, known, values[:, :n_of_one], values[:, n_of_one:])
    return found


def _of_runs(placed: Ints) -> Ints:
    return placed[:, None] if placed.ndim == 1 else placed


def _estimate(
    cell: Cell, name: str, known: pairs.PairStatistic, one: Floats, other: Floats
) -> Estimate:
    apart = other.mean(axis=1) - one.mean(axis=1)
    speaks_of_runs = min(one.shape[1], other.shape[1]) >= LEAST_RUNS
    return cell.estimate_within(
        name,
        float(apart[0]),
        lambda: (
            over_runs_of_two(one, other, cell.clusters)
            if speaks_of_runs
            else interval_of(apart, cell.clusters, scale=IntervalScale.PLAIN)
        ),
        known.reading._replace(zero_if_constant=False, scale=IntervalScale.PLAIN),
    )


def _clusters(placed: Ints, owners: npt.NDArray[Any] | None, q: int) -> Clusters:
    """Of each dialogue, or of items that are rated alike, (g, 1 + r q^2): how many items there are, and
    the table of each run."""
    if owners is None:
        _, first, times = np.unique(alike(placed, q), return_index=True, return_counts=True)
        placed, numbers, unit = placed[first], np.arange(first.size), Unit.ITEM
        copies = times.astype(np.float64)
    else:
        numbers, size = numbered(owners, len(placed))
        copies, unit = np.ones(size), Unit.DIALOGUE
    items = np.bincount(numbers, minlength=copies.size)
    tables = tables_of_runs(placed[:, 0], placed[:, 1:], numbers, copies.size, q)
    sums = np.column_stack([items, tables])
    return Clusters(sums=sums, copies=copies, telling=items > 0, unit=unit)


def _reasons(placed: Ints) -> set[Note]:
    if len(placed) == 0:
        return {Note.NO_OVERLAP}
    if len(placed) == 1:
        return {Note.ONE_ITEM}
    same = (placed[:, 1:] == placed[:, 1:2]).all()
    return {Note.NO_DISAGREEMENT} if same else set()
