"""Items on which people agree, and items on which they do not.

Where people disagree a judge is easily as good as a person; where they all say the same it often is
not. Agreement told for both apart shows it. Elangovan et al. (2025), Beyond correlation: the impact
of human uncertainty in measuring the effectiveness of automatic evaluation, ICLR 2025.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats


class Stratum(StrEnum):
    """What the people who rated an item, two or more, say together."""

    UNANIMOUS = "unanimous"
    SPLIT = "split"


def strata(people: npt.ArrayLike) -> dict[Stratum, npt.NDArray[np.bool_]]:
    """Which items, (n,), lie in each stratum, from ratings (n, h), NaN where missing.

    Items that fewer than two people rated lie in none.
    """
    ratings: Floats = np.asarray(people, dtype=np.float64)
    if ratings.ndim != 2:
        raise ValueError("The ratings of people are an array of items by people.")
    several = np.isfinite(ratings).sum(axis=1) >= 2
    lowest = np.fmin.reduce(ratings, axis=1, initial=np.inf)
    highest = np.fmax.reduce(ratings, axis=1, initial=-np.inf)
    return {
        Stratum.UNANIMOUS: several & (lowest == highest),
        Stratum.SPLIT: several & (lowest != highest),
    }
