"""How many items a wished-for precision takes."""

from __future__ import annotations

import math

from scipy import special

from analytics.stats.screening import CHANCE_OF_NONE


def items_for_icc(
    icc: float, k: int, width: float, *, corrected: bool = True, confidence: float = 0.95
) -> float:
    """Items for an ICC interval of about `width` with k raters, when the ICC is about `icc`.

    Bonett (2002), Statistics in Medicine 21(9), 1331-1335, by default with his correction for two
    raters who agree well (0.7 or more). Not rounded up. ValueError where the question makes no
    sense.
    """
    if not (0 <= icc < 1 and k >= 2 and 0 < width < 2):
        raise ValueError("Give an ICC from 0 to below 1, two raters or more, a width below 2.")
    z = float(special.ndtri((1 + confidence) / 2))
    spread = (1 - icc) * (1 + (k - 1) * icc)
    items = 8 * z**2 * spread**2 / (k * (k - 1) * width**2) + 1
    return items + 5 * icc if corrected and k == 2 and icc >= 0.7 else items


def positives_for_miss_rate(rate: float) -> int:
    """Positive items to see, without a single miss, to be 95 % sure that fewer than `rate` of
    them are missed."""
    if not 0 < rate < 1:
        raise ValueError("A miss rate lies between 0 and 1.")
    return math.ceil(math.log(CHANCE_OF_NONE) / math.log1p(-rate))
