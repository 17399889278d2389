"""Two raters: every statistic from the q x q table of counts alone.

Functions take a stack of tables (..., q, q) with the first rater in the rows, and the q points of
the scale, ascending; they return the stack's values (...), NaN where a statistic is not defined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.stats import icc, kappa
from analytics.stats.alpha import alpha
from analytics.stats.intervals import Scale
from analytics.stats.scales import (
    Floats,
    Ints,
    Level,
    Measurement,
    Weighting,
    positions,
    ratio,
    weights,
)

NORMAL_QUANTILE = 1.959963984540054


def counts(x: npt.ArrayLike, y: npt.ArrayLike, points: Floats) -> Floats:
    """Table (q, q) of how often x rated i and y rated j; items missing either are left out."""
    alone = np.zeros(np.shape(x), dtype=np.int64)
    return np.asarray(cluster_counts(x, y, points, alone, 1)[0])


def cluster_counts(
    x: npt.ArrayLike, y: npt.ArrayLike, points: Floats, clusters: Ints, n_clusters: int
) -> Floats:
    """Tables (n_clusters, q, q), one a cluster; `clusters` numbers each item's from 0."""
    row, column = positions(x, points), positions(y, points)
    if row.shape != column.shape or row.ndim != 1:
        raise ValueError("Both raters need one value an item, in one dimension.")
    both = (row >= 0) & (column >= 0)
    q = points.size
    cell = (clusters[both] * q + row[both]) * q + column[both]
    tables = np.bincount(cell, minlength=n_clusters * q * q).astype(np.float64)
    return tables.reshape(n_clusters, q, q)


def sums(tables: Floats, points: Floats) -> Floats:
    """(..., 6): n, Sx, Sy, Sxx, Syy, Sxy. Sums of clusters add up to the sums of the whole."""
    x, y = (side.ravel() for side in np.meshgrid(points, points, indexing="ij"))
    design = np.stack([np.ones(x.size), x, y, x * x, y * y, x * y], axis=-1)
    flat: Floats = tables.reshape(*tables.shape[:-2], x.size)
    return flat @ design


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


def root_mean_square(six: Floats) -> Floats:
    """Root of the mean squared difference."""
    squares = six[..., 3] + six[..., 4] - 2 * six[..., 5]
    return np.sqrt(np.maximum(ratio(squares, six[..., 0]), 0.0))


def limits_of_agreement(six: Floats) -> tuple[Floats, Floats]:
    """Bland & Altman (1986): bias -+ 1.96 standard deviations of the differences."""
    n = six[..., 0]
    squares = six[..., 3] + six[..., 4] - 2 * six[..., 5]
    variance = ratio(n * squares - (six[..., 2] - six[..., 1]) ** 2, n * (n - 1))
    half = NORMAL_QUANTILE * np.sqrt(np.maximum(variance, 0.0))
    return bias(six) - half, bias(six) + half


def mean_absolute(tables: Floats, points: Floats) -> Floats:
    """Mean absolute difference."""
    return _mean_of(tables, np.abs(points[:, None] - points))


def exact(tables: Floats) -> Floats:
    """Share of pairs that are equal."""
    return ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def within_one(tables: Floats) -> Floats:
    """Share of pairs that are equal or neighbours on the scale."""
    rank = np.arange(tables.shape[-1])
    return _mean_of(tables, (np.abs(rank[:, None] - rank) <= 1).astype(np.float64))


def _mean_of(tables: Floats, values: Floats) -> Floats:
    return ratio((tables * values).sum(axis=(-2, -1)), tables.sum(axis=(-2, -1)))


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


def cohen(tables: Floats, points: Floats, weighting: Weighting) -> Floats:
    """Cohen's kappa; weights go by the points' values."""
    return kappa.cohen(tables, weights(points, weighting))


def krippendorff(tables: Floats, points: Floats, level: Level) -> Floats:
    """Krippendorff's alpha of two raters without missing values."""
    coincidences = tables + np.swapaxes(tables, -1, -2)
    return alpha(coincidences, coincidences.sum(axis=-1), points, level)


