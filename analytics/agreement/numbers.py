"""Agreement: every figure of a study at one revision, at item and at system level."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from itertools import chain, combinations, permutations, zip_longest
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.utils.translation import gettext as _

from accounts.punctuation import listed
from analytics.figures.memo import remembered, remembered_by_turns, remembered_each
from analytics.figures.part import Apart, Part, PartReport
from analytics.measures import Suited, suited
from analytics.ratings import matrices
from analytics.ratings.columns import ColumnPlace
from analytics.ratings.matrices import JudgeRuns, Matrix, RaterColumn, StudyRatings, Tally, View
from analytics.stats import components, pairs
from analytics.stats.agreement import many_raters, two_raters, two_raters_of_tables
from analytics.stats.alternative import Alignment, Domain, Panel, alternative_test
from analytics.stats.ceiling import UnderCeiling, ceiling
from analytics.stats.cells import FEW_PAIRS, numbered
from analytics.stats.constant import ConstantJudge, best_by_statistic
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.runs import LEAST_RUNS, mean_agreement, mean_agreements
from analytics.stats.scales import Floats, Ints, points_of
from analytics.stats.scales import Measurement as MeasurementName
from analytics.stats.severity import BlandAltman
from analytics.stats.systems import system_level
from annotation.rubric.schema import Group, Measurement, Scored, Summary, Text

_LIBRARIES = ("numpy", "scipy", "pandas")
_OF_CEILING = ("icc_a1", "icc_c1", "mae", "kappa", "ac1", "exact")
EPSILON_FOR_EXPERTS = 0.2
MANY_PEOPLE = 12
MOST_ALONE = 400  # comparisons of two single raters, a criterion: nobody reads, or waits for, more

Figures: TypeAlias = Mapping[str, Estimate]
PairFigures: TypeAlias = tuple[dict[str, Estimate], Floats]
"""What two raters come to, and how often each rated what."""
S = TypeVar("S", bound=np.generic)


class Kind(StrEnum):
    """Who is compared with whom."""

    HUMANS = "humans"
    HUMAN_PAIR = "human_pair"
    JUDGE_HUMANS = "judge_humans"
    JUDGE_HUMAN = "judge_human"
    JUDGE_GOLD = "judge_gold"
    JUDGE_REPEATS = "judge_repeats"


SINGLE = (Kind.HUMAN_PAIR, Kind.JUDGE_HUMAN)
WITH_JUDGE = (Kind.JUDGE_HUMANS, Kind.JUDGE_HUMAN, Kind.JUDGE_GOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Figures of one criterion at item level: each rated item is a point.

    `raters`: ids; of a pair with a judge the judge comes last, so bias is judge less human.
    Of a judge that was run several times figures are means over its runs.
    `table`: counts with the first rater (people, gold) in the rows, of the judge's first run; None
    for a panel and for the mean or sum of several criteria.
    `own_left_out`: items left out because the judge's own family wrote them.
    """

    criterion: str
    kind: Kind
    raters: tuple[int, ...]
    estimates: Mapping[str, Estimate]
    table: tuple[tuple[int, ...], ...] | None = None
    own_left_out: int = 0

    def made_of(self, points: Sequence[float]) -> tuple[int, ...]:
        """Of two answers, the counts that its figures give back to who solves for whole numbers; of what
        a judge answers again nobody else's."""
        if len(points) != 2 or self.kind is Kind.JUDGE_REPEATS:
            return ()
        return (*parted(self.estimates, points), *chain(*(self.table or ())))


