"""What the gate of a round looks at: the agreement of the answers that were given independently."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from statistics import fmean

from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix
from analytics.stats.agreement import PanelTable, interval_of_mean, many_raters
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Ints
from annotation.actions.rounds import Kappa
from annotation.rules.protocol import GateBound, GateScope, Protocol, statistic_for


def kappa_of_round(protocol: Protocol, round_id: int) -> Kappa | None:
    """What is held against the gate of a round: the mean of all criteria, or the lowest of them;
    None where none is defined."""
    tables, dialogues = matrices.of_round(round_id)
    found = estimates(protocol, tables, dialogues)
    if not found:
        return None
    n_undefined = len(tables) - len(found)
    if protocol.scope == GateScope.MEAN:
        return replace(_mean(protocol, found, dialogues), n_undefined=n_undefined)
    table, lowest = min(found, key=lambda one: _held(protocol, one[1]))
    return Kappa(
        criterion=table.key,
        value=float(lowest.value or 0),
        low=lowest.low,
        high=lowest.high,
        n_items=lowest.n_items,
        n_undefined=n_undefined,
    )


def estimates(
    protocol: Protocol, tables: Sequence[Matrix], dialogues: Ints
) -> list[tuple[Matrix, Estimate]]:
    """The criteria whose agreement is defined by the measure of the gate, with it."""
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
        found.append((table, measured[name]))
    return [(table, one) for table, one in found if one.value is not None]


def _mean(protocol: Protocol, found: Sequence[tuple[Matrix, Estimate]], dialogues: Ints) -> Kappa:
    """The mean of all criteria, with its interval."""
    measured = [
        PanelTable(
            values=table.values,
            points=table.points,
            statistic=statistic_for(protocol, table.measurement),
        )
        for table, _one in found
    ]
    limits = interval_of_mean(measured, clusters=dialogues)
    return Kappa(
        criterion="",
        value=fmean(float(one.value or 0) for _table, one in found),
        low=limits.low,
        high=limits.high,
        n_items=min(one.n_items for _table, one in found),
    )


def _held(protocol: Protocol, one: Estimate) -> float:
    """The end of an estimate that the gate looks at; where it has no interval, it has no low end."""
    held = one.low if protocol.bound == GateBound.LOW else one.value
    return -inf if held is None else held
