"""A judge asked several times: figures are means over its runs, intervals speak of other runs too.

A run is to a judge what a reader is to a test: one of many that could have been. With a value of
each of r runs over the same items, Obuchowski & Rockette (1995), Communications in Statistics -
Simulation and Computation 24(2), 285-308, add up what the variance of their mean is made of: the
spread between runs over r, and the covariance of two runs, which the items that they share bring
about. Hillis (2007), Statistics in Medicine 26(3), 596-619, has the degrees of freedom; here those
of the covariance, which is from a jackknife over items or dialogues, count too. `bench coverage`
counts how often such intervals hold the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats import accuracy, pairs
from analytics.stats.agreement import needed, of_mean_one, wanted
from analytics.stats.cells import (
    Cell,
    ends_of_table,
    notes_on_size,
    numbered,
    owners_of,
    reasons_of_table,
    share_of_an_answer,
    with_level_note,
    with_means,
)
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import (
    FEW_CLUSTERS,
    NO_SPREAD,
    SHARE,
    TOO_FEW_CLUSTERS,
    Clusters,
    Interval,
    IntervalScale,
    StatisticReading,
    Unit,
    fitting_scale,
    interval_of,
    limits,
    runs_method,
)
from analytics.stats.pairs import PairStatistic
from analytics.stats.scales import Floats, Ints, Measurement, alike, points_of, positions

LEAST_RUNS = 3


def mean_agreement(
    x: npt.ArrayLike,
    runs: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    measurement: Measurement,
    only: Collection[str] | None = None,
    weights: npt.ArrayLike | None = None,
    items: npt.ArrayLike | None = None,
) -> dict[str, Estimate]:
    """What a run of a judge agrees with x on average: each statistic of (x, run), their mean.

    `x` (n,): a person or gold, an item as often as people rated it; `runs` (n, r), NaN where
    missing. Each run counts with the items that it and x share. What suits the measurement, and
    for labels also the shares of `accuracy.OVERALL`. `clusters` (n,): dialogues, None where items
    stand alone; `only` these statistics. The interval of fewer than `LEAST_RUNS` holds them fixed:
    two runs tell so little of their spread that theirs would cover too rarely. With `weights` (n,),
    one over the chance that each item had to be drawn, statistics are as in `two_raters`. `items`
    (n,): which item each row is of, None where each is another; notes count each item once.
    """
    [found] = mean_agreements(
        x,
        [runs],
        clusters=clusters,
        points=points,
        measurement=measurement,
        only=only,
        weights=weights,
        items=items,
    )
    return found


def mean_agreements(
    x: npt.ArrayLike,
    judges: Sequence[npt.ArrayLike],
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    measurement: Measurement,
    only: Collection[str] | None = None,
    weights: npt.ArrayLike | None = None,
    items: npt.ArrayLike | None = None,
) -> list[dict[str, Estimate]]:
    """`mean_agreement` of x with the runs (n, r) of each of several judges, to the last digit: what
    is worked out of a table is worked out of the tables of all at once."""
    scale = points_of(points)
    truth, known = positions(x, scale), _statistics(measurement)
    cells = [
        _cell_of_used(truth, positions(runs, scale), clusters, weights, items, scale, measurement)
        for runs in judges
    ]
    tables = [cell.replicas.reshape(-1, 1, scale.size, scale.size) for cell in cells]
    counted = pairs.Counts(tables=np.concatenate(tables), points=scale)
    ends = np.cumsum([len(one) for one in tables])[:-1]
    values = {name: np.split(known[name].of(counted), ends) for name in needed(tuple(known), only)}
    return [
        _figures(cell, known, {name: of_each[place] for name, of_each in values.items()}, only)
        for place, cell in enumerate(cells)
    ]


def over_runs(
    values: Floats, clusters: Clusters, *, scale: IntervalScale, confidence: float = 0.95
) -> Interval:
    """The interval of the mean of values[0], where `values` (1 + d, r) are of r runs in each of
    the replicas of `intervals.replicas`."""
    if clusters.size < TOO_FEW_CLUSTERS:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    if not np.isfinite(values).all():
        return Interval(notes=(Note.HANGS_ON_ONE,))
    each, covariances = values[0], _covariances(values[1:], clusters)
    variance, freedom = variance_of_mean(each, covariances, clusters.size)
    return _interval(float(each.mean()), variance, freedom, clusters, scale, confidence)


def over_runs_of_two(
    one: Floats, other: Floats, clusters: Clusters, *, confidence: float = 0.95
) -> Interval:
    """The interval of the mean of other[0] less that of one[0], each (1 + d, r) of the runs of one
    judge: what the two share through the items does not widen it, the spread of either's does."""
    if clusters.size < TOO_FEW_CLUSTERS:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    both, r = np.concatenate([one, other], axis=1), one.shape[1]
    if not np.isfinite(both).all():
        return Interval(notes=(Note.HANGS_ON_ONE,))
    covariances = _covariances(both[1:], clusters)
    signs = np.repeat([-1 / r, 1 / other.shape[1]], [r, other.shape[1]])
    between = [side[0].var(ddof=1) / side.shape[1] for side in (one, other)]
    crossed = covariances[:r, r:].mean()
    shared = _of_two(covariances[:r, :r]) + _of_two(covariances[r:, r:]) - 2 * crossed
    variance, freedom = _added_up(
        [(between[0], r - 1), (between[1], other.shape[1] - 1)],
        float(shared),
        clusters.size,
        held_fixed=float(signs @ covariances @ signs),
    )
    value = float(other[0].mean() - one[0].mean())
    return _interval(value, variance, freedom, clusters, IntervalScale.PLAIN, confidence)


