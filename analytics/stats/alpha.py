"""Krippendorff's alpha from coincidences (Krippendorff 2011, Computing Krippendorff's
Alpha-Reliability)."""

from __future__ import annotations

import numpy as np

from analytics.stats.scales import Floats, Level, ratio, squared_distances


def alpha(coincidences: Floats, totals: Floats, points: Floats, level: Level) -> Floats:
    """Alpha of a stack of coincidence matrices (..., q, q); NaN where only one point is used.

    `coincidences` sums, over items with m >= 2 ratings, the ordered pairs of ratings divided by
    m - 1; `totals` (..., q) are its row sums, the ratings at each point on those items.
    """
    distances = squared_distances(totals, points, level)
    observed = (coincidences * distances).sum(axis=(-2, -1))
    expected = np.einsum("...c,...ck,...k->...", totals, distances, totals)
    return 1 - ratio((totals.sum(axis=-1) - 1) * observed, expected)
