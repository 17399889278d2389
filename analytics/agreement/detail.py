"""One comparison in full: every statistic that there is for it, its intervals made as asked."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from analytics.agreement.numbers import Comparison, Kind, ratings_behind
from analytics.measures import whole
from analytics.ratings.matrices import Matrix, StudyRatings
from analytics.stats import pairs
from analytics.stats.agreement import many_raters, two_raters, two_raters_of_tables
from analytics.stats.cells import numbered
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import Kind as IntervalKind
from analytics.stats.scales import Floats, points_of


def in_full(
    study: StudyRatings, table: Matrix, comparison: Comparison, *, intervals: IntervalKind
) -> Comparison:
    """The comparison with all of its statistics; those against gold stay as they are."""
    values = ratings_behind(study, table, comparison)
    is_panel = comparison.kind in (Kind.HUMANS, Kind.JUDGE_REPEATS)
    wanted = whole(table.measurement, is_group=study.is_group(table.key), is_panel=is_panel)
    if is_panel:
        found: Mapping[str, Estimate] = many_raters(
            values,
            clusters=study.clusters,
            points=table.points,
            measurement=table.measurement.value,
            only=wanted,
            kind=intervals,
        )
    else:
        found = _of_pairs(study, table, values, wanted, intervals)
    kept = {name: one for name, one in comparison.estimates.items() if name not in found}
    return replace(comparison, estimates={**kept, **found})


def _of_pairs(
    study: StudyRatings,
    table: Matrix,
    values: Floats,
    wanted: Collection[str],
    intervals: IntervalKind,
) -> Mapping[str, Estimate]:
    """The last column with each other one, (n, h + 1): all pairs of ratings in one table."""
    *others, last = values.T
    points = points_of(table.points)
    if len(others) == 1:
        return two_raters(
            others[0],
            last,
            clusters=study.clusters,
            points=points,
            measurement=table.measurement.value,
            only=wanted,
            kind=intervals,
        )
    numbers, size = numbered(study.dialogues, study.items.size)
    found = two_raters_of_tables(
        np.sum([pairs.cluster_counts(one, last, points, numbers, size) for one in others], axis=0),
        points=points,
        measurement=table.measurement.value,
        only=wanted,
        kind=intervals,
    )
    n_items = int((~np.isnan(last)).sum())
    return {name: replace(one, n_items=n_items) for name, one in found.items()}
