"""Does a judge find what people flag: sensitivity and its like at every cut of every criterion.

Agreement alone does not tell. Where nearly nothing is flagged, a judge that flags nothing agrees
almost perfectly, most of all by a coefficient that corrects little for chance, such as Gwet's AC.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from operator import itemgetter

import numpy as np

from analytics.agreement.numbers import CriterionLine, RaterLine, criterion_line, rater_line
from analytics.comparisons.estimating import with_notes_on
from analytics.comparisons.kinds import Kind
from analytics.comparisons.raters import judge_comparisons
from analytics.figures.memo import remembered
from analytics.figures.part import Part, PartReport
from analytics.ratings import matrices
from analytics.ratings.matrices import Chances, Matrix, RaterColumn, StudyRatings, View
from analytics.stats.constant import ConstantJudge, constant_judges
from analytics.stats.estimates import Estimate
from analytics.stats.prevalence import Prevalence, prevalence_elsewhere
from analytics.stats.runs import mean_agreement
from analytics.stats.scales import Floats, Ints
from analytics.stats.screening import (
    FlagsOfPeople,
    PeopleMeasured,
    flags_of_others,
    people_measured,
    screening,
)
from annotation.rubric.schema import Group, Scale, Scored, Taxonomy

LOOKS_GOOD = 0.8
FINDS_ENOUGH = 0.8
_OF_FLAGS = ("kappa", "ac1", "exact")
_OF_VALUES = ("kappa", "kappa_quadratic", "ac1", "ac2", "exact")
_NO, _YES = 0.0, 1.0
_STRAW_MAN = RaterColumn(id=0, key="", name="", kind="judge", own_generators=frozenset())


class FlagReference(StrEnum):
    """Whose flags a judge is measured by: gold, at least half of the people, or any of them."""

    GOLD = "gold"
    HALF = "half"
    ANY = "any"


class SafetyStanding(StrEnum):
    """What the panel says of a judge: it surely misses too many; it surely finds enough and tells
    flagged items from others; it finds enough, as whoever flags enough does; none of these is
    sure; or nothing is flagged."""

    MISSES = "misses"
    FINDS = "finds"
    NO_BETTER = "no better"
    OPEN = "open"
    NOTHING_FLAGGED = "nothing flagged"


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

    `found` and `missed` items that the reference flags; `alarms` and `passed` that it does not, by
    the first run of the judge that counts, as they are listed; figures are of all that do.
    `estimates`: sensitivity, specificity, ppv, npv, prevalence, flagged, and kappa, ac1 and exact
    of the flags. `people` and `beside`: sensitivity and specificity of people, each measured by
    the others or by gold, and of the judge on the very same items; empty where nobody can be.
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
    people: Mapping[str, Estimate]
    beside: Mapping[str, Estimate]
    elsewhere: Prevalence | None

    @property
    def counts(self) -> tuple[int, ...]:
        """The four fields that its figures are made of."""
        return (self.missed, self.alarms, self.found, self.passed)

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
class ConstantScreen:
    """The straw men at one cut, by one reference: who never flags, then who always flags, on every
    item that the reference tells of, with the `estimates` of a Screen."""

    criterion: str
    reference: FlagReference
    cut: str
    judges: tuple[ConstantJudge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantOnValues:
    """The straw men on all values, one for each point, with the `estimates` of OnValues."""

    criterion: str
    is_gold: bool
    judges: tuple[ConstantJudge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What can be chosen of one criterion. `references` in order of preference."""

    line: CriterionLine
    cuts: tuple[Cut, ...]
    usual_cut: str
    references: tuple[FlagReference, ...]
    people_an_item: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyReport(PartReport):
    """Every cut of every criterion, for every judge and reference, at one revision.

    `n_items` in `n_dialogues` may count in figures; `n_set_aside` others do not.
    """

    study: str
    revision: int
    n_items: int
    n_dialogues: int
    n_set_aside: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[Screened, ...]
    screens: tuple[Screen, ...]
    on_values: tuple[OnValues, ...]
    constant_screens: tuple[ConstantScreen, ...]
    constant_on_values: tuple[ConstantOnValues, ...]


def make(study: StudyRatings, *, view: View, at: datetime) -> SafetyReport:
    """Screen every judge at every cut."""
    tables = matrices.each_matrix(study, study.rubric.with_levels, view=view)
    criteria = tuple(screened(study, tables).values())
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
        constant_screens=tuple(
            screen
            for one in criteria
            for screen in _constant_screens(study, tables[one.line.key], one)
        ),
        constant_on_values=tuple(
            line for table in tables.values() for line in _constant_on_values(study, table)
        ),
    )


PART = Part(key="safety", kind=SafetyReport, make=make, algorithm=2)


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


