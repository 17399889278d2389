"""What the gate of a round looks at: the agreement of the answers that were given independently."""

from collections.abc import Sequence
from math import inf
from statistics import fmean

from analytics.ratings import matrices
from analytics.stats.agreement import many_raters
from analytics.stats.estimates import Estimate
from annotation.actions.rounds import Kappa
from annotation.rules.protocol import GateBound, GateScope, Protocol, statistic_for


def estimates(protocol: Protocol, round_id: int) -> list[tuple[str, Estimate]]:
    """(criterion, its agreement by the measure of the gate) of a round, where it is defined."""
    tables, dialogues = matrices.of_round(round_id)
    found = []
    for table in tables:
        name = statistic_for(protocol, table.measurement)
        measured = many_raters(
            table.values,
            clusters=dialogues,
            points=table.points,
            measurement=table.measurement.value,
            only={name},
        )
        found.append((table.key, measured[name]))
    return [(key, one) for key, one in found if one.value is not None]


def kappa_of(protocol: Protocol, found: Sequence[tuple[str, Estimate]]) -> Kappa | None:
    """What is held against the gate: the mean of all criteria, or the lowest of them."""
    if not found:
        return None
    if protocol.scope == GateScope.MEAN:
        n_items = min(one.n_items for _key, one in found)
        mean = fmean(_held(protocol, one) for _key, one in found)
        return Kappa(criterion="", value=mean, low=None, high=None, n_items=n_items)
    criterion, lowest = min(found, key=lambda one: _held(protocol, one[1]))
    return Kappa(
        criterion=criterion,
        value=float(lowest.value or 0),
        low=lowest.low,
        high=lowest.high,
        n_items=lowest.n_items,
    )


def _held(protocol: Protocol, one: Estimate) -> float:
    """The end of an estimate that the gate looks at; where it has no interval, it has no low end."""
    held = one.low if protocol.bound == GateBound.LOW else one.value
    return -inf if held is None else held
