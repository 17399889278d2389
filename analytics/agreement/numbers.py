"""Agreement: every figure of a study at one revision, at item and at system level."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.utils.translation import gettext as _

from analytics.figures.memo import remembered
from analytics.figures.part import Part
from analytics.measures import Suited, suited
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, Tally, View
from analytics.stats import pairs
from analytics.stats.accuracy import accuracy
from analytics.stats.agreement import many_raters, two_raters, two_raters_of_tables
from analytics.stats.cells import FEW_PAIRS, numbered
from analytics.stats.estimates import Estimate, Note
from analytics.stats.scales import Floats, Ints, points_of
from analytics.stats.systems import system_level
from annotation.rubric.schema import Criterion, Group, Measurement, Text

_LIBRARIES = ("numpy", "scipy", "pandas")
MANY_PEOPLE = 12


class Kind(StrEnum):
    """Who is compared with whom."""

    HUMANS = "humans"
    HUMAN_PAIR = "human_pair"
    JUDGE_HUMANS = "judge_humans"
    JUDGE_HUMAN = "judge_human"
    JUDGE_GOLD = "judge_gold"
    JUDGE_REPEATS = "judge_repeats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Figures of one criterion at item level: each rated item is a point.

    `raters`: ids; of a pair with a judge the judge comes last, so bias is judge less human.
    `table`: counts with the first rater (people, gold) in the rows; None for a panel and for the
    mean or sum of several criteria.
    `own_left_out`: items left out because the judge's own family wrote them.
    """

    criterion: str
    kind: Kind
    raters: tuple[int, ...]
    estimates: Mapping[str, Estimate]
    table: tuple[tuple[int, ...], ...] | None = None
    own_left_out: int = 0


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionLine:
    """A criterion, or a group of them by its mean or sum; `points` are the values it can have."""

    key: str
    name: Text
    is_group: bool
    measurement: Measurement
    points: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Every figure of a study at one revision, with what it was computed from.

    `n_ratings` counts the values of all raters at all repeats; `n_gold` those of gold.
    """

    study: str
    revision: int
    computed_at: datetime
    view: View
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
    systems: tuple[SystemComparison, ...]
    quality: tuple[RaterQuality, ...]
    progress: StudyProgress


def report(study: StudyRatings, *, view: View, at: datetime) -> Report:
    """Compute every figure of a study."""
    parts: tuple[Criterion | Group, ...] = (*study.rubric.criteria, *study.rubric.groups)
    tables = {part.key: matrices.matrix(study, part.key, view=view) for part in parts}
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
        n_ratings=sum(one.n_values for one in tallies.values()),
        n_gold=len(study.gold),
        n_off_scale=sum(one.n_off_scale for one in tallies.values()),
        n_quarantined=int(study.quarantined.sum()),
        raters=tuple(map(rater_line, study.raters)),
        criteria=tuple(criterion_line(part, tables[part.key]) for part in parts),
        comparisons=tuple(
            comparison for table in tables.values() for comparison in _comparisons(study, table)
        ),
        systems=tuple(
            line for table in tables.values() for line in system_comparisons(study, table)
        ),
        quality=tuple(_quality(rater, given) for rater, given in tallies.items()),
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
            words = {"key": key, "known": ", ".join(known_criteria)}
            return _("There is no criterion “%(key)s” here. There are: %(known)s.") % words
    for key in judges:
        if key not in known_judges:
            words = {"key": key, "known": ", ".join(known_judges) or _("none")}
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
        systems=tuple(
            one
            for one in made.systems
            if (not criteria or one.criterion in criteria) and one.judge not in left_out
        ),
    )


def ratings_behind(study: StudyRatings, table: Matrix, comparison: Comparison) -> Floats:
    """The ratings (n, k) that a comparison was computed from, a column a rater.

    Gold is the first column of a comparison with gold; of a judge asked again every repeat is one.
    Items with fewer than two values are NaN throughout, as are those of the judge's own family.
    """
    raters = {rater.id: rater for rater in table.raters}
    chosen = [raters[one] for one in comparison.raters]
    if comparison.kind is Kind.JUDGE_REPEATS:
        values = matrices.repeats(study, table.key, chosen[0], view=table.view)
    else:
        values = np.stack([table.of(rater) for rater in chosen], axis=1)
    if comparison.kind is Kind.JUDGE_GOLD:
        values = np.column_stack([table.gold, values])
    with_judge = (Kind.JUDGE_HUMANS, Kind.JUDGE_HUMAN, Kind.JUDGE_GOLD)
    used = (~np.isnan(values)).sum(axis=1) >= 2
    if comparison.kind in with_judge:
        used &= ~np.isnan(values[:, -1])
        used &= matrices.of_other_generators(study, chosen[-1])
    return np.where(used[:, None], values, np.nan)


def system_means(study: StudyRatings, table: Matrix, line: SystemComparison) -> Floats:
    """The means (generators, 2) of people and the judge that a system-level line rests on."""
    judge = next(rater for rater in table.raters if rater.id == line.judge)
    keep = matrices.of_other_generators(study, judge) & (study.generators != "")
    people = table.mean_of_people()
    both = np.column_stack([people, np.where(keep, table.of(judge), np.nan)])
    both[np.isnan(both).any(axis=1)] = np.nan
    return np.stack([np.nanmean(both[study.generators == name], axis=0) for name in line.systems])


def fleiss_of_round(round_id: int) -> tuple[str, Estimate] | None:
    """(criterion, its Fleiss' kappa) with the lowest in a round; None where none has one."""
    tables, dialogues = matrices.of_round(round_id)
    found = [
        (
            table.key,
            many_raters(
                table.values,
                clusters=dialogues,
                points=table.points,
                measurement=table.measurement.value,
                only={"fleiss"},
            )["fleiss"],
        )
        for table in tables
    ]
    defined = [
        (one.value, place) for place, (_key, one) in enumerate(found) if one.value is not None
    ]
    return found[min(defined)[1]] if defined else None


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
    )


