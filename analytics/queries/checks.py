"""Every figure of a report beside what published packages make of the same ratings."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics import matrices, verification
from analytics.matrices import StudyRatings
from analytics.queries.wording import who
from analytics.reports import agreement
from analytics.reports.agreement import Kind, Report
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One figure of ours and of a package; None where it is not defined."""

    criterion: str
    who: str
    level: str
    statistic: str
    package: str
    ours: float | None
    theirs: float | None

    @property
    def difference(self) -> float | None:
        if self.ours is None or self.theirs is None:
            return None
        return abs(self.ours - self.theirs)

    @property
    def is_met(self) -> bool:
        """Whether both agree. Where ours is not defined a note says why, and nothing is compared."""
        if self.difference is None:
            return self.ours is None
        return self.difference <= TOLERANCE


def checks(study: StudyRatings, report: Report) -> Iterator[Check]:
    """Recompute each figure that a package knows."""
    for comparison in report.comparisons:
        table = _matrix(study, report, comparison.criterion)
        values = agreement.ratings_behind(study, table, comparison)
        if comparison.kind is Kind.JUDGE_HUMANS:
            values = _pairs(values)
        yield from _compare(
            comparison.criterion,
            who(comparison, report),
            "item",
            comparison.estimates,
            values,
            table.points,
        )
    names = {rater.id: rater.name for rater in report.raters}
    for line in report.systems:
        table = _matrix(study, report, line.criterion)
        means = agreement.system_means(study, table, line)
        yield from _compare(
            line.criterion, names[line.judge], "system", line.estimates, means, table.points
        )


def _matrix(study: StudyRatings, report: Report, key: str) -> matrices.Matrix:
    return matrices.matrix(study, key, view=report.view)


def _pairs(values: Floats) -> Floats:
    """Every person with the judge, (n, h + 1) -> (n h, 2)."""
    *people, judge = values.T
    return np.concatenate([np.column_stack([person, judge]) for person in people])


def _compare(criterion, who_, level, estimates: dict[str, Estimate], values, points):
    for statistic, estimate in estimates.items():
        found = verification.reference(statistic, values, points)
        if found is not None:
            yield Check(
                criterion=criterion,
                who=who_,
                level=level,
                statistic=statistic,
                package=found.package,
                ours=estimate.value,
                theirs=found.value,
            )
