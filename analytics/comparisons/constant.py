"""Judges that say the same of every item, held to what a real one is held to."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.comparisons.estimating import (
    as_earlier,
    at_items,
    pooled_with_one,
    runs_estimates,
    suited_to,
)
from analytics.figures.memo import remembered_by_turns
from analytics.measures import Suited
from analytics.ratings.matrices import Matrix, StudyRatings
from analytics.stats.constant import ConstantJudge, best_by_statistic
from analytics.stats.estimates import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class StrawMen:
    """{statistic: the judge that says the same of every item and comes to most} on a criterion,
    beside gold or people, on every item that these tell of."""

    criterion: str
    is_gold: bool
    best: Mapping[str, ConstantJudge]


def straw_men(
    study: StudyRatings, table: Matrix, *, is_gold: bool, only: Collection[str] | None = None
) -> StrawMen:
    """Judges that say the same of every item, held to what a real one is held to; `only` by some
    statistics."""
    statistics = tuple(only or statistics_of_judges(suited_to(study, table), is_gold=is_gold))
    rated = table.gold[~np.isnan(table.gold)] if is_gold else table.given_by_people.values
    found: tuple[ConstantJudge, ...] = ()
    if rated.size:
        near = (_nearest(table.points, rated.mean()),)
        points = near if study.is_group(table.key) else table.points
        found = tuple(
            ConstantJudge(
                says=point,
                estimates=_of_constant(study, table, point, statistics, is_gold=is_gold),
            )
            for point in points
        )
    return StrawMen(criterion=table.key, is_gold=is_gold, best=best_by_statistic(found, statistics))


def _of_constant(
    study: StudyRatings,
    table: Matrix,
    point: float,
    statistics: tuple[str, ...],
    *,
    is_gold: bool,
) -> Mapping[str, Estimate]:
    """What a judge that always says `point` comes to against gold or these people."""
    place = (table.view, table.key, "straw man", is_gold, point)
    options = {
        "points": table.points,
        "measurement": table.measurement.value,
        "only": statistics,
    }
    if is_gold or len(table.people) == 1:
        reference = table.gold if is_gold else table.of(table.people[0])
        items = np.flatnonzero(~np.isnan(reference))
        (found, _counts), is_earlier = remembered_by_turns(
            place,
            runs_estimates,
            reference[items],
            np.full((items.size, 1), point),
            at_items(items, study.clusters),
            at_items(items, study.weights),
            **options,
        )
    else:
        given, items = table.given_by_people
        (found, _counts), is_earlier = remembered_by_turns(
            place,
            pooled_with_one,
            np.full((items.size, 1), point),
            given,
            study.dialogues[items],
            items,
            at_items(items, study.weights),
            **options,
        )
    return as_earlier(found) if is_earlier else found


def statistics_of_judges(told: Suited, *, is_gold: bool) -> tuple[str, ...]:
    """The statistics of a judge beside gold or people."""
    return (*told.gold, *told.pair) if is_gold else told.pair


def _nearest(points: tuple[float, ...], value: float) -> float:
    return min(points, key=lambda point: abs(point - value))