def criterion_line(part: Criterion | Group, table: Matrix) -> CriterionLine:
    """A criterion or group as reports name it."""
    return CriterionLine(
        key=part.key,
        name=part.name,
        is_group=isinstance(part, Group),
        measurement=table.measurement,
        points=table.points,
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
        n_with_gold=int(study.gold["item"].nunique()),
    )


def _quality(rater: RaterColumn, given: Tally) -> RaterQuality:
    return RaterQuality(
        rater=rater.id,
        n_values=given.n_values,
        n_off_scale=given.n_off_scale,
        unscored=given.unscored,
    )


def summaries(study: StudyRatings, table: Matrix, *, only: Collection[str]) -> Iterator[Comparison]:
    """People among themselves and each judge with people: `only` some statistics of each."""
    humans = {rater: values for rater in study.humans if _any(values := table.of(rater))}
    if len(humans) > 1:
        panel = np.stack([*humans.values()], 1)
        yield _panel(study, table, Kind.HUMANS, tuple(humans), panel, only)
    for judge in study.judges:
        measured = matrices.measured(study, table, judge)
        if humans and _any(measured):
            yield _pooled(study, table, judge, measured, humans, only)


def _comparisons(study: StudyRatings, table: Matrix) -> Iterator[Comparison]:
    rated = {rater: values for rater in table.raters if _any(values := table.of(rater))}
    humans = {rater: values for rater, values in rated.items() if not rater.is_judge}
    if len(humans) > 1:
        yield _panel(study, table, Kind.HUMANS, tuple(humans), np.stack([*humans.values()], 1))
        yield from _human_pairs(study, table, humans)
    for judge in rated:
        if judge.is_judge:
            yield from judge_comparisons(study, table, judge)


def _human_pairs(
    study: StudyRatings, table: Matrix, humans: Mapping[RaterColumn, Floats]
) -> Iterator[Comparison]:
    """Each two people; of many people only those who share enough items to say something."""
    least = 1 if len(humans) <= MANY_PEOPLE else FEW_PAIRS
    rated = ~np.isnan(np.stack([*humans.values()]))
    n_shared = rated.astype(np.float64) @ rated.T
    for (i, (first, x)), (j, (second, y)) in combinations(enumerate(humans.items()), 2):
        if n_shared[i, j] >= least:
            yield _pair(study, table, Kind.HUMAN_PAIR, (first, second), x, y)


def judge_comparisons(
    study: StudyRatings, table: Matrix, judge: RaterColumn
) -> Iterator[Comparison]:
    """One judge with people together and each alone, with gold, and with itself."""
    humans = {
        rater: given
        for rater in table.raters
        if not rater.is_judge and _any(given := table.of(rater))
    }
    values = table.of(judge)
    others = matrices.of_other_generators(study, judge)
    measured = np.where(others, values, np.nan)
    if humans:
        yield replace(
            _pooled(study, table, judge, measured, humans),
            own_left_out=_own(values, others, np.stack([*humans.values()])),
        )
    if len(humans) > 1:
        for human, given in humans.items():
            pair = _pair(study, table, Kind.JUDGE_HUMAN, (human, judge), given, measured)
            yield replace(pair, own_left_out=_own(values, others, given[None]))
    if _any(table.gold):
        against = _pair(study, table, Kind.JUDGE_GOLD, (judge,), table.gold, measured)
        yield replace(
            against,
            estimates={**against.estimates, **_accuracy(study, table, measured)},
            own_left_out=_own(values, others, table.gold[None]),
        )
    if not study.is_group(table.key):
        again = matrices.repeats(study, table.key, judge, view=table.view)
        if again.shape[1] > 1:
            yield _panel(study, table, Kind.JUDGE_REPEATS, (judge,), again)


def _own(values: Floats, others: npt.NDArray[np.bool_], references: Floats) -> int:
    """How many items with both values are left out as the judge's own."""
    return int((~others & ~np.isnan(values) & ~np.isnan(references).all(axis=0)).sum())


