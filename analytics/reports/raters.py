"""Raters: severity beside the others, their course over weeks, hidden repeats, and every pair.

A number needs enough items; below that only their count is kept. Nobody is ranked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import combinations

import numpy as np
import pandas as pd

from analytics import matrices, occasions
from analytics.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.measures import suited
from analytics.reports.agreement import CriterionLine, RaterLine, criterion_line, rater_line
from analytics.reports.part import Part
from analytics.stats import raters as stats
from analytics.stats.agreement import two_raters
from analytics.stats.estimates import Estimate
from analytics.stats.raters import Trend
from analytics.stats.scales import Floats, ratio
from annotation.rubric.schema import Measurement

EDITION = 1
LEAST_ITEMS = 20
LEAST_A_WEEK = 10
LEAST_AGAIN = 10
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

    `severity`: the mean of the person's ratings less the others', None for labels; `same`: how
    often another gave the same, None for the mean or sum of several criteria. Both None where
    there are too few items. `weeks`, `trend`: of the severity, of labels of `same`; only of what
    was rated in rounds.
    """

    criterion: str
    rater: int
    n_items: int
    n_others: int
    severity: Estimate | None
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
    """Two raters on one criterion; `agreement` and `exact` are None below `LEAST_ITEMS`."""

    criterion: str
    first: int
    second: int
    n_items: int
    agreement: Estimate | None
    exact: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersReport:
    """All of it. `between`: how often two people give the same, by criterion, and on every one."""

    view: View
    computed_at: datetime
    revision: int
    raters: tuple[RaterLine, ...]
    criteria: tuple[CriterionLine, ...]
    people: tuple[PersonLine, ...]
    again: tuple[AgainLine, ...]
    pairs: tuple[PairLine, ...]
    between: Mapping[str, Estimate]


def make(study: StudyRatings, *, view: View, at: datetime) -> RatersReport:
    """Set every person beside the others on every criterion and group."""
    parts = (*study.rubric.criteria, *study.rubric.groups)
    tables = [matrices.matrix(study, part.key, view=view) for part in parts]
    weeks = occasions.weeks(study)
    again = occasions.said_again(study, view)
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
    )


PART = Part(key="raters", edition=EDITION, kind=RatersReport, make=make)


def _is_exact(study: StudyRatings, table: Matrix) -> bool:
    """Whether it means something that two gave the same: not of a mean or sum."""
    return not study.is_group(table.key)


def _people(study: StudyRatings, table: Matrix, weeks: Floats) -> Iterator[PersonLine]:
    people = [place for place, rater in enumerate(table.raters) if not rater.is_judge]
    values = table.values[:, people]
    apart, same = stats.from_others(values), stats.same_as_others(values)
    others = stats.n_others(values)
    rated = np.isfinite(values)
    n_checks = int(((others > 0).sum(axis=0) >= LEAST_ITEMS).sum())
    for column, place in enumerate(people):
        rater = table.raters[place]
        shared = others[:, column] > 0
        if not rated[:, column].any():
            continue
        yield _person(
            study,
            table,
            rater,
            apart=apart[:, column],
            same=same[:, column],
            n_pairs=int(others[:, column].sum()),
            n_others=int(rated[shared].any(axis=0).sum()) - int(shared.any()),
            weeks=np.where(shared, weeks[:, place], np.nan),
            n_checks=n_checks,
        )


