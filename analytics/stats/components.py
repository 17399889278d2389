"""Rotating panels: variance components of items, raters and the rest, from ratings with gaps.

The analysis of variance needs every rater on every item. Restricted maximum likelihood (REML)
does not: y = mean + item + rater + rest, all but the mean random and normal. McGraw & Wong (1996)
give the ICCs as shares of these variances; ten Hove, Jorgensen & van der Ark (2024), Psychological
Methods 29(5), 967-979, argue for this model where raters differ from item to item.

ICC(A,1) speaks of other raters too, and how far raters differ in level is told by a few: a
jackknife over dialogues, which holds them fixed, held the truth 0.68 to 0.96 times. Its limits join
those of ICC(C,1), from that jackknife, with those of the raters' variance, from chi-squared, by
the method of variance estimates recovery (Zou & Donner 2008, Statistics in Medicine 27(10),
1693-1702).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.cells import lowest_and_highest, notes_on_size, numbered, panel_reasons
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import (
    FEW_CLUSTERS,
    RECOVERED_METHOD,
    TOO_FEW_CLUSTERS,
    Interval,
    Unit,
    jackknife,
)
from analytics.stats.likelihood import Fit, fitted, fitted_whole, sums_of
from analytics.stats.scales import Floats, Ints

FORMS = ("icc_a1_reml", "icc_c1_reml")
BLOCKS = 20
LEAST_RATERS = 3
LITTLE = -10.0  # the logarithm of a variance over the rest's, below which it is none


class Components(NamedTuple):
    """Variances of items, raters and the rest."""

    items: float
    raters: float
    rest: float

    @property
    def agreement(self) -> float:
        """ICC(A,1): items' share of all variance."""
        return self.items / (self.items + self.raters + self.rest)

    @property
    def consistency(self) -> float:
        """ICC(C,1): items' share where differences in raters' level are forgiven."""
        return self.items / (self.items + self.rest)


def components(values: Floats) -> Components:
    """REML variance components of ratings (n, r), NaN where missing.

    Needs two raters who share items and some variance; ValueError where all ratings are equal.
    """
    known = np.isfinite(values)
    if np.ptp(values[known]) == 0:
        raise ValueError("All ratings are equal: there is no variance to divide.")
    sums = sums_of(values, np.zeros(len(values), dtype=np.int64), 1)
    return _components(fitted_whole(sums))[0]


def rotates(values: Floats) -> bool:
    """Whether some items with two ratings or more lack one of a rater who rates, (n, r)."""
    rated = np.isfinite(values)
    paired = rated[rated.sum(axis=1) >= 2]
    return bool((paired.any(axis=0) & ~paired.all(axis=0)).any())


