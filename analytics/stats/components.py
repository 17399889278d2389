"""Rotating panels: variance components of items, raters and the rest, from ratings with gaps.

The analysis of variance needs every rater on every item. Restricted maximum likelihood (REML)
does not: y = mean + item + rater + rest, all but the mean random and normal. McGraw & Wong (1996)
give the ICCs as shares of these variances; ten Hove, Jorgensen & van der Ark (2024), Psychological
Methods 29(5), 967-979, argue for this model where raters differ from item to item.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

FORMS = ("icc_a1_reml", "icc_c1_reml")
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
    known = np.isfinite(values)
    if np.ptp(values[known]) == 0:
        raise ValueError("All ratings are equal: there is no variance to divide.")
    sums = _sums(values, np.zeros(len(values), dtype=np.int64), 1)
    return _fitted(sums, _STARTS).components


class _Sums(NamedTuple):
    """All that the likelihood needs of the items, put together by how many ratings they have.

    `sizes` (m,): the numbers of ratings an item has; `n` (m,): how many items have so many;
    `total`, `square` (m,): sums of the items' totals and of their squares; `rated`, `crossed`
    (m, r): how often each rater rated them, and the totals of what they rated; `together`
    (m, r, r): how often two raters rated the same one; `by_rater` (r,): each rater's total;
    `squares`: of all ratings. Sums of several blocks of items have a first axis of blocks.
    """

    sizes: Floats
    n: Floats
    total: Floats
    square: Floats
    rated: Floats
    crossed: Floats
    together: Floats
    by_rater: Floats
    squares: Floats

    def of(self, blocks: npt.NDArray[np.bool_]) -> _Sums:
        """The sums of these blocks (b,) in one."""
        return _Sums(self.sizes, *(part[blocks].sum(axis=0) for part in self[1:]))


def _sums(values: Floats, blocks: Ints, n_blocks: int) -> _Sums:
    """Sums of ratings (n, r) in blocks (n,), numbered from 0; without a first axis where it is 1."""
    rated = np.isfinite(values)
    level = values[rated].mean()
    centred = np.where(rated, values - level, 0.0)
    incidence, totals = rated.astype(np.float64), centred.sum(axis=1)
    each = rated.sum(axis=1)
    sizes = np.unique(each[each > 0])
    chosen = [[(blocks == block) & (each == size) for size in sizes] for block in range(n_blocks)]
    found = _Sums(
        sizes.astype(np.float64),
        _each(chosen, lambda items: items.sum()),
        _each(chosen, lambda items: totals[items].sum()),
        _each(chosen, lambda items: (totals[items] ** 2).sum()),
        _each(chosen, lambda items: incidence[items].sum(axis=0)),
        _each(chosen, lambda items: totals[items] @ incidence[items]),
        _each(chosen, lambda items: incidence[items].T @ incidence[items]),
        np.stack([centred[blocks == block].sum(axis=0) for block in range(n_blocks)]),
        np.array([(centred[blocks == block] ** 2).sum() for block in range(n_blocks)]),
    )
    return found if n_blocks > 1 else found.of(np.array([True]))


def _each(
    chosen: list[list[npt.NDArray[np.bool_]]], of: Callable[[npt.NDArray[np.bool_]], Any]
) -> Floats:
    return np.array([[of(items) for items in block] for block in chosen], dtype=np.float64)


class _Fit(NamedTuple):
    logs: Floats
    components: Components


def _fitted(sums: _Sums, starts: Sequence[Sequence[float]]) -> _Fit:
    likelihood = _Likelihood(sums)
    fits = [
        optimize.minimize(
            likelihood.deviance,
            start,
            method="L-BFGS-B",
            bounds=[_BOUNDS] * 2,
            options={"ftol": 1e-14, "gtol": 1e-9},
        )
        for start in starts
    ]
    best = min(fits, key=lambda fit: float(fit.fun))
    return _Fit(best.x, likelihood.components(best.x))


class _Likelihood:
    """Restricted likelihood of log(item / rest) and log(rater / rest), the rest profiled out.

    Items are absorbed first and only their sums are needed, so that a step costs as much as a
    raters x raters matrix, however many items there are.
    """

    def __init__(self, sums: _Sums) -> None:
        self.sums = sums
        self.by_rater = np.stack([sums.rated.sum(axis=0), sums.by_rater])
        self.n = float(self.by_rater[0].sum())
        total = sums.total.sum()
        self.products = np.array([[self.n, total], [total, float(sums.squares)]])
        self.weighted = np.array(
            [
                [sums.sizes**2 * sums.n, sums.sizes * sums.total],
                [sums.sizes * sums.total, sums.square],
            ]
        )
        self.seen = np.stack([sums.sizes[:, None] * sums.rated, sums.crossed])

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
        shrink = item / (1 + item * self.sums.sizes)
        products = self.products - self.weighted @ shrink
        seen = self.by_rater - np.einsum("m,amr->ar", shrink, self.seen)
        between = np.diag(self.by_rater[0]) - np.tensordot(shrink, self.sums.together, axes=1)
        inner = np.eye(between.shape[0]) + rater * between
        products = products - rater * seen @ np.linalg.solve(inner, seen.T)
        determinant = self.sums.n @ np.log1p(item * self.sums.sizes) + np.linalg.slogdet(inner)[1]
        return float(determinant), products


def rotates(values: Floats) -> bool:
    """Whether some items with two ratings or more lack one of a rater who rates, (n, r)."""
    rated = np.isfinite(values)
    paired = rated[rated.sum(axis=1) >= 2]
    return bool((paired.any(axis=0) & ~paired.all(axis=0)).any())


def rotating_panel(
    values: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None
) -> dict[str, Estimate]:
    """`icc_a1_reml` and `icc_c1_reml` of ratings (n, r) with gaps, NaN where missing.

    Only items with two ratings or more count. Values are right to about 1e-6: the likelihood is
    flat at its top. The jackknife leaves out one of at most `BLOCKS` blocks of dialogues
    (`clusters` (n,), None when items stand alone) at a time, for every value is a fit of its own.
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
        sums = _sums(kept, blocks, n_blocks)
        whole = _fitted(sums.of(np.full(n_blocks, True)), _STARTS)
        values_found = _iccs(whole)
        if size >= TOO_FEW_CLUSTERS:
            without = [sums.of(np.arange(n_blocks) != block) for block in range(n_blocks)]
            left_out = np.array([_iccs(_fitted(one, [whole.logs.tolist()])) for one in without])
    found = {}
    for place, name in enumerate(FORMS):
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


def _iccs(fit: _Fit) -> tuple[float, float]:
    return fit.components.agreement, fit.components.consistency


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
