"""A generalisability study: whose the variance of ratings is, and what more people or runs would do.

Ratings differ because items do, because the generators that wrote them do, because people (or runs
of a judge) are severe or kind, or see one item otherwise than others, and by chance from one time to
the next. Components are by restricted maximum likelihood (`mixed`), of designs with gaps and
repeats as without. What they mean for the mean of several is a decision study (Brennan 2001,
Generalizability Theory, sections 1.2 and 4.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShares:
    """Variances of ratings by where they come from.

    `severity`: of how severe or kind raters are. `by_item`: of the pairs of an item and a rater;
    None where nobody rated an item twice, so that `rest` holds it too. `generators` None where
    there is one, or none is named. From `n_ratings` of `n_items`.
    """

    generators: float | None
    items: float
    severity: float
    by_item: float | None
    rest: float
    n_items: int
    n_ratings: int

    @property
    def total(self) -> float:
        return self._universe + self._error

    def dependability(self, *, n_raters: int = 1) -> float:
        """How surely the mean of so many, who rate once each, says where an item stands: absolute,
        as ICC(A,k)."""
        return self._universe / (self._universe + self._error / n_raters)

    def raters_for(self, dependability: float) -> int | None:
        """How many raters it takes, who rate once each; None where items do not differ."""
        if self._universe <= 0:
            return None
        odds = dependability / (1 - dependability)
        return max(1, math.ceil(round(odds * self._error / self._universe, 9)))

    @property
    def _universe(self) -> float:
        return (self.generators or 0) + self.items

    @property
    def _error(self) -> float:
        """Of one who rates once."""
        return self.severity + (self.by_item or 0) + self.rest


def variance_shares(
    values: Floats, *, items: Ints, raters: Ints, generators: npt.NDArray[np.str_]
) -> VarianceShares | None:
    """From ratings (m,), whose item, rater and generator ("" where unknown) are numbered (m,).

    An item that one rater rated several times stands there as often. None where items and raters
    cannot be told apart, or there is nothing to divide.
    """
    from analytics.stats.mixed import (  # noqa: PLC0415 -- megabytes that few figures need
        Design,
        components_of,
    )

    n_items = np.unique(items).size
    if min(n_items, np.unique(raters).size) < 2 or np.ptp(values) == 0:
        return None
    cells = items * (raters.max(initial=0) + 1) + raters
    names, numbers = np.unique(generators, return_inverse=True)
    design = Design(
        items=items,
        raters=raters,
        has_repeats=np.unique(cells).size < cells.size,
        generators=numbers if names.size > 1 and "" not in names else None,
    )
    found = components_of(values, design)
    if found is None:
        return None
    return VarianceShares(
        generators=found.generators,
        items=found.items,
        severity=found.raters,
        by_item=found.by_item,
        rest=found.rest,
        n_items=n_items,
        n_ratings=values.size,
    )
