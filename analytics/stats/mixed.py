"""Restricted maximum likelihood of crossed and nested effects: items in generators, by raters.

y = mean + generator + item + rater + item by rater + rest, all but the mean random and normal
(Patterson & Thompson 1971, Biometrika 58(3), 545-554; Searle, Casella & McCulloch 1992, Variance
Components, chapter 6), of ratings with any gaps and repeats. Repeats of a rater on an item are
absorbed into their mean and items into the raters and generators, of which there are few, so that
nothing is inverted that is larger than these. The mean and the variance of the rest are profiled
out. Steps begin where Henderson's first method ends (Searle and others, section 5.3), which is the
analysis of variance where every one rated everything as often, and from equal variances; the higher
end is taken. That method alone goes astray where gaps depend on what was rated before: where a
second person looks only at what the first rated low, it calls what differs between items a
difference between people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize, sparse

from analytics.stats.scales import Floats, Ints

NONE = 1e-6  # a variance over the rest's below which it is none
_BOUNDS = (np.log(NONE) - 2, 28.0)
_NEAR = (-4.0, 4.0)  # farther out the likelihood is flat, and a step leaps to another hill
_LEAST_REST = 1e-9  # of all variance, so that raters who never differ have a likelihood too


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Whose each rating (m,) is: its item, its rater, and its generator, numbered from 0.

    `has_repeats`: somebody rated an item several times, so that what a rater sees in an item can be
    told from the rest; `generators` None where there is one, or none is named. An item is of one.
    """

    items: Ints
    raters: Ints
    has_repeats: bool
    generators: Ints | None = None

    def effects(self) -> Iterator[tuple[str, Ints]]:
        """The groups (m,) of each random effect but the rest."""
        yield "items", _numbered(self.items)
        yield "raters", _numbered(self.raters)
        if self.has_repeats:
            yield "by_item", _numbered(self.items * (self.raters.max(initial=0) + 1) + self.raters)
        if self.generators is not None:
            yield "generators", _numbered(self.generators)


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedComponents:
    """The variance of each effect, None where it is not in the design."""

    items: float
    raters: float
    rest: float
    by_item: float | None = None
    generators: float | None = None


def components_of(values: Floats, design: Design) -> MixedComponents | None:
    """The components of ratings (m,); None where they cannot be told apart."""
    started = moments(values, design)
    if started is None:
        return None
    rest = max(started.pop("rest"), _LEAST_REST * float(values.var()))
    by_moments = np.log(np.maximum(np.array(list(started.values())) / rest, NONE))
    likelihood = _Restricted(values, design, tuple(started))
    ends = [
        optimize.minimize(
            likelihood.at,
            begin,
            method="L-BFGS-B",
            jac=True,
            bounds=[_BOUNDS] * begin.size,
            options={"ftol": 1e-13, "gtol": 1e-7},
        )
        for begin in (np.clip(by_moments, *_NEAR), np.zeros(by_moments.size))
    ]
    best: Floats = min(ends, key=lambda end: float(end.fun)).x
    ratios = np.where(best <= np.log(NONE), 0.0, np.exp(best))
    rest = likelihood.rest(best)
    return MixedComponents(rest=rest, **dict(zip(started, (ratios * rest).tolist(), strict=True)))


def moments(values: Floats, design: Design) -> dict[str, float] | None:
    """Henderson's first method: sums of squares of the groups' means are set equal to what is
    expected of them. None where these equations cannot be told apart."""
    centred = values - values.mean()
    effects = dict(design.effects())
    groups = list(effects.values())
    whole, each = np.zeros(values.size, dtype=np.int64), np.arange(values.size)
    squares = [_squares(centred, group) for group in (*groups, each)]
    expected = [[_expected(of, group) for group in (*groups, each)] for of in (*groups, each)]
    base = np.array([_expected(whole, group) for group in (*groups, each)])
    matrix = np.array(expected) - base
    if np.linalg.matrix_rank(matrix) < len(matrix):
        return None
    found = np.linalg.solve(matrix, np.array(squares) - _squares(centred, whole))
    return dict(zip((*effects, "rest"), found.tolist(), strict=True))