def parted(figures: Figures, points: Sequence[float]) -> tuple[int, ...]:
    """How often two raters with two answers part, one way and the other: exact agreement and bias
    together tell it, exact agreement alone how often in all."""
    exact, bias = figures.get("exact"), figures.get("bias")
    if exact is None or exact.value is None:
        return ()
    apart = (1 - exact.value) * exact.n_pairs
    if bias is None or bias.value is None:
        return (round(apart),)
    more = bias.value * bias.n_pairs / (points[1] - points[0])
    return round((apart + more) / 2), round((apart - more) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class StrawMen:
    """{statistic: the judge that says the same of every item and comes to most} on a criterion,
    beside gold or people, on every item that these tell of."""

    criterion: str
    is_gold: bool
    best: Mapping[str, ConstantJudge]


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
    told = {key: _suited(study, table) for key, table in tables.items()}
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
            for comparison in _comparisons(study, table, told[key], with_pairs=not is_brief)
        ),
        straw_men=tuple(
            straw_men(study, table, is_gold=is_gold, only=_of_judges(told[key], is_gold=is_gold))
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


def ratings_of_runs(study: StudyRatings, table: Matrix, comparison: Comparison) -> list[Floats]:
    """What `ratings_behind` gives, for each run of a judge beside others: figures are their mean."""
    if comparison.kind not in WITH_JUDGE:
        return [ratings_behind(study, table, comparison)]
    judge = next(rater for rater in table.raters if rater.id == comparison.raters[-1])
    runs = matrices.runs(study, table, judge).values.T
    return [ratings_behind(study, table, comparison, said=said) for said in runs]


def ratings_behind(
    study: StudyRatings, table: Matrix, comparison: Comparison, *, said: Floats | None = None
) -> Floats:
    """The ratings (n, k) that a comparison was computed from, a column a rater.

    Gold is the first column of a comparison with gold; of a judge beside itself every repeat is
    one, beside others what the first of its runs gave that count, or `said` (n,).
    Items with fewer than two values are NaN throughout, as are those of the judge's own family.
    """
    raters = {rater.id: rater for rater in table.raters}
    chosen = [raters[one] for one in comparison.raters]
    if comparison.kind is Kind.JUDGE_REPEATS:
        values = matrices.repeats(study, table.key, chosen[0], view=table.view)
    else:
        values = np.stack([table.of(rater) for rater in chosen], axis=1)
    if comparison.kind in WITH_JUDGE:
        first = matrices.runs(study, table, chosen[-1]).first
        values[:, -1] = first if said is None else said
    if comparison.kind is Kind.JUDGE_GOLD:
        values = np.column_stack([table.gold, values])
    used = (~np.isnan(values)).sum(axis=1) >= 2
    if comparison.kind in WITH_JUDGE:
        used &= ~np.isnan(values[:, -1])
        used &= matrices.of_other_generators(study, chosen[-1])
    return np.where(used[:, None], values, np.nan)


def of_runs(
    study: StudyRatings, table: Matrix, comparison: Comparison, only: Collection[str]
) -> Mapping[str, Estimate] | None:
    """Some statistics of a judge that was run several times; None of one run, or of people."""
    if comparison.kind not in WITH_JUDGE:
        return None
    raters = {rater.id: rater for rater in table.raters}
    *others, judge = (raters[one] for one in comparison.raters)
    if matrices.runs(study, table, judge).values.shape[1] == 1:
        return None
    if comparison.kind is Kind.JUDGE_GOLD:
        return _beside(study, table, comparison.kind, (judge,), table.gold, only).estimates
    humans = {human: table.of(human) for human in others}
    return _pooled(study, table, judge, humans, only).estimates


def said_of_runs(
    study: StudyRatings, table: Matrix, comparison: Comparison, found: Mapping[str, Estimate]
) -> Mapping[str, Estimate]:
    """The figures, with what their intervals leave out of a judge's runs."""
    if comparison.kind not in WITH_JUDGE:
        return found
    judge = next(rater for rater in table.raters if rater.id == comparison.raters[-1])
    return with_notes_on(matrices.runs(study, table, judge), found)


def around_bias(
    study: StudyRatings, plot: BlandAltman, comparison: Comparison
) -> dict[str, Estimate]:
    """What a plot tells around the bias of the comparison; where that is weighted, which the plot is
    not, around its own."""
    if study.weights is not None:
        return plot.estimates
    return plot.estimates | {"bias": comparison.estimates["bias"]}


def system_means(study: StudyRatings, table: Matrix, line: SystemComparison) -> Floats:
    """The means (generators, 2) of people and the judge that a system-level line rests on."""
    judge = next(rater for rater in table.raters if rater.id == line.judge)
    runs = matrices.runs(study, table, judge).values
    level = system_level(table.mean_of_people(), runs, study.generators)
    return level.means[np.isin(level.systems, line.systems)]


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


def summaries(study: StudyRatings, table: Matrix, *, only: Collection[str]) -> Iterator[Comparison]:
    """People among themselves and each judge with people: `only` some statistics of each."""
    humans = table.by_person
    if len(humans) > 1:
        yield _people(study, table, only)
    for judge in study.judges:
        if humans and _any(matrices.measured(study, table, judge)):
            yield _pooled(study, table, judge, humans, only)


def with_each_other(study: StudyRatings, table: Matrix, *, only: Collection[str]) -> Figures:
    """People with people: all pairs of ratings of an item, as `with_people` takes those of a judge.

    Each pair counts in either order, so that who is named first says nothing; a difference in level
    between people is disagreement. Empty where no item was rated by two.
    """
    people = [*table.by_person.values()]
    if len(people) < 2:
        return {}
    pairs_of = list(permutations(people, 2))
    found, _counts = _pairs_together(
        np.concatenate([first for first, _second in pairs_of]),
        np.concatenate([second for _first, second in pairs_of]),
        np.tile(study.dialogues, len(pairs_of)),
        None if study.weights is None else np.tile(study.weights, len(pairs_of)),
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only),
    )
    both = int(((~np.isnan(np.stack(people))).sum(axis=0) > 1).sum())
    return {
        name: replace(one, n_items=both, n_pairs=one.n_pairs // 2, n_raters=len(people))
        for name, one in found.items()
    }


def straw_men(
    study: StudyRatings, table: Matrix, *, is_gold: bool, only: Collection[str] | None = None
) -> StrawMen:
    """Judges that say the same of every item, held to what a real one is held to; `only` by some
    statistics."""
    statistics = tuple(only or _of_judges(_suited(study, table), is_gold=is_gold))
    rated = table.gold[~np.isnan(table.gold)] if is_gold else table.given_by_people.values
    found: tuple[ConstantJudge, ...] = ()
    if rated.size:
        near = (_nearest(table.points, rated.mean()),)
        points = near if study.is_group(table.key) else table.points
        found = tuple(
            ConstantJudge(
                says=point,
                estimates=_of_constant(study, table, point, statistics, is_gold=is_gold),
            )
            for point in points
        )
    return StrawMen(criterion=table.key, is_gold=is_gold, best=best_by_statistic(found, statistics))


def _of_constant(
    study: StudyRatings,
    table: Matrix,
    point: float,
    statistics: tuple[str, ...],
    *,
    is_gold: bool,
) -> Mapping[str, Estimate]:
    """What a judge that always says `point` comes to against gold or these people."""
    place = (table.view, table.key, "straw man", is_gold, point)
    options = {
        "points": table.points,
        "measurement": table.measurement.value,
        "only": statistics,
    }
    if is_gold or len(table.people) == 1:
        reference = table.gold if is_gold else table.of(table.people[0])
        items = np.flatnonzero(~np.isnan(reference))
        (found, _counts), is_earlier = remembered_by_turns(
            place,
            _runs_estimates,
            reference[items],
            np.full((items.size, 1), point),
            _at(items, study.clusters),
            _at(items, study.weights),
            **options,
        )
    else:
        given, items = table.given_by_people
        (found, _counts), is_earlier = remembered_by_turns(
            place,
            _pooled_with_one,
            np.full((items.size, 1), point),
            given,
            study.dialogues[items],
            items,
            _at(items, study.weights),
            **options,
        )
    return as_earlier(found) if is_earlier else found


def _of_judges(told: Suited, *, is_gold: bool) -> tuple[str, ...]:
    """The statistics of a judge beside gold or people."""
    return (*told.gold, *told.pair) if is_gold else told.pair


def _nearest(points: tuple[float, ...], value: float) -> float:
    return min(points, key=lambda point: abs(point - value))


def _pairs_together(
    x: Floats,
    y: Floats,
    clusters: Ints,
    weights: Floats | None,
    *,
    points: tuple[float, ...],
    **options: Any,
) -> tuple[dict[str, Estimate], Floats]:
    """The estimates of all pairs (m,) in one table, and the table."""
    scale = points_of(points)
    if weights is not None:
        return _pair_estimates(x, y, clusters, weights, points=points, **options)
    numbers, size = numbered(clusters, x.size)
    tables = pairs.cluster_counts(x, y, scale, numbers, size)
    return two_raters_of_tables(tables, points=scale, **options), tables.sum(axis=0)


def _comparisons(
    study: StudyRatings, table: Matrix, told: Suited, *, with_pairs: bool
) -> Iterator[Comparison]:
    """In the order of `Kind`, one judge after the other."""
    humans = table.by_person
    if len(humans) > 1:
        yield _people(study, table, told.panel)
        if with_pairs:
            yield from _human_pairs(study, table, humans)
    judges = [judge for judge in table.raters if judge.is_judge and _any(table.of(judge))]
    pooled = _pooled_each(study, table, judges, humans, told.pair) if humans else ()
    for judge, beside_people in zip_longest(judges, pooled):
        together = judge_comparisons(study, table, judge, told, beside_people)
        alone = with_each_person(study, table, judge) if with_pairs else ()
        yield from sorted((*together, *alone), key=lambda one: [*Kind].index(one.kind))


def as_made(report: Report, of_criterion: Iterable[Comparison]) -> list[Comparison]:
    """Comparisons of a criterion, of which single raters came apart, in the order of the whole."""
    places = {rater.id: place for place, rater in enumerate(report.raters, start=1)}

    def place(one: Comparison) -> tuple[int, int]:
        of_people = one.kind in (Kind.HUMANS, Kind.HUMAN_PAIR)
        return 0 if of_people else places[one.raters[-1]], [*Kind].index(one.kind)

    return sorted(of_criterion, key=place)


def _human_pairs(
    study: StudyRatings, table: Matrix, humans: Mapping[RaterColumn, Floats]
) -> Iterator[Comparison]:
    """Each two people; of many people only those who share enough items to say something, and of
    many such pairs those who share most."""
    least = 1 if len(humans) <= MANY_PEOPLE else FEW_PAIRS
    rated = ~np.isnan(np.stack([*humans.values()]))
    n_shared = rated.astype(np.float64) @ rated.T
    pairs_found = [
        (i, j) for i, j in combinations(range(len(humans)), 2) if n_shared[i, j] >= least
    ]
    most = sorted(pairs_found, key=lambda pair: -n_shared[pair])[:MOST_ALONE]
    people = [*humans.items()]
    for i, j in sorted(most):
        (first, x), (second, y) = people[i], people[j]
        yield _pair(study, table, Kind.HUMAN_PAIR, (first, second), x, y)


def judge_comparisons(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    told: Suited | None = None,
    pooled: Comparison | None = None,
) -> Iterator[Comparison]:
    """One judge with people together (`pooled`, where that is known), with gold, and with itself:
    what suits, or what is `told`."""
    told = told or _suited(study, table)
    humans = table.by_person
    values = table.of(judge)
    others = matrices.of_other_generators(study, judge)
    if humans:
        yield replace(
            pooled or _pooled(study, table, judge, humans, told.pair),
            own_left_out=_own(values, others, table.rated_by_people),
        )
    if _any(table.gold):
        wanted = (*told.pair, *told.gold)
        against = _beside(study, table, Kind.JUDGE_GOLD, (judge,), table.gold, wanted)
        yield replace(against, own_left_out=_own(values, others, ~np.isnan(table.gold)))
    if not study.is_group(table.key) and matrices.times_asked(study, table.key, judge) > 1:
        again = matrices.repeats(study, table.key, judge, view=table.view)
        yield _again(study, table, judge, again, told.panel)


def people_beside(n_judges: int) -> int:
    """With how many single people each of so many judges is compared at most."""
    return max(1, MOST_ALONE // max(1, n_judges))


def with_each_person(
    study: StudyRatings, table: Matrix, judge: RaterColumn
) -> Iterator[Comparison]:
    """One judge with each person alone, where there are several; of many people only with those
    with whom it shares most items."""
    humans = table.by_person
    if len(humans) < 2:
        return
    values = table.of(judge)
    others = matrices.of_other_generators(study, judge)
    rated = ~np.isnan(values)
    most = sorted(humans, key=lambda human: -int((rated & ~np.isnan(humans[human])).sum()))
    chosen = set(most[: people_beside(len(study.judges))])
    for human, given in humans.items():
        if human not in chosen:
            continue
        pair = _beside(study, table, Kind.JUDGE_HUMAN, (human, judge), given)
        yield replace(pair, own_left_out=_own(values, others, ~np.isnan(given)))


def _own(values: Floats, others: npt.NDArray[np.bool_], rated: npt.NDArray[np.bool_]) -> int:
    """How many items that are rated by the judge as well are left out as its own."""
    return int((~others & rated & ~np.isnan(values)).sum())


def _people(study: StudyRatings, table: Matrix, only: Collection[str]) -> Comparison:
    """People among themselves, by the items that some of them rated: few of many, at first."""
    items = np.flatnonzero(table.rated_by_people)
    values = np.stack([given[items] for given in table.by_person.values()], axis=1)
    return _panel(study, table, Kind.HUMANS, table.people, values, items, only)


def _again(
    study: StudyRatings, table: Matrix, judge: RaterColumn, values: Floats, only: Collection[str]
) -> Comparison:
    """A judge with itself."""
    items = np.flatnonzero(~np.isnan(values).all(axis=1))
    kind = Kind.JUDGE_REPEATS
    return _panel(study, table, kind, (judge,), values[items], items, only)


def _panel(
    study: StudyRatings,
    table: Matrix,
    kind: Kind,
    raters: tuple[RaterColumn, ...],
    values: Floats,
    items: Ints,
    only: Collection[str],
) -> Comparison:
    """What the items at these places, (m,), were given, (m, r)."""
    clusters = _at(items, study.clusters)
    found = remembered(
        _panel_estimates,
        values,
        clusters,
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(name for name in only if name not in components.FORMS),
    )
    rotating = set(components.FORMS).intersection(only)
    if rotating and table.measurement is not Measurement.NOMINAL and components.rotates(values):
        who = raters[0].id if kind is Kind.JUDGE_REPEATS else 0
        fitted, is_earlier = remembered_by_turns(
            (table.view, table.key, kind, who), _rotating, values, clusters
        )
        found = found | {name: fitted[name] for name in components.FORMS if name in rotating}
        if is_earlier:
            found |= as_earlier({name: found[name] for name in rotating})
    return Comparison(
        criterion=table.key,
        kind=kind,
        raters=tuple(rater.id for rater in raters),
        estimates=found,
    )


def as_earlier(found: Figures) -> dict[str, Estimate]:
    """Figures that say that they are from earlier ratings than those beside them."""
    return {
        name: replace(one, notes=in_order({*one.notes, Note.EARLIER}))
        for name, one in found.items()
    }


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
        study.weights,
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or _suited(study, table).pair),
    )
    return _of_pair(study, table, kind, raters, found, counts)


