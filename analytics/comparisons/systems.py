"""Judges and people on the systems that wrote the replies: each system's mean is a point."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.comparisons.estimating import has_any, with_notes_on
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, StudyRatings
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats
from analytics.stats.systems import system_level
from annotation.rubric.schema import Measurement


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """Figures of one criterion at system level: each generator's mean is a point.

    `means`: (of people, of the judge) per generator over items both rated, `n_pairs` of them.
    `without`: {ICC: {generator left out: value}}.
    """

    criterion: str
    judge: int
    systems: tuple[str, ...]
    means: tuple[tuple[float, float], ...]
    n_pairs: tuple[int, ...]
    estimates: Mapping[str, Estimate]
    without: Mapping[str, Mapping[str, float | None]]


def system_means(study: StudyRatings, table: Matrix, line: SystemComparison) -> Floats:
    """The means (generators, 2) of people and the judge that a system-level line rests on."""
    judge = next(rater for rater in table.raters if rater.id == line.judge)
    runs = matrices.runs(study, table, judge).values
    level = system_level(table.mean_of_people(), runs, study.generators)
    return level.means[np.isin(level.systems, line.systems)]


def system_comparisons(study: StudyRatings, table: Matrix) -> Iterator[SystemComparison]:
    """Each judge against the mean of people, where items have generators and values are scores."""
    named = study.generators != ""
    if table.measurement is Measurement.NOMINAL or np.unique(study.generators[named]).size < 2:
        return
    humans = table.mean_of_people()
    if not has_any(humans):
        return
    for judge in study.judges:
        runs = matrices.runs(study, table, judge)
        values = np.where(named[:, None], runs.values, np.nan)
        if not has_any(values + humans[:, None]):
            continue
        level = system_level(humans, values, study.generators)
        yield SystemComparison(
            criterion=table.key,
            judge=judge.id,
            systems=level.systems,
            means=tuple((float(people), float(judge_s)) for people, judge_s in level.means),
            n_pairs=tuple(map(int, level.n_pairs)),
            estimates=with_notes_on(runs, level.estimates),
            without=level.without,
        )
