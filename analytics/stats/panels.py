"""Many raters with missing values: what each item adds to Fleiss, Conger, alpha, AC and the ICC.

Every statistic is a function of a flat vector of sums; those of clusters add up to those of the
whole, so leaving clusters out or drawing them again needs no second look at the ratings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.stats import alpha as krippendorff
from analytics.stats import icc, kappa
from analytics.stats.intervals import BEYOND_CHANCE, SHARE, StatisticReading
from analytics.stats.scales import (
    Floats,
    Ints,
    Level,
    Measurement,
    Weighting,
    alike,
    ratio,
    weights,
)

PAIRED = 1
COMPLETE = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSums:
    """Views on a stack (..., f) of flat sums, f = 2 + 2q + 2q^2 + rq; r is 0 without margins.

    `rated`: items with a rating; `shares` (q): over those items, the share of each point;
    `paired`: items with two ratings or more; `totals` (q): ratings at each point on those items;
    `agreements` (q, q): ordered pairs of ratings over the item's number of such pairs m(m-1);
    `coincidences` (q, q): the same over m-1; `margins` (r, q): ratings of each rater.
    """

    rated: Floats
    paired: Floats
    shares: Floats
    totals: Floats
    agreements: Floats
    coincidences: Floats
    margins: Floats

    def observed(self, weight: Floats) -> Floats:
        """Mean over items of the weighted share of agreeing pairs."""
        return ratio((self.agreements * weight).sum(axis=(-2, -1)), self.paired)

    @property
    def mean_shares(self) -> Floats:
        """Mean over items of the shares of the points, (..., q)."""
        return ratio(self.shares, self.rated[..., None])


def item_sums(placed: Ints, q: int, *, by_rater: bool = True) -> tuple[Floats, Ints]:
    """What each item adds (n, f), from positions (n, r) on a scale of q points, -1 missing, and a
    number (n,) for each distinct row. Without the margins of raters, items that were rated alike
    have equal rows whoever rated them.

    Column `PAIRED` counts the items with two ratings or more.
    """
    each = _counts_of_items(placed, q)
    patterns = alike(placed, q) if by_rater else alike(each, int(each.max(initial=0)) + 1)
    _, first, which = np.unique(patterns, return_index=True, return_inverse=True)
    sums = _sums_of_counts(each[first].astype(np.float64))
    if by_rater:
        margins = (placed[first][..., None] == np.arange(q)).reshape(
            first.size, placed.shape[1] * q
        )
        sums = np.concatenate([sums, margins], axis=1)
    return sums[which], which


def _counts_of_items(placed: Ints, q: int) -> Ints:
    """How often each item (n, q) was rated at each point."""
    item, rater = np.nonzero(placed >= 0)
    cells = np.bincount(item * q + placed[item, rater], minlength=len(placed) * q)
    return cells.reshape(len(placed), q)


def _sums_of_counts(each: Floats) -> Floats:
    n, q = each.shape
    m = each.sum(axis=1)
    paired = m >= 2
    pairs = each[:, :, None] * each[:, None, :] - each[:, :, None] * np.eye(q)
    others = np.where(paired, m - 1, 1.0)[:, None, None]
    coincidences = np.where(paired[:, None, None], pairs / others, 0.0)
    some = np.where(m > 0, m, 1.0)
    return np.concatenate(
        [
            (m > 0)[:, None],
            paired[:, None],
            each / some[:, None],
            each * paired[:, None],
            (coincidences / some[:, None, None]).reshape(n, q * q),
            coincidences.reshape(n, q * q),
        ],
        axis=1,
    )


def unpacked(flat: Floats, q: int) -> PanelSums:
    """Give the parts of flat sums (..., f) their names and shapes."""
    ends = np.cumsum([1, 1, q, q, q * q, q * q])
    rated, paired, shares, totals, agreements, coincidences, margins = np.split(flat, ends, -1)
    lead = flat.shape[:-1]
    return PanelSums(
        rated=rated[..., 0],
        paired=paired[..., 0],
        shares=shares,
        totals=totals,
        agreements=agreements.reshape(*lead, q, q),
        coincidences=coincidences.reshape(*lead, q, q),
        margins=margins.reshape(*lead, -1, q),
    )


def fleiss(panel: PanelSums, points: Floats) -> Floats:
    """Fleiss' kappa; of complete panels when only their items were summed.

    Over items with varying numbers of ratings this is Gwet's generalisation (2014, ch. 2): shares
    of the points over all items, agreement over items with two ratings or more.
    """
    weight = weights(points, "none")
    return kappa.fleiss(panel.observed(weight), panel.mean_shares, weight)


def conger(panel: PanelSums, points: Floats) -> Floats:
    """Conger's kappa."""
    weight = weights(points, "none")
    return kappa.conger(panel.observed(weight), panel.margins, weight)