def _beside(
    study: StudyRatings,
    table: Matrix,
    kind: Kind,
    raters: tuple[RaterColumn, ...],
    reference: Floats,
    only: Collection[str] | None = None,
) -> Comparison:
    """The runs of the judge, who is the last of the raters, with one person or gold."""
    runs = matrices.runs(study, table, raters[-1])
    items = np.flatnonzero(~np.isnan(reference))
    found, counts = remembered(
        _runs_estimates,
        reference[items],
        runs.values[items],
        _at(items, study.clusters),
        _at(items, study.weights),
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or _suited(study, table).pair),
    )
    return _of_pair(study, table, kind, raters, with_notes_on(runs, found), counts)


def _pooled(
    study: StudyRatings,
    table: Matrix,
    judge: RaterColumn,
    humans: Mapping[RaterColumn, Floats],
    only: Collection[str] | None = None,
) -> Comparison:
    """The judge with every person: all pairs of ratings in one table, clustered by dialogue."""
    [found] = _pooled_each(study, table, [judge], humans, only)
    return found


def _pooled_each(
    study: StudyRatings,
    table: Matrix,
    judges: Sequence[RaterColumn],
    humans: Mapping[RaterColumn, Floats],
    only: Collection[str] | None = None,
) -> list[Comparison]:
    """The same of several judges."""
    kind = Kind.JUDGE_HUMANS
    if len(humans) == 1:
        ((human, given),) = humans.items()
        return [_beside(study, table, kind, (human, judge), given, only) for judge in judges]
    runs = [matrices.runs(study, table, judge) for judge in judges]
    given, items = table.given_by_people
    found = remembered_each(
        _pooled_estimates,
        [one.values[items] for one in runs],
        given,
        study.dialogues[items],
        items,
        _at(items, study.weights),
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or _suited(study, table).pair),
    )
    return [
        _of_pair(study, table, kind, (*humans, judge), with_notes_on(theirs, figures), counts)
        for judge, theirs, (figures, counts) in zip(judges, runs, found, strict=True)
    ]


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
        only=_OF_CEILING,
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