def estimate_over_runs(
    cell: Cell, name: str, values: Floats, reading: StatisticReading
) -> Estimate:
    """The mean over runs of values (1 + d, r) of the replicas of a cell. With fewer than
    `LEAST_RUNS`, or with intervals not from a jackknife, the interval holds them fixed."""
    if values.shape[1] == 1:
        return cell.estimate_of(name, values[:, 0], reading)
    scale = reading.scale
    speaks_of_runs = values.shape[1] >= LEAST_RUNS and cell.kind == "jackknife"
    return cell.estimate_within(
        name,
        float(values[0].mean()) if values.size else np.nan,
        lambda: (
            over_runs(values, cell.clusters, scale=scale)
            if speaks_of_runs
            else interval_of(values.mean(axis=1), cell.clusters, scale=scale, kind=cell.kind)
        ),
        reading,
    )


def variance_of_mean(each: Floats, covariances: Floats, size: int) -> tuple[float, float]:
    """The variance of the mean of r values (r,), with its degrees of freedom, from the covariances
    (r, r) that `size` clusters bring about; never less than with the runs held fixed."""
    r = each.size
    return _added_up(
        [(each.var(ddof=1) / r, r - 1)],
        _of_two(covariances),
        size,
        held_fixed=float(covariances.sum() / r**2),
    )


def _added_up(
    between: Sequence[tuple[float, int]], shared: float, size: int, *, held_fixed: float
) -> tuple[float, float]:
    """Variances between runs, each with its degrees of freedom, and what runs share (Satterthwaite
    1946)."""
    shared = max(shared, 0.0)
    whole = sum(variance for variance, _freedom in between) + shared
    parts = shared**2 / (size - 1) + sum(variance**2 / freedom for variance, freedom in between)
    return max(whole, held_fixed), whole**2 / parts if parts > 0 else size - 1.0


def _of_two(covariances: Floats) -> float:
    """The covariance of two runs, on average over all pairs of them."""
    r = len(covariances)
    return float((covariances.sum() - np.trace(covariances)) / (r * (r - 1)))


def _covariances(left_out: Floats, clusters: Clusters) -> Floats:
    """Jackknife covariances (r, r) from the values without each cluster (d, r)."""
    shares = clusters.used_copies / clusters.used_copies.sum()
    apart = left_out - shares @ left_out
    found: Floats = (clusters.size - 1) * (shares[:, None] * apart).T @ apart
    return found


def _interval(
    value: float,
    variance: float,
    freedom: float,
    clusters: Clusters,
    scale: IntervalScale,
    confidence: float,
) -> Interval:
    if variance < NO_SPREAD**2:
        return Interval(notes=(Note.NO_SPREAD,))
    fitting = fitting_scale(value, scale)
    low, high = limits(
        np.asarray(value), np.sqrt(variance), freedom, fitting, confidence=confidence
    )
    if not np.isfinite([low, high]).all():
        return Interval(notes=(Note.UNBOUNDED,))
    few = {Note.FEW_CLUSTERS} if clusters.size < FEW_CLUSTERS else set()
    return Interval(
        low=float(low),
        high=float(high),
        method=runs_method(clusters.unit, fitting),
        notes=tuple(few),
    )


def _cell_of_used(
    truth: Ints,
    said: Ints,
    clusters: npt.ArrayLike | None,
    weights: npt.ArrayLike | None,
    items: npt.ArrayLike | None,
    scale: Floats,
    measurement: Measurement,
) -> Cell:
    """Of the items that x and some run share."""
    if said.ndim != 2 or truth.shape != said.shape[:1]:
        raise ValueError("Give one rating by x an item, and runs as items by runs.")
    used = (truth >= 0) & (said >= 0).any(axis=1)
    owners = owners_of(clusters, used)
    each = None if weights is None else of_mean_one(np.asarray(weights, dtype=np.float64)[used])
    numbers = numbered(owners_of(items, used), int(used.sum()))[0]
    return _cell(truth[used], said[used], owners, each, numbers, scale, measurement)


