"""Two raters whose values are means or predictions: statistics from sums of products.

Such values have too many points for count tables. Functions take a stack of sums (..., 7) as
`rows` makes them and return the stack's values (...), NaN where a statistic is not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analytics.stats import icc, pairs
from analytics.stats.cells import reason_of_number
from analytics.stats.estimates import Note
from analytics.stats.intervals import DIFFERENCE, NEEDS_SPREAD, SIZE, Statistic, StatisticReading
from analytics.stats.scales import Floats, quotient, ratio

WIDTH = 7
_ROUNDING = 1e-12


def rows(x: Floats, y: Floats, *, centre: float) -> Floats:
    """What each pair of values (n,) adds, (n, 7): 1, x, y, x^2, y^2, xy, |x - y|.

    Both are taken from `centre` first, the middle of the scale, which keeps sums of squares exact.
    """
    x, y = x - centre, y - centre
    return np.stack([np.ones(x.size), x, y, x * x, y * y, x * y, np.abs(x - y)], axis=-1)


def reasons(x: Floats, y: Floats) -> set[Note]:
    """What rules out an interval of agreement between values (n,) of two raters."""
    if reason := reason_of_number(x.size):
        return {reason}
    if np.array_equal(x, y):
        return {Note.ALL_EQUAL if np.ptp(x) == 0 else Note.NO_DISAGREEMENT}
    return {Note.ONE_RATER_CONSTANT} if min(np.ptp(x), np.ptp(y)) == 0 else set()


def mean_squares(sums: Floats) -> icc.MeanSquares:
    """Mean squares of two raters (McGraw & Wong 1996); what is only rounding is 0."""
    n, spread_x, spread_y, shared, gap = _spreads(sums)
    rows_ = (spread_x + spread_y + 2 * shared) / 2
    error = _cleaned((spread_x + spread_y - 2 * shared) / 2, spread_x + spread_y)
    columns = gap**2 / 2
    return icc.MeanSquares(
        rows=ratio(rows_, n * (n - 1)),
        columns=ratio(columns, n),
        error=ratio(error, n * (n - 1)),
        within=ratio(error + columns, n * n),
        n=n,
        k=2,
    )


def concordance(sums: Floats) -> Floats:
    """Lin's concordance correlation coefficient (Lin 1989), moments over n."""
    _, spread_x, spread_y, shared, gap = _spreads(sums)
    return ratio(2 * shared, spread_x + spread_y + gap**2)


def pearson(sums: Floats) -> Floats:
    """Product-moment correlation; NaN where a rater is constant."""
    _, spread_x, spread_y, shared, _ = _spreads(sums)
    return ratio(shared, np.sqrt(spread_x * spread_y))


def _spreads(sums: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """n, n times the sums of squares of x, of y and of products about the means, and the
    difference of the totals."""
    n, sx, sy, sxx, syy, sxy, _ = np.moveaxis(sums, -1, 0)
    spread_x = _cleaned(n * sxx - sx**2, n * sxx)
    spread_y = _cleaned(n * syy - sy**2, n * syy)
    shared = np.where((spread_x > 0) & (spread_y > 0), n * sxy - sx * sy, 0.0)
    return n, spread_x, spread_y, shared, sx - sy


def _cleaned(value: Floats, size: Floats) -> Floats:
    return np.where(value > _ROUNDING * size, value, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentStatistic:
    """One statistic of two raters, as `pairs.PairStatistic` is."""

    compute: Statistic
    reading: StatisticReading = NEEDS_SPREAD


def _icc(form: Callable[[icc.MeanSquares], Floats]) -> Statistic:
    return lambda sums: form(mean_squares(sums))


def _of_six(compute: Statistic) -> Statistic:
    return lambda sums: compute(sums[..., :6])


STATISTICS: dict[str, MomentStatistic] = {
    "icc_a1": MomentStatistic(compute=_icc(icc.agreement)),
    "icc_c1": MomentStatistic(compute=_icc(icc.consistency)),
    "ccc": MomentStatistic(compute=concordance),
    "pearson": MomentStatistic(compute=pearson),
    "bias": MomentStatistic(compute=_of_six(pairs.bias), reading=DIFFERENCE),
    "mae": MomentStatistic(compute=quotient(6), reading=SIZE),
    "mse": MomentStatistic(compute=_of_six(pairs.mean_square), reading=SIZE),
    "rmse": MomentStatistic(compute=_of_six(pairs.root_mean_square), reading=SIZE),
}
