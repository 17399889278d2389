"""Shares of none, or of all: what is seen never, or always, has an exact limit on one side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import NONE_IN_N_METHOD

CHANCE_OF_NONE = 0.05

_OF_LIMITS = frozenset(
    {Note.NO_SPREAD, Note.TOO_FEW_CLUSTERS, Note.ALL_EQUAL, Note.NO_DISAGREEMENT}
)


def highest_rate_with_none(n: float, *, chance: float = CHANCE_OF_NONE) -> float:
    """Upper limit of a rate when it was never seen in n independent tries: a higher one shows
    nothing so often with a `chance` below this one, by default 5 %."""
    return float(1 - chance ** (1 / n)) if n > 0 else 1.0


def tries_of(rate: float) -> float:
    """Of how many independent tries such an upper 95 % limit is, when none showed anything."""
    return float(np.log(CHANCE_OF_NONE) / np.log1p(-rate)) if rate < 1 else 0.0


def one_sided(share: Estimate, *, n_alike: float | None = None) -> Estimate:
    """Give a share of none, or of all, its exact one-sided limit, from its dialogues or from the
    number of equal ones that tell as much."""
    if share.value not in (0, 1):
        return share
    reach = highest_rate_with_none(share.n_clusters if n_alike is None else n_alike)
    low, high = (0.0, reach) if share.value == 0 else (1 - reach, 1.0)
    notes = in_order(set(share.notes) - _OF_LIMITS)
    return replace(share, low=low, high=high, method=NONE_IN_N_METHOD, notes=notes)