def rotating_panel(
    values: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None
) -> dict[str, Estimate]:
    """`icc_a1_reml` and `icc_c1_reml` of ratings (n, r) with gaps, NaN where missing.

    Only items with two ratings or more count. The jackknife leaves out one of at most `BLOCKS`
    blocks of dialogues (`clusters` (n,), None when items stand alone) at a time, for every value
    is a fit of its own.
    """
    ratings = np.asarray(values, dtype=np.float64)
    each = np.isfinite(ratings).sum(axis=1)
    paired = each >= 2
    kept = ratings[paired]
    owners = None if clusters is None else np.asarray(clusters)[paired]
    blocks, size = _blocks(owners, len(kept))
    n_blocks = min(size, BLOCKS)
    n_pairs = int((each * (each - 1) // 2).sum())
    reasons = panel_reasons(*lowest_and_highest(kept))
    values_found = _without_disagreement(reasons)
    left_out = np.empty((0, 2))
    if not reasons:
        sums = sums_of(kept, blocks, n_blocks)
        whole = fitted_whole(sums)
        (values_found,) = _iccs(whole)
        if size >= TOO_FEW_CLUSTERS:
            left_out = np.array(_iccs(fitted(sums.without_each(), whole.logs.repeat(n_blocks, 0))))
    consistency = _interval(values_found[1], left_out[:, 1], size, reasons)
    if not reasons and _is_at_boundary(whole):
        consistency = Interval(notes=(Note.AT_BOUNDARY,))
    agreement = consistency
    if consistency.low is not None and consistency.high is not None:
        limits = (consistency.low, consistency.high)
        agreement = _of_agreement(_components(whole)[0], limits, kept, consistency.notes)
    found = {}
    for place, (name, made) in enumerate(zip(FORMS, (agreement, consistency), strict=True)):
        found[name] = Estimate(
            statistic=name,
            value=values_found[place],
            low=made.low,
            high=made.high,
            n_items=len(kept),
            n_pairs=n_pairs,
            n_clusters=size,
            n_raters=int(np.isfinite(kept).any(axis=0).sum()),
            method=made.method,
            notes=in_order({*made.notes, *notes_on_size(n_pairs)}),
        )
    return found


def _blocks(owners: npt.NDArray[Any] | None, n: int) -> tuple[Ints, int]:
    """The block of each item, and how many dialogues (or items) there are in all."""
    numbers, size = numbered(owners, n)
    return numbers * min(size, BLOCKS) // max(size, 1), size


def _components(fit: Fit) -> list[Components]:
    """The variances of each sample."""
    variances = np.column_stack([np.exp(fit.logs) * fit.rest[:, None], fit.rest])
    return [Components(*sample) for sample in variances.tolist()]


def _iccs(fit: Fit) -> list[tuple[float, float]]:
    return [(one.agreement, one.consistency) for one in _components(fit)]


def _without_disagreement(reasons: frozenset[Note]) -> tuple[float | None, float | None]:
    return (1.0, 1.0) if Note.NO_DISAGREEMENT in reasons else (None, None)


def _is_at_boundary(fit: Fit) -> bool:
    """Whether items have no variance of their own."""
    return float(fit.logs[0, 0]) < LITTLE


def _of_agreement(
    found: Components, of_consistency: tuple[float, float], ratings: Floats, notes: tuple[Note, ...]
) -> Interval:
    """Limits of ICC(A,1) for other raters, from those of ICC(C,1) and of the raters' variance."""
    low, high = of_consistency
    known = np.isfinite(ratings)
    n_raters = int(known.any(axis=0).sum())
    if n_raters < LEAST_RATERS:
        return Interval(notes=(Note.TOO_FEW_RATERS,))
    least, most = _limits_of_raters(found, known)

    def agreement(share: float, raters: float) -> float:
        return share * (found.items + found.rest) / (found.items + found.rest + raters)

    value, share = found.agreement, found.consistency
    return Interval(
        low=value
        - math.hypot(value - agreement(low, found.raters), value - agreement(share, most)),
        high=value
        + math.hypot(agreement(high, found.raters) - value, agreement(share, least) - value),
        method=RECOVERED_METHOD,
        notes=notes,
    )


def _limits_of_raters(found: Components, known: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Of the raters' variance, which shows together with `noise`, that of a rater's mean: by the
    efficiency of a balanced design with as many ratings an item (Cox 1958, section 11.3)."""
    each, of_raters = known.sum(axis=1), known.sum(axis=0)
    of_raters = of_raters[of_raters > 0]
    freedom = of_raters.size - 1
    efficiency = (1 - 1 / each.mean()) / (1 - 1 / of_raters.size)
    noise = found.rest * float((1 / of_raters).mean()) / float(efficiency)
    squares = (found.raters + noise) * freedom
    most, least = (squares / special.chdtri(freedom, tail) - noise for tail in (0.975, 0.025))
    return max(float(least), 0.0), float(most)


def _interval(
    value: float | None, left_out: Floats, size: int, reasons: frozenset[Note]
) -> Interval:
    if reasons or value is None:
        return Interval(notes=tuple(reasons))
    if size < TOO_FEW_CLUSTERS:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    return jackknife(
        value,
        left_out,
        np.ones(len(left_out)),
        freedom=len(left_out) - 1,
        unit=Unit.BLOCK,
        notes=(Note.FEW_CLUSTERS,) if size < FEW_CLUSTERS else (),
    )