def gwet(tables: Floats, points: Floats, weighting: Weighting) -> Floats:
    """AC1 (no weighting) or AC2 over the declared points."""
    weight = weights(points, weighting)
    n = tables.sum(axis=(-2, -1))
    shares = ratio(tables.sum(axis=-1) + tables.sum(axis=-2), 2 * n[..., None])
    return kappa.gwet(_mean_of(tables, weight), shares, weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStatistic:
    """One statistic of two raters, as the front door needs to know it.

    `scale`: where its interval is taken. `beyond_chance`: it judges agreement against what the
    spread of the ratings allows. `zero_if_constant`: 0 by construction (or undefined) as soon as
    one rater is constant.
    """

    compute: Callable[[Floats, Floats], Floats]
    scale: Scale = Scale.FISHER_Z
    beyond_chance: bool = True
    zero_if_constant: bool = True


def _of_mean_squares(form: Callable[[icc.MeanSquares], Floats]) -> Callable[..., Floats]:
    return lambda tables, points: form(mean_squares(sums(tables, points)))


def _plain(
    compute: Callable[[Floats, Floats], Floats], scale: Scale = Scale.PLAIN
) -> PairStatistic:
    return PairStatistic(compute=compute, scale=scale, beyond_chance=False, zero_if_constant=False)


STATISTICS: dict[str, PairStatistic] = {
    "icc_a1": PairStatistic(compute=_of_mean_squares(icc.agreement)),
    "icc_c1": PairStatistic(compute=_of_mean_squares(icc.consistency)),
    "icc_11": PairStatistic(compute=_of_mean_squares(icc.one_way), zero_if_constant=False),
    "icc_ak": PairStatistic(compute=_of_mean_squares(icc.agreement_mean)),
    "icc_ck": PairStatistic(compute=_of_mean_squares(icc.consistency_mean)),
    "icc_1k": PairStatistic(compute=_of_mean_squares(icc.one_way_mean), zero_if_constant=False),
    "ccc": PairStatistic(compute=lambda t, p: concordance(sums(t, p))),
    "pearson": PairStatistic(compute=lambda t, p: pearson(sums(t, p))),
    "spearman": PairStatistic(compute=lambda t, _: spearman(t)),
    "kendall_b": PairStatistic(compute=lambda t, _: kendall(t)),
    "kappa": PairStatistic(compute=lambda t, p: cohen(t, p, "none")),
    "kappa_linear": PairStatistic(compute=lambda t, p: cohen(t, p, "linear")),
    "kappa_quadratic": PairStatistic(compute=lambda t, p: cohen(t, p, "quadratic")),
    "alpha_nominal": PairStatistic(
        compute=lambda t, p: krippendorff(t, p, "nominal"), zero_if_constant=False
    ),
    "alpha_ordinal": PairStatistic(
        compute=lambda t, p: krippendorff(t, p, "ordinal"), zero_if_constant=False
    ),
    "alpha_interval": PairStatistic(
        compute=lambda t, p: krippendorff(t, p, "interval"), zero_if_constant=False
    ),
    "ac1": PairStatistic(compute=lambda t, p: gwet(t, p, "none"), zero_if_constant=False),
    "ac2": PairStatistic(compute=lambda t, p: gwet(t, p, "quadratic"), zero_if_constant=False),
    "exact": _plain(lambda t, _: exact(t), Scale.LOGIT),
    "within_one": _plain(lambda t, _: within_one(t), Scale.LOGIT),
    "bias": _plain(lambda t, p: bias(sums(t, p))),
    "mae": _plain(mean_absolute, Scale.LOG),
    "rmse": _plain(lambda t, p: root_mean_square(sums(t, p)), Scale.LOG),
    "loa_low": _plain(lambda t, p: limits_of_agreement(sums(t, p))[0]),
    "loa_high": _plain(lambda t, p: limits_of_agreement(sums(t, p))[1]),
}

_NOMINAL = ("kappa", "alpha_nominal", "ac1", "exact")

SUITED: dict[Measurement, tuple[str, ...]] = {
    "nominal": _NOMINAL,
    "binary": (*_NOMINAL, "icc_a1", "icc_c1", "icc_11", "pearson", "bias"),
    "ordinal": tuple(STATISTICS),
}