def _cell(
    truth: Ints,
    said: Ints,
    owners: npt.NDArray[Any] | None,
    weights: Floats | None,
    items: Ints,
    scale: Floats,
    measurement: Measurement,
) -> Cell:
    """A row of sums is a count table of each run, (r q^2)."""
    r, q = said.shape[1], scale.size
    both = (truth >= 0)[:, None] & (said >= 0)
    if owners is None:
        first, times = _alike_items(alike(np.column_stack([truth, said]), q), weights)
        each = None if weights is None else weights[first]
        sums = tables_of_runs(truth[first], said[first], np.arange(first.size), first.size, q, each)
        copies, unit = times.astype(np.float64), Unit.ITEM
    else:
        numbers, size = numbered(owners, truth.size)
        sums = tables_of_runs(truth, said, numbers, size, q, weights)
        copies, unit = np.ones(size), Unit.DIALOGUE
    clusters = Clusters(sums=sums, copies=copies, telling=sums.sum(axis=1) > 0, unit=unit).folded()
    alone = np.zeros_like(truth)
    counted = clusters.total if weights is None else tables_of_runs(truth, said, alone, 1, q)
    whole = counted.reshape(r, q, q).sum(axis=0)
    return Cell(
        clusters=clusters,
        reasons=reasons_of_table(whole),
        doubts=notes_on_size(int(whole.sum()) // max(r, 1)) | _said_of(weights),
        ends=ends_of_table(
            whole / max(r, 1), scale, measurement, of_items=_of_items(truth, said, items, q)
        ),
        n_items=truth.size,
        n_pairs=int(both.sum()),
        n_raters=1 + int(both.any(axis=0).sum()) if truth.size else 0,
        share=share_of_an_answer(whole, measurement) if r == 1 and weights is None else None,
    )


def _alike_items(patterns: Ints, weights: Floats | None) -> tuple[Ints, Ints]:
    """An item of each pattern and weight, and how many there are of it."""
    if weights is None:
        _, first, times = np.unique(patterns, return_index=True, return_counts=True)
    else:
        sizes = np.unique(weights, return_inverse=True)[1]
        _, first, times = np.unique(
            np.column_stack([patterns, sizes]), axis=0, return_index=True, return_counts=True
        )
    return first, times


def _said_of(weights: Floats | None) -> set[Note]:
    return set() if weights is None else {Note.WEIGHTED}


def tables_of_runs(
    truth: Ints, said: Ints, owners: Ints, size: int, q: int, weights: Floats | None = None
) -> Floats:
    """Counts (size, r q^2) of the pairs of x and each run, in which items count by their weights."""
    r = said.shape[1]
    item, run = np.nonzero((truth >= 0)[:, None] & (said >= 0))
    cell = ((owners[item] * r + run) * q + truth[item]) * q + said[item, run]
    each = None if weights is None else weights[item]
    tables = np.bincount(cell, each, minlength=size * r * q * q)
    return tables.astype(np.float64).reshape(size, r * q * q)


def _of_items(truth: Ints, said: Ints, items: Ints, q: int) -> Floats:
    """The table (q, q) of the pairs of x and all runs in which each item counts as one, however many
    people and runs rated it."""
    row, run = np.nonzero((truth >= 0)[:, None] & (said >= 0))
    item = items[row]
    share: Floats = 1 / np.bincount(item)[item]
    table = np.zeros(q * q)
    np.add.at(table, truth[row] * q + said[row, run], share)
    return table.reshape(q, q)


@cache
def _statistics(measurement: Measurement) -> dict[str, PairStatistic]:
    suited = {name: pairs.STATISTICS[name] for name in pairs.SUITED[measurement]}
    if measurement == "ordinal":
        return suited
    return suited | {name: _of_tables(share) for name, share in accuracy.OVERALL.items()}


def _of_tables(share: Callable[[Floats], Floats]) -> PairStatistic:
    return PairStatistic(of=lambda counted: share(counted.tables), reading=SHARE)


def _figures(
    cell: Cell,
    known: Mapping[str, PairStatistic],
    values: Mapping[str, Floats],
    only: Collection[str] | None,
) -> dict[str, Estimate]:
    """What is told of a cell, from the values of each statistic in all its replicas and runs."""
    n = len(cell.replicas)
    found = {
        name: estimate_over_runs(cell, name, one.reshape(n, -1), known[name].reading)
        for name, one in values.items()
    }
    return wanted(with_level_note(with_means(found, 2)), only)