class _Restricted:
    """Minus twice the restricted log-likelihood, less a constant, by variances over the rest's.

    H is the variance of ratings over that of the rest. Of a cell, an item and a rater, only the mean
    of its `times` ratings counts, beside the squares `within`. The columns (p,) of X are the mean,
    the generators and the raters, of which each cell is in one of each kind, as `columns` (kinds,
    cells) says; `items` (cells,) are absorbed. Which sums there are is worked out once.
    """

    def __init__(self, values: Floats, design: Design, names: Sequence[str]) -> None:
        centred = values - values.mean()
        items, raters = _numbered(design.items), _numbered(design.raters)
        self.names, self.freedom = names, values.size - 1
        _, first, cell, self.times = np.unique(
            items * (raters.max() + 1) + raters,
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        self.means = np.bincount(cell, centred) / self.times
        within = float(((centred - self.means[cell]) ** 2).sum())
        self.within = within + _LEAST_REST * float((centred**2).sum())
        self.items = items[first]
        groups = {"": np.zeros_like(first), "raters": raters[first]}
        if design.generators is not None:
            groups["generators"] = _numbered(design.generators)[first]
        sizes = [int(group.max()) + 1 for group in groups.values()]
        self.of_column = np.repeat(list(groups), sizes)
        before = np.cumsum([0, *sizes[:-1]])[:, None]
        self.columns = np.array(list(groups.values())) + before
        self._pairs = self.columns[:, None] * self.of_column.size + self.columns
        n_items = int(self.items.max()) + 1
        together = self.columns * n_items + self.items
        shared, place = np.unique(together, return_inverse=True)
        self._place = place.reshape(together.shape)
        ends = np.searchsorted(shared, np.arange(self.of_column.size + 1) * n_items)
        self._shared = (shared % n_items, ends)
        self._shape = (self.of_column.size, n_items)
        self._weighed: _Weighed | None = None

    def by_items(self, cells: Floats) -> Floats:
        """The sum over each item's cells, (n,)."""
        return _sums(cells, self.items)

    def by_columns(self, cells: Floats) -> Floats:
        """The sum over each column's cells, (p,)."""
        return _sums(cells, self.columns)

    def among_columns(self, cells: Floats) -> Floats:
        """The sum over the cells that two columns have in common, (p, p)."""
        p = self.of_column.size
        return _sums(cells, self._pairs, p * p).reshape(p, p)

    def with_items(self, cells: Floats) -> sparse.csr_matrix:
        """The sum over the cells that a column and an item have in common, (p, n)."""
        return sparse.csr_matrix((_sums(cells, self._place), *self._shared), shape=self._shape)

    def weighed(self, by_item: float) -> _Weighed:
        """The sums at a ratio of `by_item`; the same at every step where nobody rates twice."""
        if self._weighed is None or self._weighed.by_item != by_item:
            self._weighed = _Weighed(self, by_item)
        return self._weighed

    def at(self, logs: Floats) -> tuple[float, Floats]:
        """The deviance and its slope, at logarithms of the ratios."""
        fit = self._fit(logs)
        scaled = self.freedom / fit.unexplained
        slope = np.array(
            [lost - scaled * told for lost, told in map(fit.by_effect, self.names)],
        )
        return fit.volume + self.freedom * float(np.log(fit.unexplained)), slope

    def rest(self, logs: Floats) -> float:
        return self._fit(logs).unexplained / self.freedom

    def _fit(self, logs: Floats) -> _ItemsAbsorbed:
        ratios = dict(zip(self.names, np.exp(logs), strict=True))
        return _ItemsAbsorbed(self, ratios)


class _Weighed:
    """What goes by the weights of the cells alone, whatever the ratios of other effects.

    `among_columns` and `of_columns` are what is left where each item has a level of its
    own, which leaves nothing of what does not change within items: so none of it is a difference of
    large sums, of which rounding would be all.
    """

    def __init__(self, of: _Restricted, by_item: float) -> None:
        self.by_item = by_item
        grown = 1 + of.times * by_item
        self.weights = of.times / grown
        self.volume = np.log(grown).sum()
        self.of_items = of.by_items(self.weights)
        self.totals = of.by_items(self.weights * of.means)
        self.shared = of.with_items(self.weights)
        self.across = self.shared.T.tocsr()
        self.shares = 1 / self.of_items
        of_columns = of.by_columns(self.weights * of.means)
        among_columns = of.among_columns(self.weights)
        self.of_columns = of_columns - self.shared @ (self.shares * self.totals)
        self.among_columns = among_columns - _crossed(self.shared, self.across, self.shares)
        alike = of.of_column != "raters"
        self.of_columns[alike] = self.among_columns[alike] = self.among_columns[:, alike] = 0.0


class _ItemsAbsorbed:
    """Everything at one set of ratios: M = I + D^.5 X' H^-1 X D^.5 without the mean, which has no I;
    D are the ratios of the columns."""

    def __init__(self, of: _Restricted, ratios: Mapping[str, float]) -> None:
        self.of, self.ratios = of, ratios
        known = of.weighed(ratios.get("by_item", 0.0))
        self.weights, self.item_weights, self.totals = known.weights, known.of_items, known.totals
        self.shared, self.across = known.shared, known.across
        self.item_grown = 1 + ratios["items"] * self.item_weights
        self.shrink = ratios["items"] / self.item_grown
        kept = known.shares / self.item_grown
        left = known.among_columns + _crossed(self.shared, self.across, kept)
        right = known.of_columns + self.shared @ (kept * self.totals)
        self.spread = np.sqrt([ratios.get(name, 1.0) for name in of.of_column])
        matrix = self._scaled(left) + np.diag((of.of_column != "").astype(np.float64))
        factor = linalg.cholesky(matrix, lower=True)
        self.inverse = linalg.cho_solve((factor, True), np.eye(len(matrix)))
        self.solved = self.inverse @ (right * self.spread)
        self.volume = float(
            known.volume + np.log(self.item_grown).sum() + 2 * np.log(np.diag(factor)).sum()
        )
        errors = self._item_errors()
        self.around = of.means - (self.solved * self.spread)[of.columns].sum(axis=0)
        self.around -= ratios["items"] * errors[of.items]
        # A sum of squares, of effects too: as a difference rounding may be all of it, or more.
        self.unexplained = of.within + float(
            self.weights @ self.around**2
            + ratios["items"] * (errors**2).sum()
            + (self.solved[of.of_column != ""] ** 2).sum()
        )

    def by_effect(self, name: str) -> tuple[float, float]:
        """How the volume, and the squares left over, change with the logarithm of a ratio."""
        if name in ("raters", "generators"):
            own = self.of.of_column == name
            lost = own.sum() - np.diag(self.inverse)[own].sum()
            return float(lost), float((self.solved[own] ** 2).sum())
        found = self._by_items() if name == "items" else self._by_cells()
        return self.ratios[name] * found[0], self.ratios[name] * found[1]

    def _by_items(self) -> tuple[float, float]:
        lost = (self.item_weights / self.item_grown).sum()
        lost -= self._known(_crossed(self.shared, self.across, self.item_grown**-2.0))
        return float(lost), float((self._item_errors() ** 2).sum())

    def _by_cells(self) -> tuple[float, float]:
        of, squared = self.of, self.weights**2
        of_items = of.by_items(squared)
        beside = _crossed(of.with_items(squared), self.across, self.shrink)
        columns = of.among_columns(squared) - beside - beside.T
        columns += _crossed(self.shared, self.across, self.shrink**2 * of_items)
        lost = self.weights.sum() - of_items @ self.shrink - self._known(columns)
        return float(lost), float(((self.weights * self.around) ** 2).sum())

    def _item_errors(self) -> Floats:
        """What is left of each item's total, over `item_grown`."""
        known = self.across @ (self.solved * self.spread)
        errors: Floats = (self.totals - known) / self.item_grown
        return errors

    def _scaled(self, products: Floats) -> Floats:
        scaled: Floats = products * np.outer(self.spread, self.spread)
        return scaled

    def _known(self, products: Floats) -> float:
        return float((self.inverse * self._scaled(products)).sum())


def _crossed(shared: sparse.csr_matrix, across: sparse.csr_matrix, by: Floats) -> Floats:
    """Columns by columns, (p, p): the items' products, weighted."""
    weighted = sparse.csr_matrix(
        (shared.data * by[shared.indices], shared.indices, shared.indptr), shape=shared.shape
    )
    found: Floats = (weighted @ across).toarray()
    return found


def _numbered(groups: Ints) -> Ints:
    found: Ints = np.unique(groups, return_inverse=True)[1].reshape(-1)
    return found


def _sums(cells: Floats, groups: Ints, n: int = 0) -> Floats:
    """The sum over each group's cells; `groups` (..., cells) are at least n."""
    each = np.broadcast_to(cells, groups.shape).ravel()
    return np.bincount(groups.ravel(), each, n).astype(np.float64, copy=False)


def _squares(values: Floats, group: Ints) -> float:
    """The sum over groups of the square of their sum over their size."""
    return float((np.bincount(group, values) ** 2 / np.bincount(group)).sum())


def _expected(of: Ints, group: Ints) -> float:
    """How often the variance of `group` is in the squares of `of`."""
    pairs, times = np.unique(of * (group.max() + 1) + group, return_counts=True)
    owners = pairs // (group.max() + 1)
    return float((np.bincount(owners, times**2) / np.bincount(of)).sum())
