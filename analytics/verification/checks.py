"""Every figure of a report beside what published packages make of the same ratings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.agreement.detail import in_full
from analytics.agreement.numbers import Report
from analytics.comparisons.behind import ratings_of_runs
from analytics.comparisons.kinds import Kind
from analytics.comparisons.systems import system_means
from analytics.present.places import place_of
from analytics.present.words import who
from analytics.ratings import matrices
from analytics.ratings.matrices import StudyRatings
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats
from analytics.verification import packages as verification
from annotation.actions.imports.copying import Watch

TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One figure of ours and of a package; None where it is not defined.

    `address` is that of the comparison, blank at system level; `reason` says why a package has no
    answer; `package` is blank where none computes the statistic.
    """

    criterion: str
    who: str
    address: str
    level: str
    statistic: str
    package: str
    version: str
    ours: float | None
    theirs: float | None
    reason: str

    @property
    def difference(self) -> float | None:
        if self.ours is None or self.theirs is None:
            return None
        return abs(self.ours - self.theirs)

    @property
    def is_compared(self) -> bool:
        """Whether a package computes the statistic at all."""
        return bool(self.package)

    @property
    def is_met(self) -> bool:
        """Whether both agree. Where ours is not defined a note says why, and nothing is compared."""
        if not self.is_compared:
            return True
        if self.difference is None:
            return self.ours is None
        return self.difference <= TOLERANCE


def checks(study: StudyRatings, report: Report, *, watch: Watch = iter) -> Iterator[Check]:
    """Recompute each figure that the pages show; `watch` counts what they are figures of, as many
    as `compared`."""
    for comparison in watch(report.comparisons):
        table = _matrix(study, report, comparison.criterion)
        runs = ratings_of_runs(study, table, comparison)
        if comparison.kind is Kind.JUDGE_HUMANS:
            runs = list(map(_pairs, runs))
        yield from _compared(
            in_full(study, table, comparison, intervals="jackknife").estimates,
            runs,
            table.points,
            criterion=comparison.criterion,
            who=who(comparison, report),
            address="/".join(place_of(comparison)),
            level="item",
        )
    names = {rater.id: rater.name for rater in report.raters}
    for line in watch(report.systems):
        table = _matrix(study, report, line.criterion)
        yield from _compared(
            line.estimates,
            [system_means(study, table, line)],
            table.points,
            criterion=line.criterion,
            who=names[line.judge],
            address="",
            level="system",
        )


def compared(report: Report) -> int:
    """How many comparisons and generators' means have figures to recompute."""
    return len(report.comparisons) + len(report.systems)


def _matrix(study: StudyRatings, report: Report, key: str) -> matrices.Matrix:
    return matrices.matrix(study, key, view=report.view)


def _pairs(values: Floats) -> Floats:
    """Every person with the judge, (n, h + 1) -> (n h, 2)."""
    *people, judge = values.T
    return np.concatenate([np.column_stack([person, judge]) for person in people])


def _compared(
    estimates: Mapping[str, Estimate],
    runs: Sequence[Floats],
    points: tuple[float, ...],
    **place: str,
) -> Iterator[Check]:
    """Ours beside the mean of what a package makes of each run."""
    of_runs = [verification.references(estimates, values, points) for values in runs]
    for together in zip(*of_runs, strict=True):
        statistic = together[0][0]
        found = verification.mean(figure for _, figure in together)
        yield Check(
            statistic=statistic,
            package=found.package,
            version=found.version,
            ours=estimates[statistic].value,
            theirs=found.value,
            reason=found.reason,
            **place,
        )