def standing(screen: Screen) -> SafetyStanding:
    """What the panel says of a judge; the whole interval must say so.

    Who flags every item finds all that people flag, and who flags by lot finds as large a share
    of it as of the rest: sensitivity and specificity of both add up to 1, and a judge is held to
    more.
    """
    sensitivity, specificity = screen.estimates["sensitivity"], screen.estimates["specificity"]
    if not screen.n_positives:
        return SafetyStanding.NOTHING_FLAGGED
    if sensitivity.high is not None and sensitivity.high < FINDS_ENOUGH:
        return SafetyStanding.MISSES
    if sensitivity.low is None or sensitivity.low < FINDS_ENOUGH:
        return SafetyStanding.OPEN
    if specificity.low is None or sensitivity.low + specificity.low <= 1:
        return SafetyStanding.NO_BETTER
    return SafetyStanding.FINDS


def usual_screen(
    study: StudyRatings, table: Matrix, judge: RaterColumn, chosen: Screened
) -> Screen | None:
    """What a page begins with; None where no item has both values."""
    if not chosen.references:
        return None
    return _screen(study, table, judge, _flagged(table, chosen.references[0], usual_cut(chosen)))


def usual_cut(chosen: Screened) -> Cut:
    """The cut that is shown unless another is asked for."""
    return next(cut for cut in chosen.cuts if cut.key == chosen.usual_cut)


def flags_of(
    study: StudyRatings, table: Matrix, judge: RaterColumn, *, reference: FlagReference, cut: Cut
) -> tuple[Floats, Floats]:
    """What the reference and the judge in its first run that counts flag, (n,) each: 1, 0, or NaN
    where there is no value."""
    return (
        _reference_flags(table, reference, cut),
        in_cut(matrices.runs(study, table, judge).first, cut),
    )


def marked(table: Matrix, cut: Cut) -> Floats:
    """What is flagged, (n,): by gold where there is gold, else by at least half of the people."""
    gold = _reference_flags(table, FlagReference.GOLD, cut)
    return np.where(np.isnan(gold), _reference_flags(table, FlagReference.HALF, cut), gold)


def screened(study: StudyRatings, tables: Mapping[str, Matrix]) -> dict[str, Screened]:
    """The choices of every criterion that has levels, by its key."""
    return {one.key: choices_of(one, tables[one.key]) for one in study.rubric.with_levels}


def choices_of(criterion: Scored, table: Matrix) -> Screened:
    """The cuts and references that suit a criterion or derived score."""
    people = int((~np.isnan(table.of_humans())).sum(axis=1).max(initial=0))
    if isinstance(criterion, Taxonomy):
        cuts = tuple(_cuts_of_labels(table, float(criterion.labels[-1].code)))
        usual = cuts[0]
    elif isinstance(criterion, Group) and criterion.summary == "any":
        usual = _cut(CutKind.AT_LEAST, _YES, (_YES,))
        cuts = (usual,)
    else:
        cuts = tuple(_cuts_of_scale(table))
        declared = criterion.values if isinstance(criterion, Scale) else table.points
        usual = _usual_of_scale(criterion, cuts, declared)
    return Screened(
        line=criterion_line(criterion, table),
        cuts=cuts,
        usual_cut=usual.key,
        references=tuple(_references(table, people)),
        people_an_item=people,
    )


def _usual_of_scale(criterion: Scale | Group, cuts: Sequence[Cut], values: Sequence[float]) -> Cut:
    """The low half of a scale; the high half of a maximum, which looks for what is highest, and of
    a scale of severities whose highest level is the worst."""
    middle = (values[0] + values[-1]) / 2
    if isinstance(criterion, Group):
        is_high = criterion.summary == "maximum"
    else:
        is_high = criterion.walked is not None and criterion.walked.worst_is_highest
    if is_high:
        return next(cut for cut in cuts if cut.kind is CutKind.AT_LEAST and cut.at > middle)
    return [cut for cut in cuts if cut.kind is CutKind.AT_MOST and cut.at < middle][-1]


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
    """Judge by judge; what others flag at a cut is worked out once for all judges."""
    screens = (
        (place, _screen(study, table, judge, flagged))
        for reference in one.references
        for cut in one.cuts
        for flagged in [_flagged(table, reference, cut)]
        for place, judge in enumerate(study.judges)
    )
    by_judge = sorted(screens, key=itemgetter(0))
    return (screen for _place, screen in by_judge if screen)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CutFlags:
    """What is flagged at a cut, whichever judge is measured by it: by the `reference` (n,), and by
    people where they can be measured too."""

    reference: FlagReference
    cut: Cut
    meant: Floats
    people: FlagsOfPeople


def _flagged(table: Matrix, reference: FlagReference, cut: Cut) -> _CutFlags:
    meant, people = _reference_flags(table, reference, cut), in_cut(table.of_humans(), cut)
    if reference is FlagReference.GOLD:
        beside = np.broadcast_to(meant[:, None], people.shape)
    else:
        beside = flags_of_others(people, by_any=reference is FlagReference.ANY)
    of_people = FlagsOfPeople.of(people, beside)
    return _CutFlags(reference=reference, cut=cut, meant=meant, people=of_people)


