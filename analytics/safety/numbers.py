"""Does a judge find what people flag: sensitivity and its like at every cut of every criterion.

Agreement alone does not tell. Where nearly nothing is flagged, a judge that flags nothing agrees
almost perfectly, most of all by a coefficient that corrects little for chance, such as Gwet's AC.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from analytics.agreement.numbers import (
    CriterionLine,
    Kind,
    RaterLine,
    criterion_line,
    judge_comparisons,
    rater_line,
)
from analytics.figures.part import Part
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.stats.agreement import two_raters
from analytics.stats.estimates import Estimate
from analytics.stats.prevalence import Prevalence, prevalence_elsewhere
from analytics.stats.scales import Floats
from analytics.stats.screening import screening
from annotation.rubric.schema import Criterion, Taxonomy

LOOKS_GOOD = 0.8
FINDS_ENOUGH = 0.8
_OF_FLAGS = ("kappa", "ac1", "exact")
_OF_VALUES = ("kappa", "kappa_quadratic", "ac1", "ac2", "exact")
_NO, _YES = 0.0, 1.0


class FlagReference(StrEnum):
    """Whose flags a judge is measured by: gold, at least half of the people, or any of them."""

    GOLD = "gold"
    HALF = "half"
    ANY = "any"


class CutKind(StrEnum):
    """How a cut divides a criterion: the low end of a scale, the high end, every label but the
    last, or one label."""

    AT_MOST = "at-most"
    AT_LEAST = "at-least"
    UNSAFE = "unsafe"
    LABEL = "label"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Which points count as flagged; `at` is the point or label code that names it."""

    key: str
    kind: CutKind
    at: float
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """One judge at one cut, measured by one reference.

    `found` and `missed` items that the reference flags; `alarms` and `passed` that it does not.
    `estimates`: sensitivity, specificity, ppv, npv, prevalence, flagged, and kappa, ac1 and exact
    of the flags.
    """

    criterion: str
    judge: int
    reference: FlagReference
    cut: str
    found: int
    missed: int
    alarms: int
    passed: int
    own_left_out: int
    estimates: Mapping[str, Estimate]
    elsewhere: Prevalence | None

    @property
    def n_positives(self) -> int:
        return self.found + self.missed