def gwet(panel: PanelSums, points: Floats, weighting: Weighting) -> Floats:
    """AC1 or AC2; items with one rating count in the shares of the points."""
    weight = weights(points, weighting)
    return kappa.gwet(panel.observed(weight), panel.mean_shares, weight)


def alpha(panel: PanelSums, points: Floats, level: Level) -> Floats:
    """Krippendorff's alpha; items with one rating count for nothing."""
    return krippendorff.alpha(panel.coincidences, panel.totals, points, level)


def pairwise(panel: PanelSums, points: Floats) -> Floats:
    """Mean over items of the share of pairs of raters who agree exactly."""
    return panel.observed(weights(points, "none"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelStatistic:
    """One statistic of many raters, as the front door needs to know it.

    `items`: those it is computed from: `full` panels of the expected size, `paired` (two ratings
    or more) or all `rated`. `by_rater`: it asks who gave a rating, not only which there are.
    """

    compute: Callable[[PanelSums, Floats], Floats]
    items: Literal["full", "paired", "rated"]
    reading: StatisticReading = BEYOND_CHANCE
    by_rater: bool = False


STATISTICS: dict[str, PanelStatistic] = {
    "fleiss": PanelStatistic(compute=fleiss, items="full"),
    "fleiss_varying": PanelStatistic(compute=fleiss, items="rated"),
    "conger": PanelStatistic(compute=conger, items="rated", by_rater=True),
    "alpha_nominal": PanelStatistic(compute=lambda s, p: alpha(s, p, "nominal"), items="paired"),
    "alpha_ordinal": PanelStatistic(compute=lambda s, p: alpha(s, p, "ordinal"), items="paired"),
    "alpha_interval": PanelStatistic(compute=lambda s, p: alpha(s, p, "interval"), items="paired"),
    "ac1": PanelStatistic(compute=lambda s, p: gwet(s, p, "none"), items="rated"),
    "ac2": PanelStatistic(compute=lambda s, p: gwet(s, p, "quadratic"), items="rated"),
    "exact": PanelStatistic(compute=pairwise, items="paired", reading=SHARE),
}

_NOMINAL = ("fleiss", "fleiss_varying", "conger", "alpha_nominal", "ac1", "exact")

SUITED: dict[Measurement, tuple[str, ...]] = {
    "nominal": _NOMINAL,
    "binary": _NOMINAL,
    "ordinal": tuple(STATISTICS),
}


def complete_item_sums(complete: Floats) -> Floats:
    """What each item of complete ratings (n, k) adds to the ICC: 1, each rating, the sum of their
    squares, the square of their sum; (n, k + 3). Column `COMPLETE` counts the items."""
    ones = np.ones((complete.shape[0], 1))
    squares = (complete**2).sum(axis=1, keepdims=True)
    squared_total = complete.sum(axis=1, keepdims=True) ** 2
    return np.concatenate([ones, complete, squares, squared_total], axis=1)


def mean_squares(flat: Floats) -> icc.MeanSquares:
    """Mean squares of complete panels from summed `complete_item_sums` (..., k + 3)."""
    return icc.mean_squares_of_sums(flat[..., 0], flat[..., 1:-2], flat[..., -2], flat[..., -1])
