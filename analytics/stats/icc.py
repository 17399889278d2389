"""Intraclass correlation: six forms from the mean squares of a complete items x raters table.

Notation of McGraw & Wong (1996), Psychological Methods 1(1), 30-46: `1` one-way, `A` absolute
agreement, `C` consistency; a single rating or the mean of k.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from analytics.stats.scales import Floats, ratio


class MeanSquares(NamedTuple):
    """Two-way analysis of variance of n items by k raters; arrays of one shape (a stack).

    `rows` between items, `columns` between raters, `error` the remainder, `within` within items.
    """

    rows: Floats
    columns: Floats
    error: Floats
    within: Floats
    n: Floats
    k: int


def mean_squares_of_sums(
    n: Floats, column_sums: Floats, squares: Floats, squared_row_totals: Floats
) -> MeanSquares:
    """Mean squares from sums: n items, sums per rater (..., k), the sum of all squared ratings,
    the sum of squared item totals.

    Everything is kept times n k until the end, so whole ratings are computed exactly and perfect
    agreement has an error of exactly 0.
    """
    k = column_sums.shape[-1]
    total = column_sums.sum(axis=-1)
    rows = n * squared_row_totals - total**2
    columns = k * (column_sums**2).sum(axis=-1) - total**2
    everything = n * k * squares - total**2
    error = everything - rows - columns
    scale = n * k
    return MeanSquares(
        rows=ratio(rows, scale * (n - 1)),
        columns=ratio(columns, scale * (k - 1)),
        error=ratio(error, scale * (n - 1) * (k - 1)),
        within=ratio(error + columns, scale * n * (k - 1)),
        n=n,
        k=k,
    )


def mean_squares(table: Floats) -> MeanSquares:
    """Mean squares of complete ratings (n, k) by residuals; for ratings that are means."""
    n, k = table.shape
    grand, row, column = table.mean(), table.mean(axis=1, keepdims=True), table.mean(axis=0)
    rows = k * ((row - grand) ** 2).sum()
    columns = n * ((column - grand) ** 2).sum()
    error = ((table - row - column + grand) ** 2).sum()
    size = np.asarray(n, dtype=np.float64)
    return MeanSquares(
        rows=ratio(rows, size - 1),
        columns=ratio(columns, np.asarray(k - 1.0)),
        error=ratio(error, (size - 1) * (k - 1)),
        within=ratio(error + columns, size * (k - 1)),
        n=size,
        k=k,
    )


def one_way(ms: MeanSquares) -> Floats:
    """ICC(1,1): raters differ from item to item."""
    return ratio(ms.rows - ms.within, ms.rows + (ms.k - 1) * ms.within)


def agreement(ms: MeanSquares) -> Floats:
    """ICC(A,1): do the raters give the same ratings?"""
    level = ms.k * (ms.columns - ms.error) / ms.n
    return ratio(ms.rows - ms.error, ms.rows + (ms.k - 1) * ms.error + level)


def consistency(ms: MeanSquares) -> Floats:
    """ICC(C,1): do the raters order the items alike, whatever their level?"""
    return ratio(ms.rows - ms.error, ms.rows + (ms.k - 1) * ms.error)


def one_way_mean(ms: MeanSquares) -> Floats:
    """ICC(1,k)."""
    return ratio(ms.rows - ms.within, ms.rows)


def agreement_mean(ms: MeanSquares) -> Floats:
    """ICC(A,k); NaN where raters who contradict each other leave its divisor at 0 or below."""
    below = ms.rows + (ms.columns - ms.error) / ms.n
    return ratio(ms.rows - ms.error, np.maximum(below, 0.0))


def consistency_mean(ms: MeanSquares) -> Floats:
    """ICC(C,k)."""
    return ratio(ms.rows - ms.error, ms.rows)


FORMS: dict[str, Callable[[MeanSquares], Floats]] = {
    "icc_a1": agreement,
    "icc_c1": consistency,
    "icc_11": one_way,
    "icc_ak": agreement_mean,
    "icc_ck": consistency_mean,
    "icc_1k": one_way_mean,
}

SINGLE_OF_MEAN = {"icc_ak": "icc_a1", "icc_ck": "icc_c1", "icc_1k": "icc_11"}


def of_the_mean(single: float, k: int) -> float:
    """Spearman-Brown: the ICC of the mean of k ratings; -inf at or below -1/(k-1)."""
    below = 1 + (k - 1) * single
    return k * single / below if below > 0 else -np.inf


def f_limits(form: str, ms: MeanSquares, *, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """F-based limits of a single-rating form (McGraw & Wong 1996, table 7), NaN where undefined.

    Those of ICC(A,1) speak about other raters too, with k-1 degrees of freedom for them; see
    `analytics.stats.intervals` for limits that speak about these raters.
    """
    upper = (1 + confidence) / 2
    n, k = ms.n, ms.k
    if form == "icc_a1":
        return _f_limits_of_agreement(ms, upper)
    between = n - 1
    rest = n * (k - 1) if form == "icc_11" else (n - 1) * (k - 1)
    f = ratio(ms.rows, ms.within if form == "icc_11" else ms.error)
    low = f / special.fdtri(between, rest, upper)
    high = f * special.fdtri(rest, between, upper)
    return ratio(low - 1, low + k - 1), ratio(high - 1, high + k - 1)


def _f_limits_of_agreement(ms: MeanSquares, upper: float) -> tuple[Floats, Floats]:
    n, k = ms.n, ms.k
    a = agreement(ms)
    f = ratio(ms.columns, ms.error)
    spread = n * (1 + (k - 1) * a) - k * a
    v = ratio(
        (n - 1) * (k - 1) * (k * a * f + spread) ** 2,
        (n - 1) * k**2 * a**2 * f**2 + spread**2,
    )
    rest = k * ms.columns + (k * n - k - n) * ms.error
    below = special.fdtri(n - 1, v, upper)
    above = special.fdtri(v, n - 1, upper)
    low = ratio(n * (ms.rows - below * ms.error), below * rest + n * ms.rows)
    high = ratio(n * (above * ms.rows - ms.error), rest + n * above * ms.rows)
    return low, high
