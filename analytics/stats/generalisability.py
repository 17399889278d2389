"""A generalisability study: whose the variance of ratings is, and what more people or runs would do.

Ratings differ because items do, because the generators that wrote them do, because people (or runs
of a judge) are severe or kind, or see one item otherwise than others, and by chance from one time to
the next. Components are by Henderson's first method (Searle, Casella & McCulloch 1992, Variance
Components, section 5.3): analysis of variance where every one rated everything as often, and as free
of bias where not. What they mean for the mean of several is a decision study (Brennan 2001,
Generalizability Theory, sections 1.2 and 4.2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats, Ints

REST = "rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShares:
    """Variances of ratings by where they come from; those estimated below 0 are none.

    `severity`: of how severe or kind raters are. `by_item`: of the pairs of an item and a rater;
    None where nobody rated an item twice, so that `rest` holds it too. `generators` None where
    there is one, or none is named.
    """

    generators: float | None
    items: float
    severity: float
    by_item: float | None
    rest: float
    n_ratings: int

    @property
    def total(self) -> float:
        return (self.generators or 0) + self.items + self.severity + (self.by_item or 0) + self.rest

    def generalisability(self, *, n_raters: int = 1, n_repeats: int = 1) -> float | None:
        """How surely the mean of so many orders items: relative, as ICC(C,k)."""
        return self._share(self._relative(n_raters, n_repeats))

    def dependability(self, *, n_raters: int = 1, n_repeats: int = 1) -> float | None:
        """How surely the mean of so many says where an item stands: absolute, as ICC(A,k)."""
        error = self._relative(n_raters, n_repeats) + self.severity / n_raters
        return self._share(error)

    def raters_for(self, dependability: float) -> int | None:
        """How many raters it takes, who rate once each; None where items do not differ."""
        if self._universe <= 0:
            return None
        odds = dependability / (1 - dependability)
        error = self._relative(1, 1) + self.severity
        return max(1, math.ceil(round(odds * error / self._universe, 9)))

    @property
    def _universe(self) -> float:
        return (self.generators or 0) + self.items

    def _relative(self, n_raters: int, n_repeats: int) -> float:
        if self.by_item is None:
            return self.rest / n_raters
        return self.by_item / n_raters + self.rest / (n_raters * n_repeats)

    def _share(self, error: float) -> float | None:
        whole = self._universe + error
        return self._universe / whole if whole > 0 else None


def variance_shares(
    values: Floats, *, items: Ints, raters: Ints, generators: npt.NDArray[np.str_]
) -> VarianceShares | None:
    """From ratings (m,), whose item, rater and generator ("" where unknown) are numbered (m,).

    An item that one rater rated several times stands there as often. None where items and raters
    cannot be told apart, or there is nothing to divide.
    """
    if min(np.unique(items).size, np.unique(raters).size) < 2 or np.ptp(values) == 0:
        return None
    effects = {"items": items, "raters": raters}
    cells = items * (raters.max(initial=0) + 1) + raters
    if np.unique(cells).size < cells.size:
        effects["by_item"] = cells
    names, numbers = np.unique(generators, return_inverse=True)
    if names.size > 1 and "" not in names:
        effects["generators"] = numbers
    found = components_of(values, effects)
    if found is None:
        return None
    kept = {name: max(variance, 0.0) for name, variance in found.items()}
    return VarianceShares(
        generators=kept.get("generators"),
        items=kept["items"],
        severity=kept["raters"],
        by_item=kept.get("by_item"),
        rest=kept[REST],
        n_ratings=values.size,
    )


def components_of(values: Floats, effects: Mapping[str, Ints]) -> dict[str, float] | None:
    """The variance of each random effect, by the group (m,) of each value, and of the rest.

    Sums of squares of the groups' means are set equal to what is expected of them, for effects that
    cross or nest in any way. None where these equations cannot be told apart.
    """
    centred = values - values.mean()
    groups = [np.unique(numbers, return_inverse=True)[1] for numbers in effects.values()]
    whole, each = np.zeros(values.size, dtype=np.int64), np.arange(values.size)
    squares = [_squares(centred, group) for group in (*groups, each)]
    expected = [[_expected(of, group) for group in (*groups, each)] for of in (*groups, each)]
    base = np.array([_expected(whole, group) for group in (*groups, each)])
    matrix = np.array(expected) - base
    if np.linalg.matrix_rank(matrix) < len(matrix):
        return None
    found = np.linalg.solve(matrix, np.array(squares) - _squares(centred, whole))
    return dict(zip((*effects, REST), found.tolist(), strict=True))


def _squares(values: Floats, group: Ints) -> float:
    """The sum over groups of the square of their sum over their size."""
    return float((np.bincount(group, values) ** 2 / np.bincount(group)).sum())


def _expected(of: Ints, group: Ints) -> float:
    """How often the variance of `group` is in the squares of `of`."""
    pairs, times = np.unique(of * (group.max() + 1) + group, return_counts=True)
    owners = pairs // (group.max() + 1)
    return float((np.bincount(owners, times**2) / np.bincount(of)).sum())
