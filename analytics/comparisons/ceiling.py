"""What a judge comes to under the ceiling of people, and whether it may stand in for one."""

from collections.abc import Mapping
from dataclasses import replace

from analytics.comparisons.estimating import with_notes_on
from analytics.figures.memo import remembered
from analytics.ratings import matrices
from analytics.ratings.matrices import JudgeRuns, Matrix, RaterColumn, StudyRatings
from analytics.stats.alternative import Alignment, Domain, Panel, alternative_test
from analytics.stats.ceiling import UnderCeiling, ceiling
from analytics.stats.scales import Floats, Ints
from analytics.stats.scales import Measurement as MeasurementName

_STATISTICS = ("icc_a1", "icc_c1", "mae", "kappa", "ac1", "exact")
EPSILON_FOR_EXPERTS = 0.2


def under_ceiling(
    study: StudyRatings, table: Matrix, said: Floats, people: Floats, *, only: tuple[str, ...]
) -> dict[str, UnderCeiling]:
    """Who `said` that, (n,) or (n, r), under the ceiling of `people` (n, h): worked out once for all
    that is shown of it, of which `only` some."""
    found = remembered(
        _under_ceiling,
        said,
        people,
        study.clusters,
        study.weights,
        points=table.points,
        measurement=table.measurement.value,
    )
    return {name: one for name, one in found.items() if name in only}


def _under_ceiling(
    said: Floats,
    people: Floats,
    clusters: Ints | None,
    weights: Floats | None,
    *,
    points: tuple[float, ...],
    measurement: MeasurementName,
) -> dict[str, UnderCeiling]:
    return ceiling(
        said,
        people,
        clusters=clusters,
        points=points,
        measurement=measurement,
        only=_STATISTICS,
        weights=weights,
    )


def ceiling_of_runs(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    people: Floats,
    *,
    only: tuple[str, ...],
) -> dict[str, UnderCeiling]:
    """The same of all runs of a judge, with what intervals leave out of them."""
    runs = matrices.runs(study, table, judge)
    found = under_ceiling(study, table, runs.values, people, only=only)
    return {name: _ceiling_with_notes_on(runs, one) for name, one in found.items()}


def alternatives(
    study: StudyRatings,
    judge: RaterColumn,
    tables: Mapping[str, Matrix],
    people: Mapping[str, Floats],
    *,
    alignment: Alignment,
) -> dict[str, Domain]:
    """The alternative annotator test over all these criteria, with what `people` (n, h) gave to each:
    once for all pages that show it."""
    runs = (matrices.runs(study, table, judge).values for table in tables.values())
    given = (people[key] for key in tables)
    arrays = (array for both in zip(runs, given, strict=True) for array in both)
    return remembered(
        _alternatives, study.clusters, *arrays, names=tuple(tables), alignment=alignment
    )


def _alternatives(
    clusters: Ints | None, *arrays: Floats, names: tuple[str, ...], alignment: Alignment
) -> dict[str, Domain]:
    both = zip(names, arrays[::2], arrays[1::2], strict=True)
    panels = {
        name: Panel(judge=runs, people=people, clusters=clusters) for name, runs, people in both
    }
    return alternative_test(panels, alignment=alignment, epsilon=EPSILON_FOR_EXPERTS)


def _ceiling_with_notes_on(runs: JudgeRuns, found: UnderCeiling) -> UnderCeiling:
    """The judge under the ceiling of people, with the same notes."""
    noted = with_notes_on(
        runs, {"judge": found.judge, "difference": found.difference, "share": found.share}
    )
    return replace(
        found, judge=noted["judge"], difference=noted["difference"], share=noted["share"]
    )