def _panel_estimates(values: Floats, clusters: Ints | None, **options: Any) -> dict[str, Estimate]:
    return many_raters(values, clusters=clusters, **options)


def _rotating(values: Floats, clusters: Ints | None) -> dict[str, Estimate]:
    return components.rotating_panel(values, clusters=clusters)


def _pair_estimates(
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


def _runs_estimates(
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


def _pooled_with_one(runs: Floats, *shared: Any, **options: Any) -> PairFigures:
    [found] = _pooled_estimates([runs], *shared, **options)
    return found


def _pooled_estimates(
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
    """As `_runs_estimates`, the runs of each judge beside what all people have `given` (m,) to `items`
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


def system_comparisons(study: StudyRatings, table: Matrix) -> Iterator[SystemComparison]:
    """Each judge against the mean of people, where items have generators and values are scores."""
    named = study.generators != ""
    if table.measurement is Measurement.NOMINAL or np.unique(study.generators[named]).size < 2:
        return
    humans = table.mean_of_people()
    if not _any(humans):
        return
    for judge in study.judges:
        runs = matrices.runs(study, table, judge)
        values = np.where(named[:, None], runs.values, np.nan)
        if not _any(values + humans[:, None]):
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


def _any(values: Floats) -> bool:
    return not bool(np.isnan(values).all())


def _at(items: Ints, values: npt.NDArray[S] | None) -> npt.NDArray[S] | None:
    """What is known of every item, (n,), of those at these places, if anything is known."""
    return None if values is None else values[items]


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