def _panel(
    study: StudyRatings,
    table: Matrix,
    kind: Kind,
    raters: tuple[RaterColumn, ...],
    values: Floats,
    only: Collection[str] | None = None,
) -> Comparison:
    found = remembered(
        _panel_estimates,
        values,
        study.clusters,
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or _suited(study, table).panel),
    )
    return Comparison(
        criterion=table.key,
        kind=kind,
        raters=tuple(rater.id for rater in raters),
        estimates=found,
    )


def _pair(
    study: StudyRatings,
    table: Matrix,
    kind: Kind,
    raters: tuple[RaterColumn, ...],
    x: Floats,
    y: Floats,
    only: Collection[str] | None = None,
) -> Comparison:
    found, counts = remembered(
        _pair_estimates,
        x,
        y,
        study.clusters,
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or _suited(study, table).pair),
    )
    return _of_pair(study, table, kind, raters, found, counts)


def _pooled(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    values: Floats,
    humans: Mapping[RaterColumn, Floats],
    only: Collection[str] | None = None,
) -> Comparison:
    """The judge with every person: all pairs of ratings in one table, clustered by dialogue."""
    if len(humans) == 1:
        ((human, given),) = humans.items()
        return _pair(study, table, Kind.JUDGE_HUMANS, (human, judge), given, values, only)
    found, counts = remembered(
        _pooled_estimates,
        np.stack([*humans.values()]),
        values,
        study.dialogues,
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or _suited(study, table).pair),
    )
    return _of_pair(study, table, Kind.JUDGE_HUMANS, (*humans, judge), found, counts)


def _panel_estimates(values: Floats, clusters: Ints | None, **options: Any) -> dict[str, Estimate]:
    return many_raters(values, clusters=clusters, **options)


def _pair_estimates(
    x: Floats, y: Floats, clusters: Ints | None, *, points: tuple[float, ...], **options: Any
) -> tuple[dict[str, Estimate], Floats]:
    """The estimates of two raters, and how often each rated what."""
    found = two_raters(x, y, clusters=clusters, points=points, **options)
    return found, pairs.counts(x, y, points_of(points))


def _pooled_estimates(
    humans: Floats, judge: Floats, dialogues: Ints, *, points: tuple[float, ...], **options: Any
) -> tuple[dict[str, Estimate], Floats]:
    """The estimates of a judge with all people (h, n), each item counted once."""
    scale = points_of(points)
    numbers, size = numbered(dialogues, judge.size)
    every = (np.tile(judge, len(humans)), np.tile(numbers, len(humans)))
    tables = pairs.cluster_counts(humans.ravel(), every[0], scale, every[1], size)
    found = two_raters_of_tables(tables, points=scale, **options)
    both = int((~np.isnan(judge) & ~np.isnan(humans).all(axis=0)).sum())
    distinct = {name: replace(one, n_items=both) for name, one in found.items()}
    return distinct, tables.sum(axis=0)


def _of_pair(
    study: StudyRatings,
    table: Matrix,
    kind: Kind,
    raters: tuple[RaterColumn, ...],
    found: Mapping[str, Estimate],
    counts: Floats,
) -> Comparison:
    return Comparison(
        criterion=table.key,
        kind=kind,
        raters=tuple(rater.id for rater in raters),
        estimates=found,
        table=None if study.is_group(table.key) else tuple(tuple(map(int, row)) for row in counts),
    )


def _suited(study: StudyRatings, table: Matrix) -> Suited:
    return suited(table.measurement, is_group=study.is_group(table.key))


def _accuracy(study: StudyRatings, table: Matrix, values: Floats) -> dict[str, Estimate]:
    wanted = _suited(study, table).gold
    if not wanted:
        return {}
    against = accuracy(values, table.gold, clusters=study.clusters, points=table.points)
    return {name: against.overall[name] for name in wanted}


def system_comparisons(study: StudyRatings, table: Matrix) -> Iterator[SystemComparison]:
    """Each judge against the mean of people, where items have generators and values are scores."""
    named = study.generators != ""
    if table.measurement is Measurement.NOMINAL or np.unique(study.generators[named]).size < 2:
        return
    humans = table.mean_of_people()
    if not _any(humans):
        return
    for judge in study.judges:
        keep = matrices.of_other_generators(study, judge) & named
        values = np.where(keep, table.of(judge), np.nan)
        if not _any(values + humans):
            continue
        level = system_level(humans, values, study.generators)
        yield SystemComparison(
            criterion=table.key,
            judge=judge.id,
            systems=level.systems,
            means=tuple((float(people), float(judge_s)) for people, judge_s in level.means),
            n_pairs=tuple(map(int, level.n_pairs)),
            estimates=level.estimates,
            without=level.without,
        )


def _any(values: Floats) -> bool:
    return not bool(np.isnan(values).all())


PART = Part(key="agreement", kind=Report, make=report)
