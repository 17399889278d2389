"""What a way of working costs, given what a miss and a false alarm cost; a look by a person is 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from analytics.stats.estimates import Estimate
from analytics.stats.intervals import COST_METHOD
from analytics.stats.promises import Tries, highest_rate

PER_ITEMS = 1000
_TAIL = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a miss and a false alarm cost, in looks by a person."""

    miss: float
    alarm: float


class Outcomes(NamedTuple):
    """Of `n` independent items: how many were missed, flagged for nothing, seen by a person; the
    last is None where nobody looks whatever comes."""

    missed: int
    alarms: int
    seen: int | None
    n: int


def expected_cost(found: Outcomes, costs: Costs) -> Estimate:
    """The cost of a thousand items, with limits.

    Each share has its exact limits (Clopper & Pearson 1934); those of the sum are recovered from
    how far they reach (MOVER: Zou & Donner 2008, Statistics in Medicine 27(10), 1693-1702). An
    item has one outcome at most, so the shares move against each other and the limits are rather
    too wide. A share of which nothing was seen still reaches up, so that no miss in a few items
    is not taken for none at all.
    """
    parts = [
        (PER_ITEMS * costs.miss, Tries(found.missed, found.n)),
        (PER_ITEMS * costs.alarm, Tries(found.alarms, found.n)),
    ]
    if found.seen is not None:
        parts.append((float(PER_ITEMS), Tries(found.seen, found.n)))
    value = sum(cost * (tries.share or 0.0) for cost, tries in parts)
    below = _reach((cost, (tries.share or 0.0) - _lowest(tries)) for cost, tries in parts)
    above = _reach((cost, _highest(tries) - (tries.share or 0.0)) for cost, tries in parts)
    return Estimate(
        statistic="cost",
        value=value if found.n else None,
        low=max(0.0, value - below) if found.n else None,
        high=value + above if found.n else None,
        n_items=found.n,
        n_pairs=found.n,
        n_clusters=found.n,
        n_raters=2,
        method=COST_METHOD if found.n else None,
    )


def _reach(parts: Iterable[tuple[float, float]]) -> float:
    return math.sqrt(sum((cost * reach) ** 2 for cost, reach in parts))


def _highest(tries: Tries) -> float:
    return float(highest_rate(tries.bad, tries.n, delta=_TAIL)) if tries.n else 1.0


def _lowest(tries: Tries) -> float:
    return 1 - _highest(Tries(tries.n - tries.bad, tries.n)) if tries.n else 0.0
