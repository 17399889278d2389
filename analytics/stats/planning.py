"""How many items, raters or positives a wished-for precision takes."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import special

from analytics.stats.alternative import FALSE_DISCOVERIES
from analytics.stats.components import BLOCKS
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import (
    TOO_FEW_CLUSTERS,
    IntervalScale,
    Unit,
    jackknife_method,
    runs_method,
)
from analytics.stats.none_in_n import CHANCE_OF_NONE
from analytics.stats.promises import highest_rate

MOST_RATERS = 50
_MOST_CLUSTERS = 10_000_000
_MOST_ITEMS = 100_000

_Carry: TypeAlias = Callable[[float], float]
_SCALES: dict[IntervalScale, tuple[_Carry, _Carry]] = {
    IntervalScale.FISHER_Z: (math.atanh, math.tanh),
    IntervalScale.LOGIT: (lambda x: float(special.logit(x)), lambda x: float(special.expit(x))),
    IntervalScale.LOG: (math.log, math.exp),
    IntervalScale.ENDS: (float, float),  # which ends is not in the name of the method
    IntervalScale.PLAIN: (float, float),
}
_MADE = {
    method(unit, scale): (unit, scale)
    for method in (jackknife_method, runs_method)
    for unit in Unit
    for scale in IntervalScale
}


def carries_of(method: str) -> tuple[_Carry, _Carry]:
    """The way to the scale that an interval was made on, and back; as it is where none is known."""
    _unit, scale = _MADE.get(method, (Unit.ITEM, IntervalScale.PLAIN))
    return _SCALES[scale]


def detectable(found: Estimate, *, n_tests: int = 1) -> float | None:
    """The smallest difference from 0 that data like these show in four of five cases: the minimal
    detectable effect at 80 % power of a two-sided test at 5 %, (z.975 + z.80) standard errors
    (Bloom, 1995, Evaluation Review 19(5), 547-556). Of one among `n_tests` whose false discoveries
    are held down together the level is that at which it is found alone (`benjamini_yekutieli`).
    None without a whole interval."""
    if found.low is None or found.high is None:
        return None
    error = (found.high - found.low) / (2 * float(special.ndtri(0.975)))
    level = FALSE_DISCOVERIES / (n_tests * sum(1 / rank for rank in range(1, n_tests + 1)))
    return error * float(special.ndtri(1 - level / 2) + special.ndtri(0.8))


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What an interval of a wished-for width takes in all, and how much of it there is."""

    n_items: int
    n_clusters: int
    more_items: int
    more_clusters: int


def items_for_icc(
    icc: float, k: int, width: float, *, corrected: bool = True, confidence: float = 0.95
) -> float:
    """Items for an ICC interval of about `width` with k raters, when the ICC is about `icc`.

    Bonett (2002), Statistics in Medicine 21(9), 1331-1335, by default with his correction for two
    raters who agree well (0.7 or more). Not rounded up. ValueError where the question makes no
    sense.
    """
    if not (0 <= icc < 1 and k >= 2 and 0 < width < 2):
        raise ValueError("Give an ICC from 0 to below 1, two raters or more, a width below 2.")
    z = float(special.ndtri((1 + confidence) / 2))
    spread = (1 - icc) * (1 + (k - 1) * icc)
    items = 8 * z**2 * spread**2 / (k * (k - 1) * width**2) + 1
    return items + 5 * icc if corrected and k == 2 and icc >= 0.7 else items


def raters_for_icc(icc: float, n_items: int, width: float) -> int | None:
    """Raters, each of whom rates all `n_items`, for an ICC interval of about `width`.

    By the same formula; None where not even `MOST_RATERS` are enough: the items are then too few.
    """
    return next(
        (k for k in range(2, MOST_RATERS + 1) if items_for_icc(icc, k, width) <= n_items), None
    )


