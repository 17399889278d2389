"""Calibration: what people would say where a judge says so; means and shares that lean on both."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.agreement.numbers import CriterionLine, criterion_line
from analytics.figures.memo import remembered
from analytics.figures.part import Part, PartReport
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.safety import numbers as safety
from analytics.safety.numbers import Cut, Screened
from analytics.stats import calibration, moments, ppi
from analytics.stats.calibration import Calibration, Calibrations, Method
from analytics.stats.cells import cell_of_rows
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import BEYOND_CHANCE, DIFFERENCE, SEED
from analytics.stats.scales import Floats, Ints, quotient
from annotation.rubric.schema import Measurement

PartsOf: TypeAlias = Mapping[str, npt.NDArray[np.bool_]]
"""Which items (n,) are all, under "", and which each generator's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """What people said where the judge said `value`: their mean, and what each map expects."""

    value: float
    people: Estimate
    expected: Mapping[Method, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodLine:
    """How a map did on dialogues held out; its numbers are those of `stats.calibration`.

    `change`: `mae_change` and `icc_a1_change`, after less before.
    """

    method: Method
    parameters: tuple[float, ...]
    after: Mapping[str, Estimate]
    change: Mapping[str, Estimate]
    n_refused: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationLine:
    """One judge on one criterion. Each pair of a person's and the judge's rating counts.

    `note` says why there is no map; `low`, `high` are the support, the judge's lowest and highest
    rating where people rated too. `before`: `bias`, `mae`, `icc_a1` and, as far as a map can bring
    the last, `icc_c1`.
    """

    criterion: str
    judge: int
    n_items: int
    n_pairs: int
    n_dialogues: int
    note: Note | None
    low: float
    high: float
    before: Mapping[str, Estimate]
    methods: tuple[MethodLine, ...]
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanLine:
    """The mean people would give all items that a judge rated, or the share that they would mark:
    three ways, side by side.

    `cut`: which values are marked; empty for the mean. `generator`: of the items it wrote only;
    empty where it is all. `apart`: the judge's mean, or share, on items people rated less that on
    the others; None where people rated all. Were the items drawn at random, it is near 0.
    """

    criterion: str
    judge: int
    cut: str
    generator: str
    n_judged: int
    n_rated: int
    powered: Estimate
    people: Estimate
    alone: Estimate
    weight: float
    gain: Estimate | None
    correlation: float | None
    apart: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport(PartReport):
    """All judges on all criteria. `screened`: the cuts of each, of which the usual one is the first
    to be told; groups have none."""

    folds: int
    seed: int
    criteria: tuple[CriterionLine, ...]
    screened: tuple[Screened, ...]
    judges: Mapping[int, str]
    lines: tuple[CalibrationLine, ...]
    means: tuple[MeanLine, ...]


def make(study: StudyRatings, *, view: View, at: datetime) -> CalibrationReport:
    """Calibrate every judge to people on every scale; means of scales, shares of all criteria."""
    parts = {part.key: part for part in study.rubric.scored}
    tables = matrices.each_matrix(study, study.rubric.scored, view=view)
    scales = [one for one in tables.values() if one.measurement is Measurement.ORDINAL]
    screened = tuple(safety.screened(study, tables).values())
    parts_of = {"": np.ones(study.items.size, dtype=np.bool_)} | _by_generator(study)
    return CalibrationReport(
        view=view,
        computed_at=at,
        folds=calibration.FOLDS,
        seed=SEED,
        criteria=tuple(criterion_line(parts[key], table) for key, table in tables.items()),
        screened=screened,
        judges={judge.id: judge.name for judge in study.judges},
        lines=tuple(line for table in scales for line in _lines(study, table)),
        means=(
            *(line for table in scales for line in _means(study, table, parts_of)),
            *(
                line
                for one in screened
                for line in _shares(study, tables[one.line.key], one, parts_of)
            ),
        ),
    )


PART = Part(key="calibration", kind=CalibrationReport, make=make, algorithm=2)


def _lines(study: StudyRatings, table: Matrix) -> Iterator[CalibrationLine]:
    for judge in study.judges:
        said, meant, place = _pairs(study, table, judge)
        if said.size:
            owners = study.dialogues[place]
            line = remembered(_line, said, meant, place, owners, points=table.points)
            yield replace(line, criterion=table.key, judge=judge.id)


def _pairs(study: StudyRatings, table: Matrix, judge: RaterColumn) -> tuple[Floats, Floats, Ints]:
    """The judge's first and a person's rating of each pair (n,), and the place of its item."""
    people, said = table.of_humans(), matrices.measured(study, table, judge)
    place, person = np.nonzero(~np.isnan(people) & ~np.isnan(said)[:, None])
    return said[place], people[place, person], place


def _line(
    said: Floats, meant: Floats, place: Ints, owners: Ints, *, points: tuple[float, ...]
) -> CalibrationLine:
    """The line of these pairs, without the names of criterion and judge."""
    found = calibration.calibrations(said, meant, clusters=owners, points=points)
    some = next(iter(found.methods.values()), None)
    return CalibrationLine(
        criterion="",
        judge=0,
        n_items=int(np.unique(place).size),
        n_pairs=found.n_items,
        n_dialogues=found.n_dialogues,
        note=found.note,
        low=float(said.min()),
        high=float(said.max()),
        before=_before(some, said, meant, place, owners) if some else {},
        methods=tuple(_method(method, one, place) for method, one in found.methods.items()),
        curve=tuple(_curve(found, said, meant, place, owners)),
    )


def _before(
    some: Calibration, said: Floats, meant: Floats, place: Ints, owners: Ints
) -> dict[str, Estimate]:
    """The judge as it is; all maps have the same support, so any of them will do."""
    used = np.isfinite(some.held_out)
    x, y = meant[used], said[used]
    consistency = moments.STATISTICS["icc_c1"]
    cell = cell_of_rows(
        moments.rows(x, y, centre=float(x.mean())),
        owners[used],
        reasons=moments.reasons(x, y),
    )
    found = some.before | {"icc_c1": cell.estimate("icc_c1", consistency.compute, BEYOND_CHANCE)}
    return _of_items(found, place[used])


def _method(method: Method, one: Calibration, place: Ints) -> MethodLine:
    used = place[np.isfinite(one.held_out)]
    change = {f"{name}_change": of for name, of in _of_items(one.change, used).items()}
    return MethodLine(
        method=method,
        parameters=one.calibrator.parameters,
        after=_of_items(one.after, used),
        change={name: replace(of, statistic=name) for name, of in change.items()},
        n_refused=one.n_refused,
    )


def _of_items(found: Mapping[str, Estimate], place: Ints) -> dict[str, Estimate]:
    """Estimates over pairs, told with the number of items that the pairs are of."""
    n_items = int(np.unique(place).size)
    return {name: replace(one, n_items=n_items) for name, one in found.items()}


def _curve(
    found: Calibrations, said: Floats, meant: Floats, place: Ints, owners: Ints
) -> Iterator[CurvePoint]:
    for value in np.unique(said):
        here = said == value
        rows = np.stack([np.ones(int(here.sum())), meant[here]], axis=1)
        mean = cell_of_rows(rows, owners[here]).estimate("mean_x", quotient(1), DIFFERENCE)
        yield CurvePoint(
            value=float(value),
            people=_of_items({"mean_x": mean}, place[here])["mean_x"],
            expected={
                method: float(one.calibrator.calibrated([value])[0])
                for method, one in found.methods.items()
            },
        )


def _means(study: StudyRatings, table: Matrix, parts_of: PartsOf) -> Iterator[MeanLine]:
    people = table.mean_of_people()
    for judge in study.judges:
        said = matrices.runs(study, table, judge).mean
        ends = (min(table.points), max(table.points))
        for line in _each_part(study, parts_of, said, people, ends=ends):
            yield replace(line, criterion=table.key, judge=judge.id)


def _shares(
    study: StudyRatings, table: Matrix, one: Screened, parts_of: PartsOf
) -> Iterator[MeanLine]:
    """Of the usual cut, and for labels of every other one, over all generators together."""
    usual = safety.usual_cut(one)
    others = () if table.measurement is Measurement.ORDINAL else one.cuts
    for cut in dict.fromkeys((usual, *others)):
        people = _marked_by_people(table, cut)
        for judge in study.judges:
            said = matrices.runs(study, table, judge).as_flags(cut.points).mean
            for line in _each_part(study, parts_of, said, people, ends=None):
                if cut is usual or not line.generator:
                    yield replace(line, criterion=table.key, judge=judge.id, cut=cut.key)


def _marked_by_people(table: Matrix, cut: Cut) -> Floats:
    """Whether gold is in the cut, (n,); without gold what share of the people's ratings is."""
    marks = safety.in_cut(table.of_humans(), cut)
    n = (~np.isnan(marks)).sum(axis=1)
    share = np.divide(np.nansum(marks, axis=1), n, out=np.full(len(marks), np.nan), where=n > 0)
    gold = safety.in_cut(table.gold, cut)
    return np.where(np.isnan(gold), share, gold)


def _each_part(
    study: StudyRatings,
    parts_of: PartsOf,
    said: Floats,
    people: Floats,
    *,
    ends: tuple[float, float] | None,
) -> Iterator[MeanLine]:
    """Of all items, then of each generator's where there are several; means of ratings between
    `ends`, or without them shares."""
    for name, chosen in parts_of.items():
        given = (said[chosen], people[chosen], study.dialogues[chosen])
        if np.isnan(given[0]).all() or (name and np.isnan(given[0] + given[1]).all()):
            continue
        line = remembered(_mean_line, *given, shared=study.clusters is not None, ends=ends)
        yield replace(line, generator=name)


def _by_generator(study: StudyRatings) -> dict[str, npt.NDArray[np.bool_]]:
    """Which items (n,) each generator wrote; none where there are not several."""
    named = [str(name) for name in np.unique(study.generators) if name]
    return {name: study.generators == name for name in named} if len(named) > 1 else {}


def _mean_line(
    said: Floats,
    people: Floats,
    dialogues: Ints,
    *,
    shared: bool,
    ends: tuple[float, float] | None,
) -> MeanLine:
    """The means of these ratings, or the shares of these marks, without the names of what they
    are of; `shared` where some dialogues of the study have several items."""
    there = ~np.isnan(said)
    clusters = dialogues if shared else None
    if ends is None:
        found = ppi.powered_share(said, people, clusters=clusters)
    else:
        found = ppi.powered_mean(said, people, clusters=clusters, ends=ends)
    apart = _apart(said[there], ~np.isnan(people[there]), dialogues[there])
    return MeanLine(
        criterion="",
        judge=0,
        cut="",
        generator="",
        n_judged=int(there.sum()),
        n_rated=int((there & ~np.isnan(people)).sum()),
        powered=found.powered,
        people=found.people,
        alone=found.judge,
        weight=found.weight,
        gain=found.gain,
        correlation=found.correlation,
        apart=replace(apart, statistic="difference_of_shares") if apart and ends is None else apart,
    )


def _apart(said: Floats, rated: npt.NDArray[np.bool_], owners: Ints) -> Estimate | None:
    """The judge's mean over the rated items less that over the others."""
    if rated.all() or not rated.any():
        return None
    centred = said - said.mean()
    columns = (np.ones(said.size), rated, rated * centred, ~rated, ~rated * centred)
    rows = np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
    of_rated, of_others = quotient(2, 1), quotient(4, 3)
    return cell_of_rows(rows, owners, n_raters=1).estimate(
        "apart", lambda sums: of_rated(sums) - of_others(sums), DIFFERENCE
    )
