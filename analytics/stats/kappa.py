"""Agreement beyond chance: Fleiss, Conger, and Gwet's AC1 and AC2.

All are 1 - (1 - observed) / (1 - chance) with their own idea of chance. Sources: Fleiss (1971);
Conger (1980); Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.
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
