"""Two raters: every statistic from the q x q table of counts alone.

Functions take a stack of tables (..., q, q) with the first rater in the rows, and the q points of
the scale, ascending; they return the stack's values (...), NaN where a statistic is not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from analytics.stats import icc, kappa
from analytics.stats.alpha import alpha
from analytics.stats.intervals import (
    BEYOND_CHANCE,
    DIFFERENCE,
    NEEDS_SPREAD,
    SHARE,
    SIZE,
    StatisticReading,
)
from analytics.stats.scales import (
    Floats,
    Ints,
    Level,
    Measurement,
    Weighting,
    positions,
    ratio,
    squared_distances,
    weights,
)

NORMAL_QUANTILE = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Counts:
    """A stack of tables (..., q, q) over `points`; without slots, to keep what is worked out once.

    `rows`, `columns` (..., q): the margins; `n` (...); `six` (..., 6): as `sums` gives them.
    """

    tables: Floats
    points: Floats

    def weighted(self, weight: Floats) -> Floats:
        """Sum (...) of the counts times a weight (q, q) each."""
        summed: Floats = self._flat @ weight.ravel()
        return summed

    @cached_property
    def six(self) -> Floats:
        return sums(self.tables, self.points)

    @cached_property
    def mean_squares(self) -> icc.MeanSquares:
        return mean_squares(self.six)

    @cached_property
    def rows(self) -> Floats:
        return self._summed_over(_margins(self.points.size)[0])

    @cached_property
    def columns(self) -> Floats:
        return self._summed_over(_margins(self.points.size)[1])

    @cached_property
    def n(self) -> Floats:
        return np.asarray(self.rows.sum(axis=-1))

    @property
    def _flat(self) -> Floats:
        return self.tables.reshape(*self.tables.shape[:-2], self.points.size**2)

    def _summed_over(self, cells: Floats) -> Floats:
        found: Floats = self._flat @ cells
        return found


def counts(x: npt.ArrayLike, y: npt.ArrayLike, points: Floats) -> Floats:
    """Table (q, q) of how often x rated i and y rated j; items missing either are left out."""
    alone = np.zeros(np.shape(x), dtype=np.int64)
    return np.asarray(cluster_counts(x, y, points, alone, 1)[0])


def cluster_counts(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    points: Floats,
    clusters: Ints,
    n_clusters: int,
    weights: Floats | None = None,
) -> Floats:
    """Tables (n_clusters, q, q), one a cluster; `clusters` numbers each item's from 0. An item
    counts as its weight says (n,), or as one."""
    row, column = positions(x, points), positions(y, points)
    if row.shape != column.shape or row.ndim != 1:
        raise ValueError("Both raters need one value an item, in one dimension.")
    both = (row >= 0) & (column >= 0)
    q = points.size
    cell = (clusters[both] * q + row[both]) * q + column[both]
    each = None if weights is None else weights[both]
    tables = np.bincount(cell, each, minlength=n_clusters * q * q).astype(np.float64)
    return tables.reshape(n_clusters, q, q)


def sums(tables: Floats, points: Floats) -> Floats:
    """(..., 6): n, Sx, Sy, Sxx, Syy, Sxy. Sums of clusters add up to the sums of the whole."""
    flat: Floats = tables.reshape(*tables.shape[:-2], points.size**2)
    return flat @ _design(tuple(points.tolist()))


@lru_cache(maxsize=256)
def _design(points: tuple[float, ...]) -> Floats:
    """What a pair of ratings adds to the six sums, (q^2, 6), cell by cell of a table."""
    x, y = np.repeat(points, len(points)), np.tile(points, len(points))
    return np.stack([np.ones(x.size), x, y, x * x, y * y, x * y], axis=-1)


@lru_cache(maxsize=64)
def _margins(q: int) -> tuple[Floats, Floats]:
    """Which row, and which column, each cell of a table adds to, (q^2, q) each."""
    each = np.eye(q)
    return np.repeat(each, q, axis=0), np.tile(each, (q, 1))


def mean_squares(six: Floats) -> icc.MeanSquares:
    """Mean squares of two raters from the six sums (..., 6)."""
    n, _, _, sxx, syy, sxy = np.moveaxis(six, -1, 0)
    return icc.mean_squares_of_sums(n, six[..., 1:3], sxx + syy, sxx + syy + 2 * sxy)


def concordance(six: Floats) -> Floats:
    """Lin's concordance correlation coefficient (Lin 1989), moments over n."""
    n, sx, sy, sxx, syy, sxy = np.moveaxis(six, -1, 0)
    spread = n * (sxx + syy) - sx**2 - sy**2 + (sx - sy) ** 2
    return ratio(2 * (n * sxy - sx * sy), spread)


