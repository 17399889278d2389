"""Reliability tiers of a published study: a named policy, with how often chance alone flips them.

Badawi et al. (2025), When Can We Trust LLMs in Mental Health?, arXiv 2510.19032, grade a judge by
the width of the bootstrap interval of its ICC(C,1) between system means. The bounds are thirds of
the study's own table, the level of agreement plays no part, and the width hangs on the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from analytics.stats import icc, moments
from analytics.stats.scales import Floats

SEEDS = 40
_LEAST_SYSTEMS = 3
_LEAST_REPLICATES = 10


class Tier(StrEnum):
    """Good, moderate, poor reliability, as the study prints them."""

    GOOD = "GR"
    MODERATE = "MR"
    POOR = "PR"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPolicy:
    """Tiers by interval width: good up to `good_width`, moderate up to `moderate_width`.

    `replicates` draws of systems; `keeps_only_shares` leaves out resampled ICCs below 0 or above 1,
    as the study does, which lifts the lower limit.
    """

    name: str
    good_width: float
    moderate_width: float
    replicates: int
    keeps_only_shares: bool
    seed: int

    def tier(self, width: float) -> Tier:
        if width <= self.good_width:
            return Tier.GOOD
        return Tier.MODERATE if width <= self.moderate_width else Tier.POOR


MENTALBENCH = TierPolicy(
    name="MentalBench",
    good_width=0.355,
    moderate_width=0.560,
    replicates=1000,
    keeps_only_shares=True,
    seed=42,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiering:
    """What a policy says of one judge and criterion, and how firmly.

    `icc_c1` between the `n_systems` means, its interval `low` to `high` and its `tier` with the
    policy's seed. `flips`: the share of `n_seeds` other seeds that give another tier; `shares`:
    how often they give each; `narrowest`, `widest`: their widths; `left_out`: the share of
    resampled ICCs that the policy leaves out.
    """

    policy: TierPolicy
    tier: Tier
    icc_c1: float
    low: float
    high: float
    n_systems: int
    flips: float
    shares: dict[Tier, float]
    narrowest: float
    widest: float
    n_seeds: int
    left_out: float


def tiering(
    means: Floats, *, policy: TierPolicy = MENTALBENCH, n_seeds: int = SEEDS
) -> Tiering | None:
    """Grade the mean ratings (s, 2) that people and a judge give to s systems.

    None with fewer than three systems, or where too few resampled ICCs are defined.
    """
    systems = np.asarray(means, dtype=np.float64)
    if len(systems) < _LEAST_SYSTEMS:
        return None
    rows = moments.rows(systems[:, 0], systems[:, 1], centre=float(systems.mean()))
    drawn = [_resampled(rows, policy, policy.seed + step) for step in range(n_seeds + 1)]
    if min(values.size for values in drawn) < _LEAST_REPLICATES:
        return None
    low, high = np.transpose([np.percentile(values, [2.5, 97.5]) for values in drawn])
    first, *others = (policy.tier(float(width)) for width in high - low)
    widths = (high - low)[1:]
    return Tiering(
        policy=policy,
        tier=first,
        icc_c1=float(icc.consistency(moments.mean_squares(rows.sum(axis=0)))),
        low=float(low[0]),
        high=float(high[0]),
        n_systems=len(systems),
        flips=sum(tier is not first for tier in others) / n_seeds,
        shares={tier: others.count(tier) / n_seeds for tier in Tier},
        narrowest=float(widths.min()),
        widest=float(widths.max()),
        n_seeds=n_seeds,
        left_out=1 - drawn[0].size / policy.replicates,
    )


def _resampled(rows: Floats, policy: TierPolicy, seed: int) -> Floats:
    """ICC(C,1) in each draw of systems, as far as the policy keeps it."""
    drawn = _draws(len(rows), policy.replicates, seed) @ rows
    values = icc.consistency(moments.mean_squares(drawn))
    kept = np.asarray(np.isfinite(values))
    if policy.keeps_only_shares:
        kept &= (values >= 0) & (values <= 1)
    return np.asarray(values[kept])


@lru_cache(maxsize=128)
def _draws(n_systems: int, replicates: int, seed: int) -> Floats:
    """How often each system is drawn, (replicates, n_systems); read-only, the same each time."""
    shares = np.full(n_systems, 1 / n_systems)
    drawn = np.random.default_rng(seed).multinomial(n_systems, shares, size=replicates)
    counts = drawn.astype(np.float64)
    counts.setflags(write=False)
    return counts