def _person(
    study: StudyRatings,
    table: Matrix,
    rater: RaterColumn,
    *,
    apart: Floats,
    same: Floats,
    n_pairs: int,
    n_others: int,
    weeks: Floats,
    n_checks: int,
) -> PersonLine:
    n_items = int(np.isfinite(apart).sum())
    is_enough, has_order = n_items >= LEAST_ITEMS, table.measurement is not Measurement.NOMINAL
    size = {"clusters": study.clusters, "n_pairs": n_pairs, "n_raters": n_others + 1}
    followed = apart if has_order else same
    return PersonLine(
        criterion=table.key,
        rater=rater.id,
        n_items=n_items,
        n_others=n_others,
        severity=(stats.mean(apart, name="severity", **size) if is_enough and has_order else None),
        same=(
            stats.share(same, name="same_as_others", **size)
            if is_enough and _is_exact(study, table)
            else None
        ),
        weeks=tuple(_weeks(study, followed, weeks, is_enough=is_enough, has_order=has_order)),
        trend=_trend(study, followed, weeks, n_checks) if is_enough else None,
    )


def _weeks(
    study: StudyRatings, followed: Floats, weeks: Floats, *, is_enough: bool, has_order: bool
) -> Iterator[Week]:
    name, estimate = ("severity", stats.mean) if has_order else ("same_as_others", stats.share)
    for week in np.unique(weeks[np.isfinite(weeks)]):
        of_week = np.where(weeks == week, followed, np.nan)
        n_items = int(np.isfinite(of_week).sum())
        has_value = is_enough and n_items >= LEAST_A_WEEK
        yield Week(
            monday=occasions.monday(week),
            n_items=n_items,
            value=estimate(of_week, name=name, clusters=study.clusters) if has_value else None,
        )


def _trend(study: StudyRatings, followed: Floats, weeks: Floats, n_checks: int) -> Trend | None:
    """None unless enough was rated in rounds, over two weeks or more."""
    known = np.isfinite(weeks) & np.isfinite(followed)
    if known.sum() < LEAST_ITEMS or np.unique(weeks[known]).size < 2:
        return None
    return stats.trend(followed, weeks, clusters=study.clusters, n_checks=n_checks)


def _again(
    study: StudyRatings, tables: Mapping[str, Matrix], given: pd.DataFrame
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
    study: StudyRatings, rater: RaterColumn, table: Matrix | None, given: pd.DataFrame
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
    if table.measurement is Measurement.NOMINAL:
        return replace(line, agreement=found[leading])
    shift = stats.mean(again - first, name="shift_again", clusters=owners, n_raters=1)
    return replace(line, agreement=found[leading], shift=shift)


def _pairs(study: StudyRatings, table: Matrix) -> Iterator[PairLine]:
    values = {rater: _measured(study, table, rater) for rater in table.raters}
    present = [rater for rater, given in values.items() if np.isfinite(given).any()]
    names = (_leading(study, table), *(("exact",) if _is_exact(study, table) else ()))
    for first, second in combinations(present, 2):
        x, y = values[first], values[second]
        n_items = int((np.isfinite(x) & np.isfinite(y)).sum())
        found: Mapping[str, Estimate] = {}
        if n_items >= LEAST_ITEMS:
            found = two_raters(
                x,
                y,
                clusters=study.clusters,
                points=table.points,
                measurement=table.measurement.value,
                only=set(names),
            )
        yield PairLine(
            criterion=table.key,
            first=first.id,
            second=second.id,
            n_items=n_items,
            agreement=found.get(names[0]),
            exact=found.get("exact"),
        )


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
    same = [_same_of_items(table.of_humans()) for table in tables]
    for table, of_items in zip(tables, same, strict=True):
        yield (
            table.key,
            stats.share(of_items, name="same_as_others", clusters=study.clusters),
        )
    every = np.concatenate(same)
    owners = np.tile(study.dialogues, len(same))
    n_items = int(np.isfinite(np.stack(same)).any(axis=0).sum())
    found = stats.share(every, name="same_as_others", clusters=owners)
    yield EVERY_CRITERION, replace(found, n_items=n_items)


def _same_of_items(values: Floats) -> Floats:
    """Of the pairs of people who rated an item, the share that gave the same, (n,)."""
    same, n = stats.same_as_others(values), stats.n_others(values)
    return ratio(np.nansum(same * n, axis=1), n.sum(axis=1).astype(np.float64))
