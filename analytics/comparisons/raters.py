"""People among themselves and judges with people, with gold and with themselves."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.comparisons.estimating import (
    as_earlier,
    at_items,
    has_any,
    pair_estimates,
    panel_estimates,
    pooled_estimates,
    rotating_estimates,
    runs_estimates,
    suited_to,
    with_notes_on,
)
from analytics.comparisons.kinds import Comparison, Figures, Kind
from analytics.figures.memo import remembered, remembered_by_turns, remembered_each
from analytics.measures import Suited
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings
from analytics.stats import components, pairs
from analytics.stats.agreement import two_raters_of_tables
from analytics.stats.cells import FEW_PAIRS, numbered
from analytics.stats.estimates import Estimate
from analytics.stats.scales import Floats, Ints, points_of
from annotation.rubric.schema import Measurement

MANY_PEOPLE = 12
MOST_ALONE = 400  # comparisons of two single raters, a criterion: nobody reads, or waits for, more


def summaries(study: StudyRatings, table: Matrix, *, only: Collection[str]) -> Iterator[Comparison]:
    """People among themselves and each judge with people: `only` some statistics of each."""
    humans = table.by_person
    if len(humans) > 1:
        yield _people(study, table, only)
    for judge in study.judges:
        if humans and has_any(matrices.measured(study, table, judge)):
            yield with_people(study, table, judge, humans, only)


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
        return pair_estimates(x, y, clusters, weights, points=points, **options)
    numbers, size = numbered(clusters, x.size)
    tables = pairs.cluster_counts(x, y, scale, numbers, size)
    return two_raters_of_tables(tables, points=scale, **options), tables.sum(axis=0)


def all_comparisons(
    study: StudyRatings, table: Matrix, told: Suited, *, with_pairs: bool
) -> Iterator[Comparison]:
    """In the order of `Kind`, one judge after the other."""
    humans = table.by_person
    if len(humans) > 1:
        yield _people(study, table, told.panel)
        if with_pairs:
            yield from _human_pairs(study, table, humans)
    judges = [judge for judge in table.raters if judge.is_judge and has_any(table.of(judge))]
    pooled = _pooled_each(study, table, judges, humans, told.pair) if humans else ()
    for judge, beside_people in zip_longest(judges, pooled):
        together = judge_comparisons(study, table, judge, told, beside_people)
        alone = with_each_person(study, table, judge) if with_pairs else ()
        yield from sorted((*together, *alone), key=lambda one: [*Kind].index(one.kind))


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
    told = told or suited_to(study, table)
    humans = table.by_person
    values = table.of(judge)
    others = matrices.of_other_generators(study, judge)
    if humans:
        yield replace(
            pooled or with_people(study, table, judge, humans, told.pair),
            own_left_out=_own(values, others, table.rated_by_people),
        )
    if has_any(table.gold):
        wanted = (*told.pair, *told.gold)
        against = beside(study, table, Kind.JUDGE_GOLD, (judge,), table.gold, wanted)
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
        pair = beside(study, table, Kind.JUDGE_HUMAN, (human, judge), given)
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
    clusters = at_items(items, study.clusters)
    found = remembered(
        panel_estimates,
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
            (table.view, table.key, kind, who), rotating_estimates, values, clusters
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
        pair_estimates,
        x,
        y,
        study.clusters,
        study.weights,
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or suited_to(study, table).pair),
    )
    return _of_pair(study, table, kind, raters, found, counts)


def beside(
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
        runs_estimates,
        reference[items],
        runs.values[items],
        at_items(items, study.clusters),
        at_items(items, study.weights),
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or suited_to(study, table).pair),
    )
    return _of_pair(study, table, kind, raters, with_notes_on(runs, found), counts)


def with_people(
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
        return [beside(study, table, kind, (human, judge), given, only) for judge in judges]
    runs = [matrices.runs(study, table, judge) for judge in judges]
    given, items = table.given_by_people
    found = remembered_each(
        pooled_estimates,
        [one.values[items] for one in runs],
        given,
        study.dialogues[items],
        items,
        at_items(items, study.weights),
        points=table.points,
        measurement=table.measurement.value,
        only=tuple(only or suited_to(study, table).pair),
    )
    return [
        _of_pair(study, table, kind, (*humans, judge), with_notes_on(theirs, figures), counts)
        for judge, theirs, (figures, counts) in zip(judges, runs, found, strict=True)
    ]


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
