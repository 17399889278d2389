"""One person beside the others who rated the same items: severity, sameness, and their course.

Nobody is taken for the truth: with two raters, the severity of one is that of the other with the
sign turned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, cell_of_rows, owners_of
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import DIFFERENCE, SHARE, SIZE, IntervalScale, interval
from analytics.stats.none_in_n import one_sided
from analytics.stats.scales import Floats, quotient, ratio

ERROR = 0.05


class Course(StrEnum):
    """Where a person went over the weeks, beside the others: for sure, or it cannot be told."""

    UP = "up"
    DOWN = "down"
    NOT_TOLD = "not told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The change a week by least squares, beside `n_others` who have not themselves moved.

    `course` goes by an interval at level `confidence`.
    """

    slope: Estimate
    course: Course
    confidence: float
    n_others: int


def from_others(ratings: npt.ArrayLike) -> Floats:
    """Each rating less the mean of the others' of the same item, (n, r); NaN without another."""
    values = np.asarray(ratings, dtype=np.float64)
    n, total = _others(values)
    return np.where(np.isfinite(values), values - ratio(total, n), np.nan)


def same_as_others(ratings: npt.ArrayLike) -> Floats:
    """Of the others who rated the item, the share that gave the same, (n, r); NaN without any."""
    values = np.asarray(ratings, dtype=np.float64)
    n, _ = _others(values)
    same = (values[:, :, None] == values[:, None, :]).sum(axis=2) - 1
    return np.where(np.isfinite(values), ratio(same.astype(np.float64), n), np.nan)


def n_others(ratings: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """How many others rated what each rater rated, (n, r); 0 where the rater did not."""
    values = np.asarray(ratings, dtype=np.float64)
    n, _ = _others(values)
    return np.where(np.isfinite(values), n, 0).astype(np.int64)


def mean(
    values: npt.ArrayLike,
    *,
    name: str,
    clusters: npt.ArrayLike | None = None,
    n_pairs: int | None = None,
    n_raters: int = 2,
) -> Estimate:
    """The mean of values (n,), NaN left out; its interval leaves out dialogues (`clusters`, (n,)).

    `n_pairs`, `n_raters`: how many ratings of how many raters were compared.
    """
    cell = _cell(values, None, clusters, n_pairs=n_pairs, n_raters=n_raters)
    return cell.estimate(name, quotient(1), DIFFERENCE)


def mean_square(
    values: npt.ArrayLike,
    *,
    name: str,
    clusters: npt.ArrayLike | None = None,
    n_pairs: int | None = None,
    n_raters: int = 2,
) -> Estimate:
    """As `mean`, of the squares of the values."""
    squares = np.asarray(values, dtype=np.float64) ** 2
    cell = _cell(squares, None, clusters, n_pairs=n_pairs, n_raters=n_raters)
    return cell.estimate(name, quotient(1), SIZE)


def share(
    values: npt.ArrayLike,
    *,
    name: str,
    clusters: npt.ArrayLike | None = None,
    n_pairs: int | None = None,
    n_raters: int = 2,
) -> Estimate:
    """As `mean`, for values from 0 to 1; where all are 0, or 1, the limit is the exact one-sided."""
    cell = _cell(values, None, clusters, n_pairs=n_pairs, n_raters=n_raters)
    return one_sided(cell.estimate(name, quotient(1), SHARE))


def courses(
    ratings: npt.ArrayLike,
    weeks: npt.ArrayLike,
    *,
    beside: Callable[[Floats], Floats],
    clusters: npt.ArrayLike | None = None,
    least: int = 2,
) -> dict[int, Trend]:
    """Who moves over the weeks, {column: trend}, from ratings (n, r) given in weeks (n, r).

    `beside`: what is followed, `from_others` or `same_as_others`. Beside one who moves all others
    seem to move the other way; so whoever has moved most clearly is set apart, and the rest are
    looked at anew among themselves, down to two, of whom nobody can tell which one moved. Left
    out are those with fewer than `least` ratings that have a week, or only one week. Deciding
    intervals are wide enough for all of them together (Bonferroni).
    """
    values, when = np.asarray(ratings, dtype=np.float64), np.asarray(weeks, dtype=np.float64)
    left, found, n_checks = list(range(values.shape[1])), dict[int, Trend](), 0
    while len(left) > 1:
        followed = beside(values[:, left])
        enough = {
            column: followed[:, place]
            for place, column in enumerate(left)
            if _is_enough(followed[:, place], when[:, column], least)
        }
        n_checks = max(n_checks, len(enough))
        among = {
            column: _trend(apart, when[:, column], clusters, n_checks, n_others=len(left) - 1)
            for column, apart in enough.items()
        }
        moved = {column: one for column, one in among.items() if one.course is not Course.NOT_TOLD}
        if len(left) == 2 or not moved:
            return found | among
        farthest = max(moved, key=lambda column: _clearness(moved[column].slope))
        found[farthest] = moved[farthest]
        left.remove(farthest)
    return found


def _is_enough(followed: Floats, weeks: Floats, least: int) -> bool:
    known = weeks[np.isfinite(followed) & np.isfinite(weeks)]
    return known.size >= least and np.unique(known).size > 1


def _clearness(slope: Estimate) -> float:
    """How far from 0, in widths of its interval, which whoever moves has."""
    return abs(slope.value or 0.0) / ((slope.high or 0.0) - (slope.low or 0.0))


def _trend(
    values: Floats, weeks: Floats, clusters: npt.ArrayLike | None, n_checks: int, *, n_others: int
) -> Trend:
    cell = _cell(values, weeks, clusters)
    slope = cell.estimate("change_a_week", _slope, DIFFERENCE)
    confidence = 1 - ERROR / n_checks
    course = Course.NOT_TOLD
    if slope.low is not None:
        wide = interval(_slope, cell.clusters, scale=IntervalScale.PLAIN, confidence=confidence)
        if wide.low is not None and wide.low > 0:
            course = Course.UP
        if wide.high is not None and wide.high < 0:
            course = Course.DOWN
    return Trend(slope=slope, course=course, confidence=confidence, n_others=n_others)


def _others(values: Floats) -> tuple[Floats, Floats]:
    """How many others rated, and the sum of what they gave, (n, r)."""
    rated = np.isfinite(values)
    filled = np.where(rated, values, 0.0)
    n = rated.sum(axis=1, keepdims=True) - rated
    total = filled.sum(axis=1, keepdims=True) - filled
    return n.astype(np.float64), total


def _cell(
    values: npt.ArrayLike,
    weeks: npt.ArrayLike | None,
    clusters: npt.ArrayLike | None,
    *,
    n_pairs: int | None = None,
    n_raters: int = 2,
) -> Cell:
    """Rows of 1, value, week, week squared, value times week of the items that have both."""
    given = np.asarray(values, dtype=np.float64)
    when = np.zeros(given.shape) if weeks is None else np.asarray(weeks, dtype=np.float64)
    used = np.isfinite(given) & np.isfinite(when)
    y, t = given[used], when[used]
    t = t - t.min() if t.size else t
    rows = [np.ones(y.size), y] if weeks is None else [np.ones(y.size), y, t, t * t, y * t]
    return cell_of_rows(
        np.stack(rows, axis=1),
        owners_of(clusters, used),
        n_pairs=n_pairs,
        n_raters=n_raters,
    )


def _slope(sums: Floats) -> Floats:
    n, y, t, tt, yt = np.moveaxis(sums, -1, 0)
    return ratio(n * yt - t * y, n * tt - t * t)
