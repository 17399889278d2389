"""One comparison in full: every statistic that there is for it, its intervals made as asked."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import get_args

import numpy as np

from analytics.agreement.behind import with_all_of
from analytics.agreement.numbers import Report
from analytics.comparisons.behind import of_runs, ratings_behind, said_of_runs
from analytics.comparisons.kinds import Comparison, Kind
from analytics.figures.chances import with_chances
from analytics.measures import whole
from analytics.present.page import NoSuchPage
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, StudyRatings
from analytics.stats import pairs
from analytics.stats.agreement import many_raters, two_raters, two_raters_of_tables
from analytics.stats.cells import numbered
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import Kind as IntervalKind
from analytics.stats.scales import Floats, points_of


def as_asked(
    study: StudyRatings, report: Report, comparison: Comparison, intervals: str
) -> Comparison:
    """The comparison as it is kept, or in full with such intervals; NoSuchPage."""
    kinds: tuple[IntervalKind, ...] = get_args(IntervalKind)
    if not intervals:
        return comparison
    if intervals not in kinds:
        raise NoSuchPage
    table = matrices.matrix(study, comparison.criterion, view=report.view)
    return in_full(study, with_all_of(comparison, table), comparison, intervals=intervals)


def in_full(
    study: StudyRatings, table: Matrix, comparison: Comparison, *, intervals: IntervalKind
) -> Comparison:
    """The comparison with all of its statistics; those against gold stay as they are.

    Intervals over the runs of a judge are made in one way only.
    """
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
        found = of_runs(study, table, comparison, wanted) or said_of_runs(
            study, table, comparison, _of_pairs(study, table, values, wanted, intervals)
        )
    kept = {name: one for name, one in comparison.estimates.items() if name not in found}
    return with_chances(study, replace(comparison, estimates={**kept, **found}))


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
    n, weights = len(others), study.weights
    n_items = int((~np.isnan(last)).sum())
    if n == 1 or weights is not None:
        alone = two_raters(
            np.concatenate(others),
            np.tile(last, n),
            clusters=study.clusters if n == 1 else np.tile(study.dialogues, n),
            points=points,
            measurement=table.measurement.value,
            only=wanted,
            kind=intervals,
            weights=None if weights is None else np.tile(weights, n),
        )
        if n == 1:
            return alone
        return {name: replace(one, n_items=n_items) for name, one in alone.items()}
    numbers, size = numbered(study.dialogues, study.items.size)
    found = two_raters_of_tables(
        np.sum([pairs.cluster_counts(one, last, points, numbers, size) for one in others], axis=0),
        points=points,
        measurement=table.measurement.value,
        only=wanted,
        kind=intervals,
    )
    return {name: replace(one, n_items=n_items) for name, one in found.items()}
