"""Raters: severity beside the others, their course over weeks, hidden repeats, and every pair.

A number needs enough items; below that only their count is kept. Nobody is ranked.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import combinations

import numpy as np

from analytics.agreement.numbers import CriterionLine, RaterLine, criterion_line, rater_line
from analytics.figures.part import Part, PartReport
from analytics.frames import pd
from analytics.latent import numbers as latent
from analytics.latent.numbers import LatentFit
from analytics.measures import suited
from analytics.ratings import history as occasions
from analytics.ratings import matrices
from analytics.ratings.grounds import Beside
from analytics.ratings.grounds import beside as said_beside
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.stats import raters as stats
from analytics.stats.agreement import two_raters
from analytics.stats.defensible import same_or_defensible
from analytics.stats.estimates import Estimate
from analytics.stats.raters import Trend
from analytics.stats.scales import Floats, Ints, ratio
from annotation.rubric.grounds import CONFIDENCES
from annotation.rubric.schema import Measurement

LEAST_ITEMS = 20
LEAST_A_WEEK = 10
LEAST_AGAIN = 10
MOST_IN_MATRIX = 24
EVERY_CRITERION = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """One week of a person: the mean of the week where it has enough items."""

    monday: date
    n_items: int
    value: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLine:
    """One person on one criterion, over the `n_items` that one of `n_others` rated too.

    `severity`: the mean of the person's ratings less the others', `mse` that of its square, None for
    labels; `same`: how
    often another gave the same, None for the mean or sum of several criteria. Both None where
    there are too few items. `weeks`, `trend`: of the severity, of labels of `same`; only of what
    was rated in rounds. `trend` is beside those who have not themselves moved.
    """

    criterion: str
    rater: int
    n_items: int
    n_others: int
    severity: Estimate | None
    mse: Estimate | None
    same: Estimate | None
    weeks: tuple[Week, ...]
    trend: Trend | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainLine:
    """What a person said when `n_items` came back unmarked, on one criterion or on every one.

    `same`: how often the same; `shift`: the second less the first, on average; `agreement`: beyond
    chance. None where there are too few, or where it does not apply.
    """

    criterion: str
    rater: int
    n_items: int
    n_answers: int
    same: Estimate | None = None
    shift: Estimate | None = None
    agreement: Estimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    """Two raters on one criterion; `agreement` and `exact` are None below `LEAST_ITEMS`.

    Where more than `MOST_IN_MATRIX` have rated there are none: nobody could look at them all.
    """

    criterion: str
    first: int
    second: int
    n_items: int
    agreement: Estimate | None = None
    exact: Estimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DefensibleLine:
    """People on a criterion, all (`rater` None) or one beside the others, over `n_items` shared ones.

    `same`: how often another gave the same; `allowed`: the same, or a value that one of the two finds
    defensible; `apart`: the latter less the former, what differs as the item allows. None where
    there are too few items.
    """

    criterion: str
    rater: int | None
    n_items: int
    same: Estimate | None = None
    allowed: Estimate | None = None
    apart: Estimate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SureLine:
    """How often another person gives the same where people are so sure; over `n_ratings`."""

    criterion: str
    confidence: int
    n_ratings: int
    same: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundsLine:
    """How often a rater said what beside `n_ratings` values, and how many words it quoted that are in
    the text (`passages`) and in none (`unverified`)."""

    criterion: str
    rater: int
    n_ratings: int
    sure: int
    defensible: int
    passages: int
    unverified: int
    rationales: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersReport(PartReport):
    """All of it. `between`: how often two people give the same, by criterion, and on every one;
    `latent`: how well they flag beside a truth that nobody knows; `defensible`, `sure`, `grounds`:
    of what was said beside values."""

    revision: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[CriterionLine, ...]
    people: tuple[PersonLine, ...]
    again: tuple[AgainLine, ...]
    pairs: tuple[PairLine, ...]
    between: Mapping[str, Estimate]
    latent: tuple[LatentFit, ...]
    defensible: tuple[DefensibleLine, ...]
    sure: tuple[SureLine, ...]
    grounds: tuple[GroundsLine, ...]


def make(study: StudyRatings, *, view: View, at: datetime) -> RatersReport:
    """Set every person beside the others on every criterion and group."""
    parts = study.rubric.scored
    tables = [*matrices.each_matrix(study, parts, view=view).values()]
    weeks = occasions.weeks(study)
    again = occasions.said_again(study, view)
    beside = {one.key: one for one in said_beside(study, tables)}
    with_grounds = [(table, beside[table.key]) for table in tables if table.key in beside]
    return RatersReport(
        view=view,
        computed_at=at,
        revision=study.revision,
        raters=tuple(rater_line(rater) for rater in study.raters),
        criteria=tuple(
            criterion_line(part, table) for part, table in zip(parts, tables, strict=True)
        ),
        people=tuple(line for table in tables for line in _people(study, table, weeks)),
        again=tuple(_again(study, {table.key: table for table in tables}, again)),
        pairs=tuple(line for table in tables for line in _pairs(study, table)),
        between=dict(_between(study, [one for one in tables if _is_exact(study, one)])),
        latent=tuple(latent.of_people(study, view=view)),
        defensible=tuple(one for both in with_grounds for one in _defensible(study, *both)),
        sure=tuple(one for both in with_grounds for one in _sure(study, *both)),
        grounds=tuple(one for both in with_grounds for one in _grounds(*both)),
    )


PART = Part(key="raters", kind=RatersReport, make=make, algorithm=2)


def _is_exact(study: StudyRatings, table: Matrix) -> bool:
    """Whether it means something that two gave the same: not of a mean or sum."""
    return not study.is_group(table.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """The (m,) items of one person that `n_others` rated too: `n_pairs` pairs of ratings.

    `followed` is what is followed over the weeks: `apart`, of labels `same`.
    """

    apart: Floats
    same: Floats
    followed: Floats
    weeks: Floats
    clusters: Ints | None
    n_pairs: int
    n_others: int

    @property
    def is_enough(self) -> bool:
        return self.apart.size >= LEAST_ITEMS


def _people(study: StudyRatings, table: Matrix, weeks: Floats) -> Iterator[PersonLine]:
    people = [place for place, rater in enumerate(table.raters) if not rater.is_judge]
    values, clusters = table.values[:, people], study.clusters
    apart, same, others = (
        of(values) for of in (stats.from_others, stats.same_as_others, stats.n_others)
    )
    rated = np.isfinite(values)
    beside = stats.from_others if _has_order(table) else stats.same_as_others
    courses = stats.courses(
        values, weeks[:, people], beside=beside, clusters=clusters, least=LEAST_ITEMS
    )
    for column in np.flatnonzero(rated.any(axis=0)).tolist():
        rows, place = np.flatnonzero(others[:, column]), people[column]
        shared = _Shared(
            apart=apart[rows, column],
            same=same[rows, column],
            followed=(apart if _has_order(table) else same)[rows, column],
            weeks=weeks[rows, place],
            clusters=None if clusters is None else clusters[rows],
            n_pairs=int(others[:, column].sum()),
            n_others=int(rated[rows].any(axis=0).sum()) - int(rows.size > 0),
        )
        yield PersonLine(
            criterion=table.key,
            rater=table.raters[place].id,
            n_items=rows.size,
            n_others=shared.n_others,
            severity=_beside(stats.mean, "severity", shared) if _has_order(table) else None,
            mse=_beside(stats.mean_square, "mse", shared) if _has_order(table) else None,
            same=_beside(stats.share, "same_as_others", shared)
            if _is_exact(study, table)
            else None,
            weeks=tuple(_weeks(shared, table)),
            trend=courses.get(column),
        )


def _has_order(table: Matrix) -> bool:
    """Whether values are more or less of something, so that somebody can be severe."""
    return table.measurement is not Measurement.NOMINAL


def _beside(of: Callable[..., Estimate], name: str, shared: _Shared) -> Estimate | None:
    """A figure of one person beside the others; None where they share too few items."""
    if not shared.is_enough:
        return None
    return of(
        shared.same if of is stats.share else shared.apart,
        name=name,
        clusters=shared.clusters,
        n_pairs=shared.n_pairs,
        n_raters=shared.n_others + 1,
    )


def _weeks(shared: _Shared, table: Matrix) -> Iterator[Week]:
    name, estimate = (
        ("severity", stats.mean) if _has_order(table) else ("same_as_others", stats.share)
    )
    for week in np.unique(shared.weeks[np.isfinite(shared.weeks)]):
        of_week = shared.weeks == week
        n_items = int(of_week.sum())
        clusters = None if shared.clusters is None else shared.clusters[of_week]
        has_value = shared.is_enough and n_items >= LEAST_A_WEEK
        yield Week(
            monday=occasions.monday(week),
            n_items=n_items,
            value=estimate(shared.followed[of_week], name=name, clusters=clusters)
            if has_value
            else None,
        )


def shared_by(table: Matrix, rater: RaterColumn) -> Ints:
    """The places of the items, (m,), that a person and somebody else rated."""
    are_rated = np.isfinite(table.of_humans())
    return np.flatnonzero(np.isfinite(table.of(rater)) & (are_rated.sum(axis=1) > 1))


def differing(table: Matrix, rater: RaterColumn) -> Ints:
    """The places of those of them, (m,), to which somebody else gave another value."""
    shared = shared_by(table, rater)
    others = table.of_humans()[shared]
    is_another = np.isfinite(others) & (others != table.of(rater)[shared, None])
    return np.asarray(shared[is_another.any(axis=1)])


def behind_week(study: StudyRatings, table: Matrix, rater: RaterColumn, monday: date) -> Ints:
    """The places of the items, (m,), that a week of a person tells of; none where it has no value."""
    weeks = occasions.weeks(study)[:, table.raters.index(rater)]
    shared = shared_by(table, rater)
    of_week = np.asarray(shared[weeks[shared] == occasions.week_of(monday)])
    is_told = shared.size >= LEAST_ITEMS and of_week.size >= LEAST_A_WEEK
    return of_week if is_told else np.empty(0, dtype=np.int64)


def _defensible(study: StudyRatings, table: Matrix, beside: Beside) -> Iterator[DefensibleLine]:
    """Where anybody found anything else defensible: all people, then each."""
    people = [place for place, rater in enumerate(table.raters) if not rater.is_judge]
    values, admitted = table.values[:, people], beside.defensible[:, people]
    if not admitted.any():
        return
    same = stats.same_as_others(values)
    allowed = same_or_defensible(values, admitted, table.points)
    n = stats.n_others(values)
    of_items = [
        ratio(np.nansum(found * n, axis=1), n.sum(axis=1).astype(np.float64))
        for found in (same, allowed)
    ]
    yield _allowed(study, table.key, None, *of_items)
    for column, place in enumerate(people):
        if np.isfinite(same[:, column]).any():
            rater = table.raters[place].id
            yield _allowed(study, table.key, rater, same[:, column], allowed[:, column])


def _allowed(
    study: StudyRatings, criterion: str, rater: int | None, same: Floats, allowed: Floats
) -> DefensibleLine:
    n_items = int(np.isfinite(same).sum())
    line = DefensibleLine(criterion=criterion, rater=rater, n_items=n_items)
    if n_items < LEAST_ITEMS:
        return line
    clusters = study.clusters
    return replace(
        line,
        same=stats.share(same, name="same_as_others", clusters=clusters),
        allowed=stats.share(allowed, name="same_or_defensible", clusters=clusters),
        apart=stats.share(allowed - same, name="told_apart", clusters=clusters),
    )


def _sure(study: StudyRatings, table: Matrix, beside: Beside) -> Iterator[SureLine]:
    people = [place for place, rater in enumerate(table.raters) if not rater.is_judge]
    same, sure = stats.same_as_others(table.values[:, people]), beside.confidence[:, people]
    for level in CONFIDENCES:
        items, _raters = np.nonzero((sure == level) & np.isfinite(same))
        found = same[(sure == level) & np.isfinite(same)]
        if found.size:
            owners, n_items = study.dialogues[items], int(np.unique(items).size)
            shared = stats.share(found, name="same_as_others", clusters=owners)
            yield SureLine(
                criterion=table.key,
                confidence=level,
                n_ratings=found.size,
                same=replace(shared, n_items=n_items) if n_items >= LEAST_ITEMS else None,
            )


def _grounds(table: Matrix, beside: Beside) -> Iterator[GroundsLine]:
    for place, rater in enumerate(table.raters):
        counts = {
            "sure": np.isfinite(beside.confidence[:, place]).sum(),
            "defensible": beside.defensible[:, place].any(axis=1).sum(),
            "passages": beside.passages[:, place].sum(),
            "unverified": beside.unverified[:, place].sum(),
            "rationales": beside.rationales[:, place].sum(),
        }
        if any(counts.values()):
            yield GroundsLine(
                criterion=table.key,
                rater=rater.id,
                n_ratings=int(np.isfinite(table.values[:, place]).sum()),
                **{name: int(found) for name, found in counts.items()},
            )


def _again(
    study: StudyRatings, tables: Mapping[str, Matrix], given: "pd.DataFrame"
) -> Iterator[AgainLine]:
    for rater in study.humans:
        of_rater = given[given["rater"] == rater.id]
        if len(of_rater):
            yield _said_again(study, rater, None, of_rater)
        for criterion in study.rubric.criteria:
            of_criterion = of_rater[of_rater["criterion"] == criterion.key]
            if len(of_criterion):
                yield _said_again(study, rater, tables[criterion.key], of_criterion)


def _said_again(
    study: StudyRatings, rater: RaterColumn, table: Matrix | None, given: "pd.DataFrame"
) -> AgainLine:
    first, again = given["first"].to_numpy(np.float64), given["again"].to_numpy(np.float64)
    items = given["item"].to_numpy(np.int64)
    line = AgainLine(
        criterion=table.key if table else EVERY_CRITERION,
        rater=rater.id,
        n_items=int(np.unique(items).size),
        n_answers=len(given),
    )
    if line.n_items < LEAST_AGAIN:
        return line
    # An item that came back in two rounds, or on several criteria, is one dialogue all the same.
    owners = study.dialogues[items]
    same = stats.share(
        (first == again).astype(np.float64), name="same_again", clusters=owners, n_raters=1
    )
    line = replace(line, same=replace(same, n_items=line.n_items, n_pairs=line.n_answers))
    if table is None:
        return line
    leading = _leading(study, table)
    found = two_raters(
        first,
        again,
        clusters=owners,
        points=table.points,
        measurement=table.measurement.value,
        only={leading},
    )
    if not _has_order(table):
        return replace(line, agreement=found[leading])
    shift = stats.mean(again - first, name="shift_again", clusters=owners, n_raters=1)
    return replace(line, agreement=found[leading], shift=shift)


def _pairs(study: StudyRatings, table: Matrix) -> Iterator[PairLine]:
    values = {rater: _measured(study, table, rater) for rater in table.raters}
    present = [rater for rater, given in values.items() if np.isfinite(given).any()]
    if len(present) > MOST_IN_MATRIX:
        return
    clusters, leading = study.clusters, _leading(study, table)
    for first, second in combinations(present, 2):
        both = np.isfinite(values[first]) & np.isfinite(values[second])
        line = PairLine(
            criterion=table.key, first=first.id, second=second.id, n_items=int(both.sum())
        )
        if line.n_items < LEAST_ITEMS:
            yield line
            continue
        found = two_raters(
            values[first][both],
            values[second][both],
            clusters=None if clusters is None else clusters[both],
            points=table.points,
            measurement=table.measurement.value,
            only={leading, "exact"} if _is_exact(study, table) else {leading},
        )
        yield replace(line, agreement=found[leading], exact=found.get("exact"))


def _measured(study: StudyRatings, table: Matrix, rater: RaterColumn) -> Floats:
    """What a rater gave; of a judge not what it gave its own family."""
    given = table.of(rater)
    if not rater.is_judge:
        return given
    return np.where(matrices.of_other_generators(study, rater), given, np.nan)


def _leading(study: StudyRatings, table: Matrix) -> str:
    """The statistic that heads the figures of a criterion, as between two raters."""
    found = suited(table.measurement, is_group=study.is_group(table.key))
    _of_panel, of_pair = found.families[found.leading[0]]
    return of_pair


def _between(study: StudyRatings, tables: Sequence[Matrix]) -> Iterator[tuple[str, Estimate]]:
    """Of each criterion, and of all of them together."""
    given = [table.of_humans() for table in tables]
    same = [_same_of_items(values) for values in given]
    for table, values, of_items in zip(tables, given, same, strict=True):
        yield table.key, _shared_by_pairs(of_items, [values], study.clusters)
    owners = np.tile(study.dialogues, len(same))
    found = _shared_by_pairs(np.concatenate(same), given, owners)
    n_items = int(np.isfinite(np.stack(same)).any(axis=0).sum())
    yield EVERY_CRITERION, replace(found, n_items=n_items)


def _shared_by_pairs(same: Floats, given: Sequence[Floats], clusters: Ints | None) -> Estimate:
    """The mean over items of `same`, of all pairs of people in the ratings (n, r) `given`."""
    others = [stats.n_others(values) for values in given]
    return stats.share(
        same,
        name="same_as_others",
        clusters=clusters,
        n_pairs=sum(int(each.sum()) for each in others) // 2,
        n_raters=max(int(each.any(axis=0).sum()) for each in others),
    )


def _same_of_items(values: Floats) -> Floats:
    """Of the pairs of people who rated an item, the share that gave the same, (n,)."""
    same, n = stats.same_as_others(values), stats.n_others(values)
    return ratio(np.nansum(same * n, axis=1), n.sum(axis=1).astype(np.float64))
