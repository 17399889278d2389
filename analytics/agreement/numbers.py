"""Agreement: every figure of a study at one revision, at item and at system level."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.metadata import version

import numpy as np
from django.conf import settings
from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.comparisons.constant import StrawMen, statistics_of_judges, straw_men
from analytics.comparisons.estimating import suited_to
from analytics.comparisons.kinds import SINGLE, Comparison, Kind
from analytics.comparisons.raters import all_comparisons
from analytics.comparisons.systems import SystemComparison, system_comparisons
from analytics.figures.part import Apart, Part, PartReport
from analytics.ratings import matrices
from analytics.ratings.columns import ColumnPlace
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, Tally, View
from analytics.stats.estimates import Note
from annotation.rubric.schema import Group, Measurement, Scored, Summary, Text

_LIBRARIES = ("numpy", "scipy", "pandas")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterQuality:
    """What one rater gave: values, off-scale ones among them, and the reasons for none."""

    rater: int
    n_values: int
    n_off_scale: int
    unscored: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyProgress:
    """How many items have been rated, with a value or a reason for none, set aside or not."""

    n_by_person: int
    n_by_two: int
    n_by_judge: int
    n_with_gold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    id: int
    key: str
    name: str
    is_judge: bool
    own_generators: tuple[str, ...]
    is_jury: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionLine:
    """A criterion or a derived score; `is_group`: the mean or sum of several. `points` are the
    values it can have."""

    key: str
    name: Text
    is_group: bool
    measurement: Measurement
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedScore:
    """From which criteria a score is worked out, for how many answers, each first one of a rater to
    an item, and for how many not, because a part of it has no value."""

    criterion: str
    summary: Summary
    made_of: tuple[str, ...]
    n_values: int
    n_incomplete: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(PartReport):
    """Every figure of a study at one revision, with what it was computed from.

    `comparisons`: those of single raters are nearly all of a large study.
    `n_ratings` counts the values of all raters at all repeats, but not what juries come to;
    `n_gold` those of gold.
    """

    study: str
    revision: int
    rubric: str
    rubric_fingerprint: str
    versions: Mapping[str, str]
    n_items: int
    n_dialogues: int
    n_ratings: int
    n_gold: int
    n_off_scale: int
    n_quarantined: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[CriterionLine, ...]
    comparisons: tuple[Comparison, ...]
    straw_men: tuple[StrawMen, ...]
    systems: tuple[SystemComparison, ...]
    quality: tuple[RaterQuality, ...]
    derived: tuple[DerivedScore, ...]
    progress: StudyProgress


def report(study: StudyRatings, *, view: View, at: datetime) -> Report:
    """Compute every figure of a study."""
    return _report(study, view=view, at=at, is_brief=False)


def glance(study: StudyRatings, *, view: View, at: datetime) -> Report:
    """The report with what live pages show alone: a statistic of each family, and nothing that
    single people come to. Fifty people and seven judges are 350 pairs a criterion, and nobody can
    wait for those with every answer that comes in."""
    return _report(study, view=view, at=at, is_brief=True)


def _report(study: StudyRatings, *, view: View, at: datetime, is_brief: bool) -> Report:
    parts = study.rubric.scored
    tables = matrices.each_matrix(study, parts, view=view)
    told = {key: suited_to(study, table) for key, table in tables.items()}
    if is_brief:
        told = {key: suited.at_a_glance for key, suited in told.items()}
    tallies = {rater: matrices.tally(study, rater) for rater in study.raters}
    return Report(
        study=study.key,
        revision=study.revision,
        computed_at=at,
        view=view,
        rubric=study.rubric.key,
        rubric_fingerprint=study.rubric_fingerprint,
        versions=_versions(),
        n_items=study.items.size,
        n_dialogues=int(np.unique(study.dialogues).size),
        n_ratings=sum(one.n_values for rater, one in tallies.items() if not rater.is_jury),
        n_gold=int(study.has_gold.sum()),
        n_off_scale=sum(one.n_off_scale for one in tallies.values()),
        n_quarantined=int(study.quarantined.sum()),
        raters=tuple(map(rater_line, study.raters)),
        criteria=tuple(criterion_line(part, tables[part.key]) for part in parts),
        comparisons=tuple(
            comparison
            for key, table in tables.items()
            for comparison in all_comparisons(study, table, told[key], with_pairs=not is_brief)
        ),
        straw_men=tuple(
            straw_men(
                study, table, is_gold=is_gold, only=statistics_of_judges(told[key], is_gold=is_gold)
            )
            for key, table in tables.items()
            for is_gold in (False, True)
        ),
        systems=tuple(
            line for table in tables.values() for line in system_comparisons(study, table)
        ),
        quality=tuple(_quality(rater, given) for rater, given in tallies.items()),
        derived=tuple(_derived(study, group, tables[group.key]) for group in study.rubric.groups),
        progress=_progress(study),
    )


def problem_with_selection(
    made: Report, *, criteria: Collection[str], judges: Collection[str]
) -> str | None:
    """Say which of these keys there is not, and which there are; None where all are known."""
    known_criteria = [one.key for one in made.criteria]
    known_judges = [rater.key for rater in made.raters if rater.is_judge]
    for key in criteria:
        if key not in known_criteria:
            words = {"key": key, "known": listed(known_criteria)}
            return _("There is no criterion “%(key)s” here. There are: %(known)s.") % words
    for key in judges:
        if key not in known_judges:
            words = {"key": key, "known": listed(known_judges) or _("none")}
            return _("There is no judge “%(key)s” here. There are: %(known)s.") % words
    return None


def selected(made: Report, *, criteria: Collection[str], judges: Collection[str]) -> Report:
    """The part of a report about these criteria and judges (keys); all where there are none."""
    left_out = {
        rater.id for rater in made.raters if rater.is_judge and judges and rater.key not in judges
    }
    return replace(
        made,
        criteria=tuple(one for one in made.criteria if not criteria or one.key in criteria),
        comparisons=tuple(
            one
            for one in made.comparisons
            if (not criteria or one.criterion in criteria) and not left_out & set(one.raters)
        ),
        straw_men=tuple(one for one in made.straw_men if not criteria or one.criterion in criteria),
        systems=tuple(
            one
            for one in made.systems
            if (not criteria or one.criterion in criteria) and one.judge not in left_out
        ),
    )


def with_sentences(made: Report) -> dict[str, object]:
    """The report as JSON can hold it, the first note of each figure in words beside it."""
    plain = PART.as_json(made)
    for group in ("comparisons", "systems"):
        for line in plain[group]:
            for estimate in line["estimates"].values():
                notes = [Note(note) for note in estimate["notes"]]
                estimate["note"] = notes[0].sentence if notes else None
    return plain


def rater_line(rater: RaterColumn) -> RaterLine:
    """A rater as reports name them."""
    return RaterLine(
        id=rater.id,
        key=rater.key,
        name=rater.name,
        is_judge=rater.is_judge,
        own_generators=tuple(sorted(rater.own_generators)),
        is_jury=rater.is_jury,
    )


def criterion_line(part: Scored, table: Matrix) -> CriterionLine:
    """A criterion or derived score as reports name it."""
    return CriterionLine(
        key=part.key,
        name=part.name,
        is_group=isinstance(part, Group) and not part.has_levels,
        measurement=table.measurement,
        points=table.points,
    )


def _derived(study: StudyRatings, group: Group, table: Matrix) -> DerivedScore:
    """How often a derived score could be worked out."""
    firsts = [ColumnPlace(rater.id, 1) for rater in study.raters]
    counted = study.counted(table.view)
    n_answers = sum(int((study.is_answered(one, group.key) & counted).sum()) for one in firsts)
    n_values = sum(int((~np.isnan(values)).sum()) for values in table.columns)
    return DerivedScore(
        criterion=group.key,
        summary=group.summary,
        made_of=group.criteria,
        n_values=n_values,
        n_incomplete=n_answers - n_values,
    )


@cache
def _versions() -> dict[str, str]:
    return {"concord": settings.VERSION} | {name: version(name) for name in _LIBRARIES}


def _progress(study: StudyRatings) -> StudyProgress:
    seen = matrices.answered(study)
    is_judge = np.array([rater.is_judge for rater in study.raters], dtype=bool)
    people = seen[:, ~is_judge].sum(axis=1)
    return StudyProgress(
        n_by_person=int((people >= 1).sum()),
        n_by_two=int((people >= 2).sum()),
        n_by_judge=int(seen[:, is_judge].any(axis=1).sum()),
        n_with_gold=int(study.has_gold.any(axis=0).sum()),
    )


def _quality(rater: RaterColumn, given: Tally) -> RaterQuality:
    return RaterQuality(
        rater=rater.id,
        n_values=given.n_values,
        n_off_scale=given.n_off_scale,
        unscored=given.unscored,
    )


def as_made(report: Report, of_criterion: Iterable[Comparison]) -> list[Comparison]:
    """Comparisons of a criterion, of which single raters came apart, in the order of the whole."""
    places = {rater.id: place for place, rater in enumerate(report.raters, start=1)}

    def place(one: Comparison) -> tuple[int, int]:
        of_people = one.kind in (Kind.HUMANS, Kind.HUMAN_PAIR)
        return 0 if of_people else places[one.raters[-1]], [*Kind].index(one.kind)

    return sorted(of_criterion, key=place)


def _piece_of(_report: Report) -> Callable[[Comparison], str]:
    return lambda one: one.criterion if one.kind in SINGLE else ""


PART = Part(
    key="agreement",
    kind=Report,
    make=report,
    apart=Apart(field="comparisons", about="criterion", piece_of=_piece_of),
    algorithm=2,
)
GLANCE = Part(key="glance", kind=Report, make=glance, by_turns=True, algorithm=2)
