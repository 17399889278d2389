"""The figures of two raters, of a judge's runs and of many, each computed once for the same ratings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from analytics.comparisons.kinds import Figures
from analytics.measures import Suited, suited
from analytics.ratings.matrices import JudgeRuns, Matrix, StudyRatings
from analytics.stats import components, pairs
from analytics.stats.agreement import many_raters, two_raters
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.runs import LEAST_RUNS, mean_agreement, mean_agreements
from analytics.stats.scales import Floats, Ints, points_of
from analytics.stats.scales import Measurement as MeasurementName

PairFigures: TypeAlias = tuple[dict[str, Estimate], Floats]
"""What two raters come to, and how often each rated what."""
S = TypeVar("S", bound=np.generic)


def as_earlier(found: Figures) -> dict[str, Estimate]:
    """Figures that say that they are from earlier ratings than those beside them."""
    return {
        name: replace(one, notes=in_order({*one.notes, Note.EARLIER}))
        for name, one in found.items()
    }


def with_notes_on(runs: JudgeRuns, found: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Say of intervals that they hold few runs fixed, and of figures that runs are left out."""
    are_few = runs.values.shape[1] < LEAST_RUNS
    of_figures = {Note.PARTIAL_RUNS} if runs.n_partial else set()
    of_intervals = of_figures | ({Note.RUNS_HELD_FIXED} if are_few else set())
    return {
        name: replace(
            one, notes=in_order({*one.notes, *(of_intervals if one.method else of_figures)})
        )
        for name, one in found.items()
    }


def panel_estimates(values: Floats, clusters: Ints | None, **options: Any) -> dict[str, Estimate]:
    """The estimates of raters of the same items, (n, r), NaN where one did not rate."""
    return many_raters(values, clusters=clusters, **options)


def rotating_estimates(values: Floats, clusters: Ints | None) -> dict[str, Estimate]:
    """The same by variance components, where each item was rated by other raters."""
    return components.rotating_panel(values, clusters=clusters)


def pair_estimates(
    x: Floats,
    y: Floats,
    clusters: Ints | None,
    weights: Floats | None,
    *,
    points: tuple[float, ...],
    **options: Any,
) -> tuple[dict[str, Estimate], Floats]:
    """The estimates of two raters, and how often each rated what."""
    found = two_raters(x, y, clusters=clusters, points=points, weights=weights, **options)
    return found, pairs.counts(x, y, points_of(points))


def runs_estimates(
    reference: Floats,
    runs: Floats,
    clusters: Ints | None,
    weights: Floats | None,
    *,
    points: tuple[float, ...],
    measurement: MeasurementName,
    only: Collection[str],
) -> tuple[dict[str, Estimate], Floats]:
    """The estimates of the runs (n, r) of a judge, and how often the first rated what."""
    found = mean_agreement(
        reference,
        runs,
        clusters=clusters,
        points=points,
        measurement=measurement,
        only=only,
        weights=weights,
    )
    return found, pairs.counts(reference, runs[:, 0], points_of(points))


def pooled_with_one(runs: Floats, *shared: Any, **options: Any) -> PairFigures:
    """As `pooled_estimates`, of the runs (n, r) of one judge."""
    [found] = pooled_estimates([runs], *shared, **options)
    return found


def pooled_estimates(
    judges: Sequence[Floats],
    given: Floats,
    dialogues: Ints,
    items: Ints,
    weights: Floats | None,
    *,
    points: tuple[float, ...],
    measurement: MeasurementName,
    only: Collection[str],
) -> list[PairFigures]:
    """As `runs_estimates`, the runs of each judge beside what all people have `given` (m,) to `items`
    (m,), each item counted once."""
    figures = mean_agreements(
        given,
        judges,
        clusters=dialogues,
        points=points,
        measurement=measurement,
        only=only,
        weights=weights,
        items=items,
    )
    found = []
    for runs, estimates in zip(judges, figures, strict=True):
        n_items = int(np.unique(items[np.isfinite(runs).any(axis=1)]).size)
        counted = {name: replace(one, n_items=n_items) for name, one in estimates.items()}
        found.append((counted, pairs.counts(given, runs[:, 0], points_of(points))))
    return found


def suited_to(study: StudyRatings, table: Matrix) -> Suited:
    """The statistics that suit a criterion, or the mean or sum of several."""
    return suited(table.measurement, is_group=study.is_group(table.key))


def has_any(values: Floats) -> bool:
    """Whether any of them is there; NaN is none."""
    return not bool(np.isnan(values).all())


def at_items(items: Ints, values: npt.NDArray[S] | None) -> npt.NDArray[S] | None:
    """What is known of every item, (n,), of those at these places, if anything is known."""
    return None if values is None else values[items]
