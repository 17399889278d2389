"""Does a judge favour long replies? The slope of its bias on length, within dialogues."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import cell_of_rows, numbered
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import DIFFERENCE
from analytics.stats.scales import Floats, Ints, quotient


def verbosity_slope(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    lengths: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike,
) -> Estimate:
    """How many points more than people the judge gives a reply of twice the length.

    `human`, `judge` (n,): ratings, NaN where missing; `lengths` (n,): of the replies, in any unit,
    above 0; `clusters` (n,): their dialogues. The slope of judge less human on the binary
    logarithm of the length, by least squares after both are taken from their means in the
    dialogue: what makes a whole dialogue longer or harder counts for nothing. Dialogues with one
    reply say nothing about it.
    """
    apart = np.asarray(judge, dtype=np.float64) - np.asarray(human, dtype=np.float64)
    size = np.asarray(lengths, dtype=np.float64)
    if (size <= 0).any():
        raise ValueError("Lengths are above 0.")
    used = np.isfinite(apart) & np.isfinite(size)
    numbers, n_dialogues = numbered(np.asarray(clusters)[used], int(used.sum()))
    of_several = np.bincount(numbers, minlength=n_dialogues)[numbers] > 1
    owners = numbers[of_several]
    length = _within(np.log2(size[used])[of_several], owners)
    gap = _within(apart[used][of_several], owners)
    rows = np.stack([np.ones(owners.size), length * gap, length**2], axis=1)
    return cell_of_rows(rows, owners).estimate("per_doubling", quotient(1, 2), DIFFERENCE)


def _within(values: Floats, owners: Ints) -> Floats:
    """Values (n,) less their mean in the dialogue."""
    often = np.maximum(np.bincount(owners), 1)
    return np.asarray(values - (np.bincount(owners, values) / often)[owners])