def pearson(six: Floats) -> Floats:
    """Product-moment correlation; NaN where a rater is constant."""
    n, sx, sy, sxx, syy, sxy = np.moveaxis(six, -1, 0)
    spread = _spread(n, sx, sxx) * _spread(n, sy, syy)
    return ratio(n * sxy - sx * sy, np.sqrt(spread))


def _spread(n: Floats, total: Floats, squares: Floats) -> Floats:
    """n times the sum of squares about the mean; what is only rounding is 0."""
    spread = n * squares - total**2
    return np.where(spread > 1e-13 * n * squares, spread, 0.0)


def bias(six: Floats) -> Floats:
    """Mean of second minus first rater."""
    return ratio(six[..., 2] - six[..., 1], six[..., 0])


def mean_square(six: Floats) -> Floats:
    squares = six[..., 3] + six[..., 4] - 2 * six[..., 5]
    return np.maximum(ratio(squares, six[..., 0]), 0.0)


def root_mean_square(six: Floats) -> Floats:
    return np.sqrt(mean_square(six))


def limits_of_agreement(six: Floats) -> tuple[Floats, Floats]:
    """Bland & Altman (1986): bias -+ 1.96 standard deviations of the differences."""
    n = six[..., 0]
    squares = six[..., 3] + six[..., 4] - 2 * six[..., 5]
    variance = ratio(n * squares - (six[..., 2] - six[..., 1]) ** 2, n * (n - 1))
    half = NORMAL_QUANTILE * np.sqrt(np.maximum(variance, 0.0))
    return bias(six) - half, bias(six) + half


def mean_absolute(found: Counts) -> Floats:
    return ratio(found.weighted(np.abs(found.points[:, None] - found.points)), found.n)


def exact(tables: Floats) -> Floats:
    """Share of pairs that are equal."""
    return ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def within_one(found: Counts) -> Floats:
    """Share of pairs that are equal or neighbours on the scale."""
    rank = np.arange(found.points.size)
    near = (np.abs(rank[:, None] - rank) <= 1).astype(np.float64)
    return ratio(found.weighted(near), found.n)


def spearman(tables: Floats) -> Floats:
    """Rank correlation: Pearson's of mid-ranks."""
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    x, y = _centred_midranks(rows), _centred_midranks(columns)
    spread = (rows * x**2).sum(axis=-1) * (columns * y**2).sum(axis=-1)
    return ratio(np.einsum("...i,...ij,...j->...", x, tables, y), np.sqrt(spread))


def _centred_midranks(margin: Floats) -> Floats:
    ranks = np.cumsum(margin, axis=-1) - margin / 2 - margin.sum(axis=-1, keepdims=True) / 2
    return np.where(margin > 0, ranks, 0.0)


def kendall(tables: Floats) -> Floats:
    """Tau-b (Kendall 1945): concordant less discordant pairs, ties allowed for."""
    greater = _strictly_beyond(tables)
    smaller = _strictly_beyond(tables[..., ::-1])[..., ::-1]
    balance = (tables * (greater - smaller)).sum(axis=(-2, -1))
    untied = _untied(tables.sum(axis=-1)) * _untied(tables.sum(axis=-2))
    return ratio(2 * balance, np.sqrt(untied))


def _strictly_beyond(tables: Floats) -> Floats:
    """For each cell, the count of pairs whose row and column are both larger."""
    beyond = tables[..., ::-1, ::-1].cumsum(axis=-2).cumsum(axis=-1)[..., ::-1, ::-1]
    found = np.zeros_like(tables)
    found[..., :-1, :-1] = beyond[..., 1:, 1:]
    return found


def _untied(margin: Floats) -> Floats:
    """Twice the number of pairs of items that a rater tells apart."""
    return np.asarray(margin.sum(axis=-1) ** 2 - (margin**2).sum(axis=-1))


def cohen(found: Counts, weighting: Weighting) -> Floats:
    """Cohen's (weighted) kappa (Cohen 1960, 1968); weights go by the points' values.

    From disagreement, so it is NaN exactly where both raters use one and the same point.
    """
    disagreement = 1 - weights(found.points, weighting)
    expected = ((found.rows @ disagreement) * found.columns).sum(axis=-1)
    return 1 - ratio(found.weighted(disagreement) * found.n, expected)


