"""How common something is, corrected for a rater who misses and who cries wolf."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

LEAST_YOUDEN = 0.1


class Corrected(NamedTuple):
    """A share of items with its limits; None where it cannot be corrected."""

    value: float | None
    low: float | None
    high: float | None


def corrected(
    p: float,
    n: int,
    *,
    specificity: float,
    n_negative: int,
    sensitivity: float,
    n_positive: int,
    confidence: float = 0.95,
) -> Corrected:
    """True prevalence from the share `p` of `n` items that a rater marks.

    `specificity` was seen on `n_negative` items and `sensitivity` on `n_positive`, all three
    samples apart. Rogan & Gladen (1978), American Journal of Epidemiology 107(1), 71-76; limits
    by adding pseudo-counts (Lang & Reiczigel 2014, Preventive Veterinary Medicine 113(1), 13-22).
    Nothing is given where Youden's J, sensitivity + specificity - 1, is below `LEAST_YOUDEN`: the
    correction then multiplies every error more than tenfold; nor where both limits fall outside
    0 to 1 on one side: the samples then contradict each other.
    """
    if sensitivity + specificity - 1 < LEAST_YOUDEN:
        return Corrected(None, None, None)
    z = float(special.ndtri((1 + confidence) / 2))
    n_more, negative_more, positive_more = n + z**2, n_negative + 2, n_positive + 2
    share = (n * p + z**2 / 2) / n_more
    right_negative = (n_negative * specificity + 1) / negative_more
    right_positive = (n_positive * sensitivity + 1) / positive_more
    centre = _rogan_gladen(share, right_negative, right_positive)
    of_negative = right_negative * (1 - right_negative) / negative_more
    of_positive = right_positive * (1 - right_positive) / positive_more
    error = np.sqrt(
        share * (1 - share) / n_more + (1 - centre) ** 2 * of_negative + centre**2 * of_positive
    ) / (right_negative + right_positive - 1)
    shift = 2 * z**2 * (centre * of_positive - (1 - centre) * of_negative)
    low, high = np.clip([centre + shift - z * error, centre + shift + z * error], 0, 1)
    if low == high:
        return Corrected(None, None, None)
    value = min(max(_rogan_gladen(p, specificity, sensitivity), 0.0), 1.0)
    return Corrected(value, float(low), float(high))


def _rogan_gladen(p: float, specificity: float, sensitivity: float) -> float:
    return (p + specificity - 1) / (specificity + sensitivity - 1)