def raters_for_mean(icc: float, reliability: float) -> int | None:
    """Raters whose mean reaches a `reliability` when single ratings have `icc`.

    Spearman (1910) and Brown (1910); None where single ratings share nothing.
    """
    if not 0 < reliability < 1:
        raise ValueError("A reliability lies between 0 and 1.")
    if icc <= 0:
        return None
    return max(1, math.ceil(round(reliability * (1 - icc) / (icc * (1 - reliability)), 9)))


def needed_for_width(estimate: Estimate, width: float) -> Needed | None:
    """How far an estimate must grow for its jackknife interval to be no wider than `width`.

    The squared standard error goes down with the number of clusters (1 / n), the value, the items
    a cluster and the scale of the interval stay as they are, Student's t follows the clusters. Of an
    interval over the runs of a judge this is what it takes where runs differ by no more than chance:
    what they differ by beyond it only more runs make less.
    None where there is no such interval to start from, or the width is out of reach.
    """
    if width <= 0:
        raise ValueError("A width is above 0.")
    made = _MADE.get(estimate.method or "")
    if made is None or estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    unit, scale = made
    there, back = _SCALES[scale]
    now, middle = estimate.n_clusters, there(estimate.value)
    error = (there(estimate.high) - there(estimate.low)) / 2 / _reach(now, unit) * math.sqrt(now)

    def is_narrow(clusters: int) -> bool:
        half = _reach(clusters, unit) * error / math.sqrt(clusters)
        return back(middle + half) - back(middle - half) <= width * (1 + 1e-9)

    clusters = bisect.bisect_left(range(_MOST_CLUSTERS), True, lo=TOO_FEW_CLUSTERS, key=is_narrow)
    if clusters == _MOST_CLUSTERS:
        return None
    items = math.ceil(round(clusters * estimate.n_items / now, 9))
    return Needed(
        n_items=items,
        n_clusters=clusters,
        more_items=max(0, items - estimate.n_items),
        more_clusters=max(0, clusters - now),
    )


def positives_for_share(share: float, reach: float, *, confidence: float = 0.95) -> int:
    """Positive items for a sensitivity of about `share` to be known within plus or minus `reach`.

    For items that stand alone; Buderer (1996), Academic Emergency Medicine 3(9), 895-900. At a
    share of one half the number is the largest.
    """
    if not (0 <= share <= 1 and 0 < reach < 1):
        raise ValueError("A share lies from 0 to 1, its reach between 0 and 1.")
    z = float(special.ndtri((1 + confidence) / 2))
    return max(1, math.ceil(round(z**2 * share * (1 - share) / reach**2, 9)))


def positives_for_miss_rate(rate: float) -> int:
    """Positive items to see, without a single miss, to be 95 % sure that fewer than `rate` of
    them are missed."""
    if not 0 < rate < 1:
        raise ValueError("A miss rate lies between 0 and 1.")
    return math.ceil(math.log(CHANCE_OF_NONE) / math.log1p(-rate))


def items_for_bound(rate: float, *, alpha: float, delta: float) -> int | None:
    """Items for an error rate seen at `rate` to have an upper limit at level `delta` of no more
    than `alpha`; exact and binomial. None where the rate itself is too high, or so close that
    more than a hundred thousand items would not do."""
    if not (0 < alpha < 1 and 0 < delta < 1):
        raise ValueError("Alpha and delta lie between 0 and 1.")
    if rate >= alpha:
        return None
    n = np.arange(1, _MOST_ITEMS + 1, dtype=np.float64)
    enough = highest_rate(np.ceil(np.round(rate * n, 9)), n, delta=delta) <= alpha
    return int(n[enough.argmax()]) if enough.any() else None


def _reach(clusters: int, unit: Unit) -> float:
    """Student's t for so many clusters, or for as many blocks as they are put into."""
    parts = min(clusters, BLOCKS) if unit is Unit.BLOCK else clusters
    return float(special.stdtrit(parts - 1, 0.975))
