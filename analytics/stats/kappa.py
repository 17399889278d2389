"""Agreement beyond chance: Fleiss, Conger, and Gwet's AC1 and AC2.

All are 1 - (1 - observed) / (1 - chance) with their own idea of chance. Sources: Fleiss (1971);
Conger (1980); Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.

Two raters with two answers have score limits: the kappas that a test with the variance under each of
them does not reject. Variances at the estimate, a jackknife's too, take a table in which a few rare
answers happen to be shared for a sure one.
"""

from __future__ import annotations

import numpy as np

from analytics.stats.scales import Floats, ratio

_LEAST_DISAGREEMENT = 1e-9


def beyond_chance(observed: Floats, chance: Floats) -> Floats:
    """(observed - chance) / (1 - chance); NaN where chance alone agrees perfectly."""
    return 1 - ratio(1 - observed, 1 - chance, least=_LEAST_DISAGREEMENT)


def fleiss(observed: Floats, shares: Floats, weight: Floats) -> Floats:
    """Fleiss' kappa: chance is two draws from the shares (..., q) of the points over all raters.

    `observed` is the mean over items of the share of agreeing pairs of ratings.
    """
    return beyond_chance(observed, np.einsum("...i,ij,...j->...", shares, weight, shares))


def conger(observed: Floats, margins: Floats, weight: Floats) -> Floats:
    """Conger's kappa: chance is one draw from each of two different raters.

    `margins` (..., r, q) count how often each rater used each point; raters without ratings
    count for nothing. NaN where fewer than two raters have ratings.
    """
    rated = margins.sum(axis=-1, keepdims=True)
    share = np.divide(margins, rated, out=np.zeros(margins.shape), where=rated > 0)
    raters = (rated[..., 0] > 0).sum(axis=-1)
    pooled = share.sum(axis=-2)
    every = np.einsum("...i,ij,...j->...", pooled, weight, pooled)
    same = np.einsum("...ri,ij,...rj->...", share, weight, share)
    return beyond_chance(observed, ratio(every - same, np.asarray(raters * (raters - 1.0))))


def gwet(observed: Floats, shares: Floats, weight: Floats) -> Floats:
    """AC1 (identity weights) or AC2: chance is agreement of raters who both guess.

    Depends on the declared number of points q, also those nobody used.
    """
    q = weight.shape[-1]
    chance = weight.sum() / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=-1)
    return beyond_chance(observed, chance)


def variance(kappa: float, share: float) -> float:
    """n times the variance of kappa of two raters who both give an answer with `share`.

    Bloch & Kraemer (1989), Biometrics 45, 269-287, equation for the common-correlation model.
    """
    spread = share * (1 - share)
    return (1 - kappa) * ((1 - kappa) * (1 - 2 * kappa) + kappa * (2 - kappa) / (2 * spread))


def number_alone(kappa: float, share: float, error: float, n: int) -> float:
    """As how many items that stand alone n tell, of which kappa has a standard error: 1 to n."""
    told = variance(max(kappa, _least(share)), share) / error**2
    return float(np.clip(told, 1, n))


def _least(share: float) -> float:
    """The least kappa of two who both give an answer with `share`."""
    rare = min(share, 1 - share)
    return -rare / (1 - rare)


def score_limits(kappa: float, share: float, n: float, quantile: float) -> tuple[float, float]:
    """Limits of kappa of two raters with two answers, over n items that stand alone.

    `share` (0 to 1, neither): how often either rater gave an answer, on average; `quantile`: of the
    normal distribution or of t. The roots of n (kappa - k)^2 = quantile^2 variance(k), a cubic
    (after Donner & Eliasziw 1992, Statistics in Medicine 11, 1511-1519), none below the least kappa
    that such shares allow. What an ICC of few items says beyond that is taken for it, and lies within.
    """
    least, ratio_of_error = _least(share), quantile**2 / n
    at = max(kappa, least)
    c = 1 / (2 * share * (1 - share))
    cubic = [
        ratio_of_error * (c - 2),
        ratio_of_error * (5 - 3 * c) - 1,
        ratio_of_error * (2 * c - 4) + 2 * at,
        ratio_of_error - at**2,
    ]
    roots = np.roots(cubic)
    real = roots.real[np.abs(roots.imag) < _LEAST_DISAGREEMENT]
    below = real[real < at - _LEAST_DISAGREEMENT]
    above = real[real > at + _LEAST_DISAGREEMENT]
    low, high = float(max([least, *below])), float(min([1.0, *above]))
    return min(kappa, low), max(kappa, high)