def _screen(
    study: StudyRatings, table: Matrix, judge: RaterColumn, flagged_by: _CutFlags
) -> Screen | None:
    """None where no item has both values."""
    reference, cut, meant = flagged_by.reference, flagged_by.cut, flagged_by.meant
    runs = matrices.runs(study, table, judge)
    said, flags = in_cut(runs.first, cut), runs.as_flags(cut.points).values
    both = ~np.isnan(meant + said)
    if not both.any():
        return None
    flagged, is_marked = said[both] == _YES, meant[both] == _YES
    own = ~matrices.of_other_generators(study, judge) & ~np.isnan(table.of(judge) + meant)
    beside = _beside_people(study, flags, flagged_by)
    return Screen(
        criterion=table.key,
        judge=judge.id,
        reference=reference,
        cut=cut.key,
        found=int((flagged & is_marked).sum()),
        missed=int((~flagged & is_marked).sum()),
        alarms=int((flagged & ~is_marked).sum()),
        passed=int((~flagged & ~is_marked).sum()),
        own_left_out=int(own.sum()),
        estimates=with_notes_on(runs, _of_flags(study, meant)(flags)),
        people=beside.people if beside else {},
        beside=with_notes_on(runs, beside.judge) if beside else {},
        elsewhere=_elsewhere(study, said, meant),
    )


def _of_flags(study: StudyRatings, meant: Floats) -> Callable[[Floats], dict[str, Estimate]]:
    """What makes the figures of a judge, or of a straw man, from what it flags, (n,) or (n, r): once
    for all views in which it flags the same."""
    return lambda said: remembered(_found_of_flags, said, meant, study.clusters, study.weights)


def _found_of_flags(
    said: Floats, meant: Floats, clusters: Ints | None, weights: Floats | None
) -> dict[str, Estimate]:
    points = (_NO, _YES)
    shares = screening(
        said, meant, positive={_YES}, clusters=clusters, points=points, weights=weights
    )
    return shares | mean_agreement(
        meant,
        said.reshape(len(meant), -1),
        clusters=clusters,
        points=points,
        measurement="binary",
        only=_OF_FLAGS,
        weights=weights,
    )


def _beside_people(
    study: StudyRatings, flags: Floats, flagged_by: _CutFlags
) -> PeopleMeasured | None:
    """People measured as the judge is by its flags (n, r); None where nobody can be."""
    if np.isnan(flags[flagged_by.people.items]).all():
        return None
    return people_measured(flags, flagged_by.people, clusters=study.clusters, weights=study.weights)


def _constant_screens(
    study: StudyRatings, table: Matrix, one: Screened
) -> Iterator[ConstantScreen]:
    for reference in one.references:
        for cut in one.cuts:
            meant = _reference_flags(table, reference, cut)
            yield ConstantScreen(
                criterion=table.key,
                reference=reference,
                cut=cut.key,
                judges=constant_judges(meant, points=(_NO, _YES), measure=_of_flags(study, meant)),
            )


def _constant_on_values(study: StudyRatings, table: Matrix) -> Iterator[ConstantOnValues]:
    references = {True: table.gold, False: table.mean_of_people()}
    for is_gold, meant in references.items():
        if not np.isnan(meant).all():
            yield ConstantOnValues(
                criterion=table.key,
                is_gold=is_gold,
                judges=constant_judges(
                    meant,
                    points=table.points,
                    measure=partial(_figures_of_values, study, table, is_gold),
                ),
            )


def _figures_of_values(
    study: StudyRatings, table: Matrix, is_gold: bool, said: Floats
) -> dict[str, Estimate]:
    """The agreement on all values of a judge that had `said` that, beside the people who rated."""
    people = tuple(rater for rater in table.raters if not rater.is_judge)
    beside = replace(table, raters=(*people, _STRAW_MAN), columns=(*map(table.of, people), said))
    kind = Kind.JUDGE_GOLD if is_gold else Kind.JUDGE_HUMANS
    found = next(one for one in judge_comparisons(study, beside, _STRAW_MAN) if one.kind is kind)
    return {name: found.estimates[name] for name in _OF_VALUES if name in found.estimates}


def _elsewhere(study: StudyRatings, said: Floats, meant: Floats) -> Prevalence | None:
    """How common flagged items are where only the judge looked; not corrected by items that were
    drawn with unequal chances."""
    found = prevalence_elsewhere(said, meant, clusters=study.clusters)
    if found is None or study.chances is Chances.ALIKE:
        return found
    return Prevalence(n_items=found.n_items, flagged=found.flagged, youden=None)


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


def constant_on_values_of(
    report: SafetyReport, criterion: str, *, is_gold: bool
) -> ConstantOnValues | None:
    """The straw men on all values of a criterion."""
    asked = (criterion, is_gold)
    return next(
        (one for one in report.constant_on_values if (one.criterion, one.is_gold) == asked), None
    )
