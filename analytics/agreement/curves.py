"""How a judge's ratings lie against people's, criterion by criterion: what plots and tables show."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import Comparison, Kind, Report
from analytics.ratings import matrices
from analytics.ratings.matrices import StudyRatings
from analytics.stats.severity import AtLevel, BlandAltman, bland_altman, severity_curve
from annotation.rubric.schema import Measurement


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One judge and people on one scale: the differences at every level, and all of them."""

    comparison: Comparison
    levels: tuple[AtLevel, ...]
    differences: BlandAltman

    @property
    def judge(self) -> int:
        return self.comparison.raters[-1]


def curves(ratings: StudyRatings, report: Report) -> Iterator[Curve]:
    """The curves of every judge on every scale that people rated too."""
    scales = {
        line.key
        for line in report.criteria
        if line.measurement is Measurement.ORDINAL and not line.is_group
    }
    for one in report.comparisons:
        if one.kind is Kind.JUDGE_HUMANS and one.criterion in scales:
            yield _curve(ratings, report, one)


def _curve(ratings: StudyRatings, report: Report, one: Comparison) -> Curve:
    table = matrices.matrix(ratings, one.criterion, view=report.view)
    behind = [given.T for given in agreement.ratings_of_runs(ratings, table, one)]
    both = [(person, judge) for *people, judge in behind for person in people]
    human, judge = (np.concatenate(side) for side in zip(*both, strict=True))
    pairs: dict[str, Any] = {
        "human": human,
        "judge": judge,
        "clusters": np.tile(ratings.dialogues, len(both)),
        "points": table.points,
    }
    plot = bland_altman(**pairs)
    return Curve(
        comparison=one,
        levels=severity_curve(**pairs),
        differences=replace(plot, estimates=agreement.around_bias(ratings, plot, one)),
    )
