"""Which of two raters agrees better with a third: the difference with its own interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats import pairs
from analytics.stats.cells import Cell, notes_on_size, summed
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import IntervalScale, Kind, Statistic
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
    kind: Kind = "jackknife",
) -> dict[str, Estimate]:
    """Each statistic of (x, other) less that of (x, one), over items that all three rated.

    Arguments as for `agreement.two_raters`. Both statistics are taken without the same dialogues
    (or from the same draws), so what the raters have in common does not widen the interval.
    """
    scale = points_of(points)
    placed = np.stack([positions(rater, scale) for rater in (x, one, other)], axis=-1)
    rated = (placed >= 0).all(axis=-1)
    owners = None if clusters is None else np.asarray(clusters)[rated]
    n = int(rated.sum())
    cell = Cell(
        clusters=summed(
            _rows(placed[rated], scale.size),
            owners,
            pairs_in=0,
            patterns=alike(placed[rated], scale.size),
        ),
        reasons=frozenset(_reasons(placed[rated])),
        doubts=notes_on_size(n),
        ends=frozenset(),
        n_items=n,
        n_pairs=2 * n,
        n_raters=3 if n else 0,
        kind=kind,
    )
    return {
        name: cell.estimate(
            name,
            _difference(pairs.STATISTICS[name], scale),
            scale=IntervalScale.PLAIN,
            beyond_chance=pairs.STATISTICS[name].beyond_chance,
        )
        for name in pairs.SUITED[measurement]
        if only is None or name in only
    }


def _rows(placed: Ints, q: int) -> Floats:
    """What each item adds, (n, 1 + 2 q^2): itself, and its cell in either table."""
    n = len(placed)
    rows = np.zeros((n, 1 + 2 * q * q))
    rows[:, 0] = 1
    for place in (1, 2):
        rows[np.arange(n), 1 + (place - 1) * q * q + placed[:, 0] * q + placed[:, place]] = 1
    return rows


def _reasons(placed: Ints) -> set[Note]:
    if len(placed) == 0:
        return {Note.NO_OVERLAP}
    if len(placed) == 1:
        return {Note.ONE_ITEM}
    same = (placed[:, 1] == placed[:, 2]).all()
    return {Note.NO_DISAGREEMENT} if same else set()


def _difference(known: pairs.PairStatistic, points: Floats) -> Statistic:
    q = points.size

    def difference(flat: Floats) -> Floats:
        tables = flat[..., 1:].reshape(*flat.shape[:-1], 2, q, q)
        both = known.compute(tables, points)
        return np.asarray(both[..., 1] - both[..., 0])

    return difference
