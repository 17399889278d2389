"""How far apart two points of a scale are: positions, weights and distances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Weighting: TypeAlias = Literal["none", "linear", "quadratic", "ordinal"]
Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
Measurement: TypeAlias = Literal["nominal", "binary", "ordinal"]

_BITS = 62


def points_of(points: Sequence[float] | npt.NDArray[Any]) -> Floats:
    """The points of a scale, ascending; ValueError when they are not distinct numbers."""
    return _points_of_tuple(points) if isinstance(points, tuple) else _points_of(points)


@lru_cache(maxsize=256)
def _points_of_tuple(points: tuple[float, ...]) -> Floats:
    """Read-only, the same each time: a page of figures has a few scales and many comparisons."""
    found = _points_of(points)
    found.setflags(write=False)
    return found


def _points_of(points: Sequence[float] | npt.NDArray[Any]) -> Floats:
    given = np.asarray(points, dtype=np.float64)
    ascending = np.unique(given)
    if given.ndim != 1 or ascending.size != given.size or not np.isfinite(given).all():
        raise ValueError("The points of a scale must be distinct numbers.")
    if given.size < 2:
        raise ValueError("A scale needs at least two points.")
    return ascending


def positions(values: npt.ArrayLike, points: Floats) -> Ints:
    """Index of each value among the points; -1 where the value is missing (NaN).

    Raises ValueError when a value is not on the scale: whoever calls decides what to leave out.
    """
    given = np.asarray(values, dtype=np.float64)
    place = np.searchsorted(points, given).clip(max=points.size - 1)
    missing = np.isnan(given)
    if off := int(((points[place] != given) & ~missing).sum()):
        raise ValueError(
            f"{off} ratings are not on the scale "
            f"{', '.join(f'{point:g}' for point in points)}: leave them out first."
        )
    return np.where(missing, -1, place)


def levels_of(values: Floats) -> tuple[Floats, Ints]:
    """The distinct numbers among values (n,), few of many, and the place of each value among them."""
    levels = np.unique(values)
    return levels, np.searchsorted(levels, values)


def alike(placed: Ints, q: int) -> Ints:
    """A number (n,) for each pattern of positions (n, r) among q points, -1 where missing."""
    if placed.shape[1] * np.log2(q + 1) <= _BITS:
        numbers: Ints = (placed + 1) @ (q + 1) ** np.arange(placed.shape[1], dtype=np.int64)
        return numbers
    return numbers_of_rows(np.ascontiguousarray(placed + 1, dtype=np.uint16))


def numbers_of_rows(rows: npt.NDArray[Any]) -> Ints:
    """A number (n,) for each distinct row of (n, f), from 0 in the order in which they come; rows
    lie in memory one after the other."""
    known: dict[bytes, int] = {}
    texts = rows.view(f"S{rows.itemsize * rows.shape[1]}").ravel().tolist()
    return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def weights(points: Floats, weighting: Weighting) -> Floats:
    """Agreement weights (q, q): 1 on the diagonal, 0 for the farthest pair.

    `linear` and `quadratic` go by the points' values (Cohen 1968), `ordinal` by the number of
    points between (Gwet 2014).
    """
    if weighting == "none":
        return np.eye(points.size, dtype=np.float64)
    if weighting == "ordinal":
        rank = np.arange(points.size, dtype=np.float64)
        steps = np.abs(rank[:, None] - rank)
        between = steps * (steps + 1) / 2
        return np.asarray(1 - between / between.max())
    apart = np.abs(points[:, None] - points) / (points[-1] - points[0])
    return np.asarray(1 - apart ** (2 if weighting == "quadratic" else 1))


def squared_distances(totals: Floats, points: Floats, level: Level) -> Floats:
    """Krippendorff's squared distances between points, (..., q, q).

    `totals` (..., q) counts the ratings at each point; only the ordinal distance depends on it:
    the ratings between two points, both ends counted half.
    """
    if level == "nominal":
        return np.asarray(1 - np.eye(points.size))
    place = points if level == "interval" else np.cumsum(totals, axis=-1) - totals / 2
    apart: Floats = place[..., :, None] - place[..., None, :]
    return apart**2


def ratio(above: Floats, below: Floats, *, least: float = 0.0) -> Floats:
    """Element-wise quotient; NaN where the divisor is no larger than `least` in size."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.divide(above, below)
    return np.where(np.abs(below) > least, quotient, np.nan)


def quotient(above: int, below: int = 0) -> Callable[[Floats], Floats]:
    """The statistic that is one of the sums (..., f) over another."""
    return lambda sums: ratio(sums[..., above], sums[..., below])
