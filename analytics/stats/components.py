"""Rotating panels: variance components of items, raters and the rest, from ratings with gaps.

The analysis of variance needs every rater on every item. Restricted maximum likelihood (REML)
does not: y = mean + item + rater + rest, all but the mean random and normal. McGraw & Wong (1996)
give the ICCs as shares of these variances; ten Hove, Jorgensen & van der Ark (2024), Psychological
Methods 29(5), 967-979, argue for this model where raters differ from item to item.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize

from analytics.stats.cells import lowest_and_highest, notes_on_size, numbered, panel_reasons
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import (
    FEW_CLUSTERS,
    TOO_FEW_CLUSTERS,
    Interval,
    Unit,
    jackknife,
)
from analytics.stats.scales import Floats, Ints

BLOCKS = 20
_BOUNDS = (-14.0, 14.0)
_STARTS = ((0.0, -2.0), (2.0, 0.0), (-3.0, -3.0))


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
    rated = np.isfinite(values)
    kept = rated.any(axis=1)
    rated, ratings = rated[kept], np.where(rated, values, 0.0)[kept]
    level = ratings.sum() / rated.sum()
    centred = np.where(rated, ratings - level, 0.0)
    if not centred.any():
        raise ValueError("All ratings are equal: there is no variance to divide.")
    likelihood = _Likelihood(centred, rated)
    fits = [
        optimize.minimize(likelihood.deviance, start, method="L-BFGS-B", bounds=[_BOUNDS] * 2)
        for start in _STARTS
    ]
    best = min(fits, key=lambda fit: float(fit.fun))
    return likelihood.components(best.x)


class _Likelihood:
    """Restricted likelihood of log(item / rest) and log(rater / rest), the rest profiled out.

    Items are absorbed first, so that a step costs as much as a raters x raters matrix.
    """

    def __init__(self, centred: Floats, rated: npt.NDArray[np.bool_]) -> None:
        self.incidence = rated.astype(np.float64)
        self.each = self.incidence.sum(axis=1)
        self.totals = centred.sum(axis=1)
        self.by_rater = np.stack([self.incidence.sum(axis=0), centred.sum(axis=0)])
        self.squares = float((centred**2).sum())
        self.n = float(self.each.sum())

    def deviance(self, logs: Floats) -> float:
        """Minus twice the restricted log-likelihood, less a constant."""
        determinant, products = self._absorbed(logs)
        rest = self._rest(products)
        return float((self.n - 1) * np.log(rest) + determinant + np.log(products[0, 0]))

    def components(self, logs: Floats) -> Components:
        """The variances at the given logarithms of their ratios."""
        rest = self._rest(self._absorbed(logs)[1])
        items, raters = np.exp(logs) * rest
        return Components(float(items), float(raters), rest)

    def _rest(self, products: Floats) -> float:
        unexplained = products[1, 1] - products[0, 1] ** 2 / products[0, 0]
        return max(float(unexplained), np.finfo(float).tiny) / (self.n - 1)

    def _absorbed(self, logs: Floats) -> tuple[float, Floats]:
        """log |H| and the products (2, 2) of ones and ratings in H^-1, H = V / rest."""
        item, rater = np.exp(logs)
        shrink = item / (1 + item * self.each)
        sums = np.stack([self.each, self.totals])
        weighted = shrink * sums
        crossed = np.array([[self.n, 0.0], [0.0, self.squares]])
        crossed[0, 1] = crossed[1, 0] = self.totals.sum()
        products = crossed - weighted @ sums.T
        seen = self.by_rater - weighted @ self.incidence
        between = np.diag(self.by_rater[0]) - (self.incidence.T * shrink) @ self.incidence
        inner = np.eye(between.shape[0]) + rater * between
        products = products - rater * seen @ np.linalg.solve(inner, seen.T)
        determinant = np.log1p(item * self.each).sum() + np.linalg.slogdet(inner)[1]
        return float(determinant), products


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
    n_pairs = int((each * (each - 1) // 2).sum())
    reasons = panel_reasons(*lowest_and_highest(kept))
    values_found = _iccs(kept) if not reasons else _without_disagreement(reasons)
    left_out = np.empty((0, 2))
    if not reasons and size >= TOO_FEW_CLUSTERS:
        left_out = np.array([_iccs(kept[blocks != block]) for block in range(blocks.max() + 1)])
    found = {}
    for place, name in enumerate(("icc_a1_reml", "icc_c1_reml")):
        made = _interval(values_found[place], left_out[:, place], size, reasons)
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


def _iccs(ratings: Floats) -> tuple[float, float]:
    found = components(ratings)
    return found.agreement, found.consistency


def _without_disagreement(reasons: frozenset[Note]) -> tuple[float | None, float | None]:
    return (1.0, 1.0) if Note.NO_DISAGREEMENT in reasons else (None, None)


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