@dataclass(frozen=True, slots=True, kw_only=True)
class OnValues:
    """Agreement of a judge with gold or people on all values of a criterion, before any cut."""

    criterion: str
    judge: int
    is_gold: bool
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What can be chosen of one criterion. `references` in order of preference."""

    line: CriterionLine
    cuts: tuple[Cut, ...]
    usual_cut: str
    references: tuple[FlagReference, ...]
    people_an_item: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyReport:
    """Every cut of every criterion, for every judge and reference, at one revision.

    `n_items` in `n_dialogues` may count in figures; `n_set_aside` others do not.
    """

    study: str
    revision: int
    computed_at: datetime
    view: View
    n_items: int
    n_dialogues: int
    n_set_aside: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[Screened, ...]
    screens: tuple[Screen, ...]
    on_values: tuple[OnValues, ...]


def make(study: StudyRatings, *, view: View, at: datetime) -> SafetyReport:
    """Screen every judge at every cut."""
    tables = {
        criterion.key: matrices.matrix(study, criterion.key, view=view)
        for criterion in study.rubric.criteria
    }
    criteria = tuple(
        choices_of(criterion, tables[criterion.key]) for criterion in study.rubric.criteria
    )
    counted = study.counted(view)
    return SafetyReport(
        study=study.key,
        revision=study.revision,
        computed_at=at,
        view=view,
        n_items=int(counted.sum()),
        n_dialogues=int(np.unique(study.dialogues[counted]).size),
        n_set_aside=int((~counted).sum()),
        raters=tuple(map(rater_line, study.raters)),
        criteria=criteria,
        screens=tuple(
            screen for one in criteria for screen in _screens(study, tables[one.line.key], one)
        ),
        on_values=tuple(line for table in tables.values() for line in _on_values(study, table)),
    )


PART = Part(key="safety", kind=SafetyReport, make=make)


def contradicts(screen: Screen, on_values: OnValues | None) -> Estimate | None:
    """The AC that looks good beside a sensitivity that is not, or None where they go together.

    That is an AC of 0.8 or more, of the flags or of all values, while the judge finds less than
    80 % of the flagged items for sure: the whole interval says so.
    """
    sensitivity = screen.estimates["sensitivity"]
    if sensitivity.high is None or sensitivity.high >= FINDS_ENOUGH:
        return None
    of_values = on_values.estimates if on_values else {}
    beside = [of_values.get("ac2"), of_values.get("ac1"), screen.estimates["ac1"]]
    good = [one for one in beside if one and one.value is not None and one.value >= LOOKS_GOOD]
    return good[0] if good else None


def usual_cut(chosen: Screened) -> Cut:
    """The cut that is shown unless another is asked for."""
    return next(cut for cut in chosen.cuts if cut.key == chosen.usual_cut)


def flags_of(
    study: StudyRatings, table: Matrix, judge: RaterColumn, *, reference: FlagReference, cut: Cut
) -> tuple[Floats, Floats]:
    """What the reference and the judge flag, (n,) each: 1, 0, or NaN where there is no value."""
    return (
        _reference_flags(table, reference, cut),
        in_cut(matrices.measured(study, table, judge), cut),
    )


def choices_of(criterion: Criterion, table: Matrix) -> Screened:
    """The cuts and references that suit a criterion."""
    people = int((~np.isnan(table.of_humans())).sum(axis=1).max(initial=0))
    if isinstance(criterion, Taxonomy):
        cuts = tuple(_cuts_of_labels(table, float(criterion.labels[-1].code)))
        usual = cuts[0]
    else:
        cuts = tuple(_cuts_of_scale(table))
        middle = (criterion.values[0] + criterion.values[-1]) / 2
        usual = [cut for cut in cuts if cut.kind is CutKind.AT_MOST and cut.at < middle][-1]
    return Screened(
        line=criterion_line(criterion, table),
        cuts=cuts,
        usual_cut=usual.key,
        references=tuple(_references(table, people)),
        people_an_item=people,
    )


def _cuts_of_labels(table: Matrix, safe: float) -> Iterator[Cut]:
    unsafe = tuple(point for point in table.points if point != safe)
    yield Cut(key=CutKind.UNSAFE.value, kind=CutKind.UNSAFE, at=safe, points=unsafe)
    for point in table.points:
        yield _cut(CutKind.LABEL, point, (point,))


def _cuts_of_scale(table: Matrix) -> Iterator[Cut]:
    for place, point in enumerate(table.points[:-1], start=1):
        yield _cut(CutKind.AT_MOST, point, table.points[:place])
    for place, point in enumerate(table.points[1:], start=1):
        yield _cut(CutKind.AT_LEAST, point, table.points[place:])


def _cut(kind: CutKind, at: float, points: tuple[float, ...]) -> Cut:
    return Cut(key=f"{kind.value}-{at:g}", kind=kind, at=at, points=points)


def _references(table: Matrix, people: int) -> Iterator[FlagReference]:
    if not np.isnan(table.gold).all():
        yield FlagReference.GOLD
    if people:
        yield FlagReference.HALF
    if people > 1:
        yield FlagReference.ANY


def _screens(study: StudyRatings, table: Matrix, one: Screened) -> Iterator[Screen]:
    for judge in study.judges:
        for reference in one.references:
            for cut in one.cuts:
                if screen := _screen(study, table, judge, reference, cut):
                    yield screen


def _screen(
    study: StudyRatings, table: Matrix, judge: RaterColumn, reference: FlagReference, cut: Cut
) -> Screen | None:
    """None where no item has both values."""
    meant, said = flags_of(study, table, judge, reference=reference, cut=cut)
    both = ~np.isnan(meant + said)
    if not both.any():
        return None
    flagged, marked = said[both] == _YES, meant[both] == _YES
    clusters, points = study.clusters, (_NO, _YES)
    of_flags = two_raters(
        meant, said, clusters=clusters, points=points, measurement="binary", only=_OF_FLAGS
    )
    shares = screening(said, meant, positive={_YES}, clusters=clusters, points=points)
    own = ~matrices.of_other_generators(study, judge) & ~np.isnan(table.of(judge) + meant)
    return Screen(
        criterion=table.key,
        judge=judge.id,
        reference=reference,
        cut=cut.key,
        found=int((flagged & marked).sum()),
        missed=int((~flagged & marked).sum()),
        alarms=int((flagged & ~marked).sum()),
        passed=int((~flagged & ~marked).sum()),
        own_left_out=int(own.sum()),
        estimates=shares | of_flags,
        elsewhere=prevalence_elsewhere(said, meant, clusters=clusters),
    )


def _reference_flags(table: Matrix, reference: FlagReference, cut: Cut) -> Floats:
    if reference is FlagReference.GOLD:
        return in_cut(table.gold, cut)
    flags = in_cut(table.of_humans(), cut)
    n = (~np.isnan(flags)).sum(axis=1)
    flagged = np.nansum(flags, axis=1)
    enough = flagged > 0 if reference is FlagReference.ANY else flagged * 2 >= np.maximum(n, 1)
    return np.where(n > 0, enough.astype(np.float64), np.nan)


def in_cut(values: Floats, cut: Cut) -> Floats:
    """1 where a value is in the cut, 0 where not, NaN where missing."""
    return np.where(np.isnan(values), np.nan, np.isin(values, cut.points).astype(np.float64))


def _on_values(study: StudyRatings, table: Matrix) -> Iterator[OnValues]:
    for judge in study.judges:
        for one in judge_comparisons(study, table, judge):
            if one.kind in (Kind.JUDGE_HUMANS, Kind.JUDGE_GOLD):
                yield OnValues(
                    criterion=table.key,
                    judge=judge.id,
                    is_gold=one.kind is Kind.JUDGE_GOLD,
                    estimates={
                        name: one.estimates[name] for name in _OF_VALUES if name in one.estimates
                    },
                )


def on_values_of(report: SafetyReport, screen: Screen) -> OnValues | None:
    """The agreement on all values that belongs beside a screen."""
    asked = (screen.criterion, screen.judge, screen.reference is FlagReference.GOLD)
    return next(
        (one for one in report.on_values if (one.criterion, one.judge, one.is_gold) == asked), None
    )