def krippendorff(found: Counts, level: Level) -> Floats:
    """Krippendorff's alpha of two raters without missing values."""
    totals = found.rows + found.columns
    if level == "ordinal":
        coincidences = found.tables + np.swapaxes(found.tables, -1, -2)
        return alpha(coincidences, totals, found.points, level)
    distances = squared_distances(totals, found.points, level)
    expected = ((totals @ distances) * totals).sum(axis=-1)
    return 1 - ratio((2 * found.n - 1) * 2 * found.weighted(distances), expected)


def gwet(found: Counts, weighting: Weighting) -> Floats:
    """AC1 (no weighting) or AC2 over the declared points."""
    weight = weights(found.points, weighting)
    shares = ratio(found.rows + found.columns, 2 * found.n[..., None])
    return kappa.gwet(ratio(found.weighted(weight), found.n), shares, weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStatistic:
    """One statistic of two raters, as the front door needs to know it.

    `of`: its values (...) for a stack of counts.
    """

    of: Callable[[Counts], Floats]
    reading: StatisticReading = NEEDS_SPREAD

    def compute(self, tables: Floats, points: Floats) -> Floats:
        """The values (...) for a stack of tables (..., q, q)."""
        return self.of(Counts(tables=tables, points=points))


def _of_mean_squares(form: Callable[[icc.MeanSquares], Floats]) -> Callable[[Counts], Floats]:
    return lambda found: form(found.mean_squares)


def _of_six(compute: Callable[[Floats], Floats]) -> Callable[[Counts], Floats]:
    return lambda found: compute(found.six)


STATISTICS: dict[str, PairStatistic] = {
    "icc_a1": PairStatistic(of=_of_mean_squares(icc.agreement)),
    "icc_c1": PairStatistic(of=_of_mean_squares(icc.consistency)),
    "icc_11": PairStatistic(of=_of_mean_squares(icc.one_way), reading=BEYOND_CHANCE),
    "icc_ak": PairStatistic(of=_of_mean_squares(icc.agreement_mean)),
    "icc_ck": PairStatistic(of=_of_mean_squares(icc.consistency_mean)),
    "icc_1k": PairStatistic(of=_of_mean_squares(icc.one_way_mean), reading=BEYOND_CHANCE),
    "ccc": PairStatistic(of=_of_six(concordance)),
    "pearson": PairStatistic(of=_of_six(pearson)),
    "spearman": PairStatistic(of=lambda found: spearman(found.tables)),
    "kendall_b": PairStatistic(of=lambda found: kendall(found.tables)),
    "kappa": PairStatistic(of=lambda found: cohen(found, "none")),
    "kappa_linear": PairStatistic(of=lambda found: cohen(found, "linear")),
    "kappa_quadratic": PairStatistic(of=lambda found: cohen(found, "quadratic")),
    "alpha_nominal": PairStatistic(
        of=lambda found: krippendorff(found, "nominal"), reading=BEYOND_CHANCE
    ),
    "alpha_ordinal": PairStatistic(
        of=lambda found: krippendorff(found, "ordinal"), reading=BEYOND_CHANCE
    ),
    "alpha_interval": PairStatistic(
        of=lambda found: krippendorff(found, "interval"), reading=BEYOND_CHANCE
    ),
    "ac1": PairStatistic(of=lambda found: gwet(found, "none"), reading=BEYOND_CHANCE),
    "ac2": PairStatistic(of=lambda found: gwet(found, "quadratic"), reading=BEYOND_CHANCE),
    "exact": PairStatistic(
        of=lambda found: ratio(found.weighted(np.eye(found.points.size)), found.n), reading=SHARE
    ),
    "within_one": PairStatistic(of=within_one, reading=SHARE),
    "bias": PairStatistic(of=_of_six(bias), reading=DIFFERENCE),
    "mae": PairStatistic(of=mean_absolute, reading=SIZE),
    "mse": PairStatistic(of=_of_six(mean_square), reading=SIZE),
    "rmse": PairStatistic(of=_of_six(root_mean_square), reading=SIZE),
    "loa_low": PairStatistic(
        of=_of_six(lambda six: limits_of_agreement(six)[0]), reading=DIFFERENCE
    ),
    "loa_high": PairStatistic(
        of=_of_six(lambda six: limits_of_agreement(six)[1]), reading=DIFFERENCE
    ),
}

_NOMINAL = ("kappa", "alpha_nominal", "ac1", "exact")

SUITED: dict[Measurement, tuple[str, ...]] = {
    "nominal": _NOMINAL,
    "binary": (*_NOMINAL, "icc_a1", "icc_c1", "icc_11", "pearson", "bias"),
    "ordinal": tuple(STATISTICS),
}
