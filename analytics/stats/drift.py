"""Has a judge moved since it was calibrated? A verdict against a margin set beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.cells import cell_of_rows, owners_of
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import DIFFERENCE, FEW_CLUSTERS, IntervalScale, interval
from analytics.stats.scales import Floats, Ints, quotient

ERROR = 0.05
POWER = 0.8
MOST_PLANNED = 2_000


class Drift(StrEnum):
    """What a check says. `PASSED`: the mean residual lies within the margin for sure; `FAILED`:
    outside it for sure; `INCONCLUSIVE`: neither, or too few dialogues; `NOT_GRADED`: no margin
    was set beforehand; `NOT_CHECKED`: nothing was rated by both."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NOT_GRADED = "not graded"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftCheck:
    """The mean of judge less human on a probe, with an interval at level `confidence`."""

    drift: Drift
    residual: Estimate
    margin: float | None
    confidence: float


def check_drift(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    margin: float | None,
    clusters: npt.ArrayLike | None = None,
    n_checks: int = 1,
) -> DriftCheck:
    """Compare the judge (n,) with people (n,) on items rated lately, NaN where missing.

    Give the judge's ratings calibrated where they are used calibrated. `clusters` (n,): the
    dialogue of each item, None when every item stands alone. `margin`: the mean residual that is
    still harmless. `n_checks`: how many criteria are checked together; the intervals are made
    wider so that all hold at once (Bonferroni). Below 20 dialogues no check passes or fails.
    """
    if margin is not None and margin <= 0:
        raise ValueError("A margin is above 0.")
    apart = np.asarray(judge, dtype=np.float64) - np.asarray(human, dtype=np.float64)
    used = np.isfinite(apart)
    cell = cell_of_rows(
        np.stack([np.ones(used.sum()), apart[used]], axis=1),
        owners_of(clusters, used),
    )
    residual = cell.estimate("residual", quotient(1), DIFFERENCE)
    confidence = 1 - ERROR / max(n_checks, 1)
    if residual.low is not None:
        wider = interval(
            quotient(1), cell.clusters, scale=IntervalScale.PLAIN, confidence=confidence
        )
        notes = in_order({*residual.notes, *wider.notes})
        residual = replace(residual, low=wider.low, high=wider.high, notes=notes)
    return DriftCheck(
        drift=verdict(residual, margin), residual=residual, margin=margin, confidence=confidence
    )


def verdict(residual: Estimate, margin: float | None) -> Drift:
    """What the interval of a mean residual says against a margin; where every dialogue has moved
    alike there is no interval, and the value itself decides."""
    if residual.value is None:
        return Drift.NOT_CHECKED
    if margin is None:
        return Drift.NOT_GRADED
    limits = residual.low, residual.high
    if residual.note is Note.NO_SPREAD:
        limits = residual.value, residual.value
    low, high = limits
    if low is None or high is None or residual.n_clusters < FEW_CLUSTERS:
        return Drift.INCONCLUSIVE
    if -margin <= low and high <= margin:
        return Drift.PASSED
    return Drift.FAILED if low > margin or high < -margin else Drift.INCONCLUSIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipCheck:
    """How many of n answers are others now, and between which limits that share lies for judges
    and items like these."""

    drift: Drift
    n_items: int
    n_flipped: int
    low: float
    high: float
    margin: float
    confidence: float


def check_flips(flipped: npt.ArrayLike, *, margin: float, n_checks: int = 1) -> FlipCheck:
    """Whether a judge still answers the same prompts alike: `flipped` (n,), True where it does not.

    An equivalence test by two one-sided exact ones (Schuirmann 1987; limits by Clopper and Pearson
    1934), each at 5 % over `n_checks` (Bonferroni): passed where the upper limit is within the
    margin, failed where the lower one is above it. Each item stands for a dialogue of its own.
    """
    if not 0 < margin < 1:
        raise ValueError("A margin is a share between 0 and 1.")
    found = np.asarray(flipped, dtype=np.bool_)
    n, k = int(found.size), int(found.sum())
    error = ERROR / max(n_checks, 1)
    low = float(special.betaincinv(k, n - k + 1, error)) if k else 0.0
    high = float(special.betaincinv(k + 1, n - k, 1 - error)) if k < n else 1.0
    if not n:
        drift = Drift.NOT_CHECKED
    elif high <= margin:
        drift = Drift.PASSED
    else:
        drift = Drift.FAILED if low > margin else Drift.INCONCLUSIVE
    return FlipCheck(
        drift=drift,
        n_items=n,
        n_flipped=k,
        low=low,
        high=high,
        margin=margin,
        confidence=1 - 2 * error,
    )


def least_for(margin: float, *, n_checks: int = 1) -> int:
    """How many answers it takes that a judge can pass at all: those of which none may change."""
    return math.ceil(math.log(ERROR / max(n_checks, 1)) / math.log(1 - margin))


def _at_most(k: Floats, n: Ints, share: float) -> Floats:
    """The chance of at most k in n, (m,): `scipy.stats` says the same and takes 30 MB."""
    found: Floats = np.where(k < 0, 0.0, special.bdtr(np.maximum(k, 0), n, share))
    return found


def needed_for(margin: float, share: float, *, n_checks: int = 1) -> int | None:
    """How many answers it takes that `check_flips` passes in four of five times where this share of
    them changes in truth, on `n_checks` criteria at once; None where 2,000 are too few.

    From this number on it stays so: the power of an exact test rises by fits and starts.
    """
    if not 0 <= share < margin:
        return None
    n = np.arange(MOST_PLANNED + 1)  # of none nothing passes
    error = ERROR / max(n_checks, 1)
    # The most changes of n with which the upper limit still lies within the margin.
    near = np.floor(np.nan_to_num(special.bdtrik(error, n, margin)))
    reached = np.where(_at_most(near + 1, n, margin) <= error, near + 1, near)
    most = np.where(_at_most(reached, n, margin) > error, reached - 1, reached)
    passes = _at_most(most, n, share) >= 1 - (1 - POWER) / max(n_checks, 1)
    if not passes[-1]:
        return None
    return int(n[~passes][-1]) + 1
