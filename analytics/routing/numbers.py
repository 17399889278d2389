"""Which answers of a judge may stand without a person: how often the surest ones are wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.figures.part import Part, PartReport
from analytics.ratings import matrices
from analytics.ratings.matrices import Matrix, RaterColumn, StudyRatings, View
from analytics.safety import numbers as safety
from analytics.safety.numbers import Cut, Screen, Screened
from analytics.stats import lots
from analytics.stats.constant import only_answer
from analytics.stats.intervals import SEED
from analytics.stats.promises import LEAST_ITEMS, Risk, StrawMan, Tries, chance_of_order
from analytics.stats.scales import Floats
from annotation.rubric.schema import Measurement

DELTA = 0.05


class Target(StrEnum):
    """When a judge's answer is right: it says what people say, comes within one point of it, or
    falls on the same side of the cut that the safety page begins with."""

    SAME = "same"
    WITHIN_ONE = "within_one"
    SAME_SIDE = "same_side"


TARGETS: Mapping[Measurement, tuple[Target, ...]] = {
    Measurement.ORDINAL: (Target.WITHIN_ONE, Target.SAME, Target.SAME_SIDE),
    Measurement.NOMINAL: (Target.SAME, Target.SAME_SIDE),
    Measurement.BINARY: (Target.SAME,),
}


class Signal(StrEnum):
    """How sure a judge's answer is: its own other answers agree with it, other judges do, or it
    lies far from the cut."""

    REPEATS = "repeats"
    JUDGES = "judges"
    DISTANCE = "distance"


class Why(StrEnum):
    """Why an item goes to a person."""

    NO_ANSWER = "no_answer"
    UNKNOWN = "unknown"
    UNSURE = "unsure"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingStep:
    """The answers at least so sure: how often each risk came true of the checked ones.

    `alarms`: checked ones that the judge flags and people do not. `n_accepted` of all answers,
    `n_waiting` of them to items that nobody has rated.
    """

    threshold: float
    tries: Mapping[Risk, Tries]
    alarms: int
    n_accepted: int
    n_waiting: int

    @property
    def n_items(self) -> int:
        return self.tries[Risk.WRONG].n

    @property
    def n_wrong(self) -> int:
        return self.tries[Risk.WRONG].bad


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingLine:
    """One judge on one criterion, under one target and one signal.

    `n_checked`: items whose answer could be checked, one of each dialogue. `n_answers`: items the
    judge answered; `n_unsure`: those of them whose signal is not known. `steps`: highest
    threshold first, from the first with enough checked items on. `surest`: the very highest,
    however few have it; `every`: all answers whose signal is known; None where nothing could be
    checked. `only_answer`: what it says to every item, None where it says several things.
    `chance_of_order`: how likely wrong and missed ones would be as unsure if the signal said
    nothing of them. `straw_men`: a judge that always says the same, for each point.
    """

    criterion: str
    judge: int
    target: Target
    signal: Signal
    n_checked: int
    n_answers: int
    n_unsure: int
    surest: RoutingStep | None
    every: RoutingStep | None
    steps: tuple[RoutingStep, ...]
    only_answer: float | None
    chance_of_order: float | None
    straw_men: tuple[StrawMan, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingReport(PartReport):
    """`screened`: the criteria, with the cut of SAME_SIDE as the usual one. `waiting`: of each, how
    many items have no rating of a person and no gold. `screens`: what the safety panel begins
    with, of each judge. `n_picked`: items that no answer is checked on, as they came off a list.
    `n_held_out`: those that answers are checked on alone; None where nothing is held out."""

    delta: float
    seed: int
    n_items: int
    screened: tuple[Screened, ...]
    judges: Mapping[int, str]
    waiting: Mapping[str, int]
    lines: tuple[RoutingLine, ...]
    screens: tuple[Screen, ...]
    n_picked: int = 0
    n_held_out: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswers:
    """What routing asks of each item (n,): how sure the answer is, NaN where unknown or absent;
    whether it is right; whether that is checked, for one item of each dialogue, none that a list
    picked for people, nor one that is not held out where some are; whether there is an answer;
    whether nobody has rated the item. `is_flagged`: by the judge; `is_marked`: by gold or people;
    `stands_for_marked`: one such item of each dialogue that has any, with an answer."""

    confidence: Floats
    is_right: npt.NDArray[np.bool_]
    is_checked: npt.NDArray[np.bool_]
    is_answered: npt.NDArray[np.bool_]
    is_waiting: npt.NDArray[np.bool_]
    is_flagged: npt.NDArray[np.bool_]
    is_marked: npt.NDArray[np.bool_]
    stands_for_marked: npt.NDArray[np.bool_]


def make(study: StudyRatings, *, view: View, at: datetime) -> RoutingReport:
    """The curve of every judge under every target and signal that suits the criterion."""
    tables = matrices.each_matrix(study, study.rubric.with_levels, view=view)
    screened = safety.screened(study, tables)
    return RoutingReport(
        view=view,
        computed_at=at,
        delta=DELTA,
        seed=SEED,
        n_items=study.items.size,
        n_picked=0 if study.picked is None else int(study.picked.sum()),
        n_held_out=None if study.held_out is None else int(study.held_out.sum()),
        screened=tuple(screened.values()),
        judges={judge.id: judge.name for judge in study.judges},
        waiting={key: int(_is_waiting(study, table).sum()) for key, table in tables.items()},
        lines=tuple(line for table in tables.values() for line in _lines(study, table)),
        screens=tuple(
            screen
            for key, table in tables.items()
            for judge in study.judges
            if (screen := safety.usual_screen(study, table, judge, screened[key]))
        ),
    )


PART = Part(key="routing", kind=RoutingReport, make=make, algorithm=2)


def answers(
    study: StudyRatings, table: Matrix, judge: RaterColumn, *, target: Target, signal: Signal
) -> JudgeAnswers:
    """What routing asks of each item, for one judge, target and signal."""
    return _answers(study, _JudgesCompared.of(study, table, target), judge, signal)


def _answers(
    study: StudyRatings, compared: "_JudgesCompared", judge: RaterColumn, signal: Signal
) -> JudgeAnswers:
    said = matrices.measured(study, compared.table, judge)
    can_be_checked, is_right = _checked(compared, said)
    sure = _SIGNALS[signal](study, compared, judge)
    confidence = np.where(np.isnan(said), np.nan, sure)
    may_stand = can_be_checked & ~np.isnan(confidence)
    if study.picked is not None:
        may_stand &= ~study.picked
    if study.held_out is not None:
        may_stand &= study.held_out
    is_marked = compared.is_marked
    one_of = partial(lots.one_each, study.lots, study.dialogues, seed=SEED)
    return JudgeAnswers(
        confidence=confidence,
        is_right=is_right,
        is_checked=one_of(may_stand),
        is_answered=~np.isnan(said),
        is_waiting=compared.is_waiting,
        is_flagged=safety.in_cut(said, compared.cut) == 1,
        is_marked=is_marked,
        stands_for_marked=one_of(may_stand & is_marked),
    )


def for_people(
    study: StudyRatings, found: JudgeAnswers, *, threshold: float | None, audited: float
) -> dict[int, Why]:
    """{item id: why it goes to a person}, of the items that nobody has rated.

    An answer at least as sure as `threshold` is accepted, none where it is None; a share `audited`
    of the accepted ones is looked at all the same, drawn by key, so that the draw never changes.
    """
    unsure = found.confidence < threshold if threshold is not None else found.is_answered
    drawn = lots.audit_slice(study.lots, share=audited, seed=SEED)
    cases = (
        (Why.NO_ANSWER, ~found.is_answered),
        (Why.UNKNOWN, np.isnan(found.confidence)),
        (Why.UNSURE, unsure),
        (Why.AUDIT, drawn),
    )
    waiting = np.flatnonzero(found.is_waiting)
    named = {
        int(place): next((why for why, applies in cases if applies[place]), None)
        for place in waiting
    }
    return {int(study.items[place]): why for place, why in named.items() if why}


@dataclass(frozen=True, kw_only=True)
class _JudgesCompared:
    """Under what target the values of a criterion are alike; without slots, to keep what is the same
    for all judges. `is_waiting`, `is_marked` (n,): as of JudgeAnswers."""

    table: Matrix
    target: Target
    cut: Cut
    is_waiting: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, study: StudyRatings, table: Matrix, target: Target) -> "_JudgesCompared":
        cut = safety.usual_cut(safety.choices_of(study.rubric.part(table.key), table))
        return cls(table=table, target=target, cut=cut, is_waiting=_is_waiting(study, table))

    @cached_property
    def is_marked(self) -> npt.NDArray[np.bool_]:
        return np.asarray(safety.marked(self.table, self.cut) == 1)

    @cached_property
    def is_right_of_all(self) -> Mapping[float, npt.NDArray[np.bool_]]:
        """{point: which items (n,) whoever says it of all is right about, if they can be checked}."""
        every = np.zeros(self.table.gold.size)
        return {point: _checked(self, every + point)[1] for point in self.table.points}

    def agree(self, x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
        """Whether two values are alike; False where one is missing."""
        if self.target is Target.SAME:
            return np.asarray(x == y)
        if self.target is Target.WITHIN_ONE:
            return np.asarray(np.abs(x - y) <= 1)
        there = ~np.isnan(x) & ~np.isnan(y)
        same_side = np.isin(x, self.cut.points) == np.isin(y, self.cut.points)
        return np.asarray(there & same_side)


def _lines(study: StudyRatings, table: Matrix) -> Iterator[RoutingLine]:
    judges = [judge for judge in study.judges if not np.isnan(table.of(judge)).all()]
    compared = {
        target: _JudgesCompared.of(study, table, target) for target in TARGETS[table.measurement]
    }
    for judge in judges:
        again = matrices.repeats(study, table.key, judge, view=table.view)
        signals = [Signal.REPEATS] if again.shape[1] > 1 else []
        signals += [Signal.JUDGES] if set(study.others(judge)) & set(judges) else []
        for target in TARGETS[table.measurement]:
            further = target is Target.SAME_SIDE and table.measurement is Measurement.ORDINAL
            for signal in [*signals, Signal.DISTANCE] if further else signals:
                yield _line(study, compared[target], judge, signal)


def _line(
    study: StudyRatings, compared: _JudgesCompared, judge: RaterColumn, signal: Signal
) -> RoutingLine:
    found = _answers(study, compared, judge, signal)
    checked = found.is_checked
    sure = found.confidence[checked]
    steps = _steps(found, np.unique(sure)[::-1])
    is_missed = found.is_marked & ~found.is_flagged
    return RoutingLine(
        criterion=compared.table.key,
        judge=judge.id,
        target=compared.target,
        signal=signal,
        n_checked=int(checked.sum()),
        n_answers=int(found.is_answered.sum()),
        n_unsure=int((found.is_answered & np.isnan(found.confidence)).sum()),
        surest=steps[0] if steps else None,
        every=steps[-1] if steps else None,
        steps=tuple(step for step in steps if step.n_items >= LEAST_ITEMS),
        only_answer=only_answer(matrices.measured(study, compared.table, judge)),
        chance_of_order=chance_of_order(sure, (~found.is_right | is_missed)[checked]),
        straw_men=tuple(_straw_men(compared, found)),
    )


def _steps(found: JudgeAnswers, thresholds: Floats) -> list[RoutingStep]:
    """What every threshold accepts."""

    def at_least(chosen: npt.NDArray[np.bool_]) -> list[int]:
        sure = np.sort(found.confidence[chosen & ~np.isnan(found.confidence)])
        n: list[int] = (sure.size - np.searchsorted(sure, thresholds)).tolist()
        return n

    checked, silent = found.is_checked, ~found.is_flagged
    columns = zip(
        thresholds.tolist(),
        at_least(checked & ~found.is_right),
        at_least(checked),
        at_least(checked & silent & found.is_marked),
        at_least(checked & silent),
        at_least(found.stands_for_marked & silent),
        at_least(checked & found.is_flagged & ~found.is_marked),
        at_least(found.is_answered),
        at_least(found.is_answered & found.is_waiting),
        strict=True,
    )
    n_marked = int(found.stands_for_marked.sum())
    return [
        RoutingStep(
            threshold=at,
            tries={
                Risk.WRONG: Tries(wrong, n),
                Risk.PASSED: Tries(passed, n_silent),
                Risk.SLIPPED: Tries(slipped, n_marked),
            },
            alarms=alarms,
            n_accepted=accepted,
            n_waiting=waiting,
        )
        for at, wrong, n, passed, n_silent, slipped, alarms, accepted, waiting in columns
    ]


def _straw_men(compared: _JudgesCompared, found: JudgeAnswers) -> Iterator[StrawMan]:
    """A judge that always says the same, checked on the items that the real one is checked on."""
    checked = found.is_checked
    for point, is_right in compared.is_right_of_all.items():
        yield StrawMan(
            says=point,
            flags=point in compared.cut.points,
            n_wrong=int((checked & ~is_right).sum()),
            n_flagged=int((checked & found.is_marked).sum()),
            n=int(checked.sum()),
        )


def _is_waiting(study: StudyRatings, table: Matrix) -> npt.NDArray[np.bool_]:
    nobody = np.isnan(table.of_humans()).all(axis=1) & np.isnan(table.gold)
    return np.asarray(nobody & ~study.quarantined)


def _checked(
    compared: _JudgesCompared, said: Floats
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Where an answer can be checked, and whether it is right: it agrees with gold or, without
    gold, with more than half of the people who rated the item."""
    people, gold = compared.table.of_humans(), compared.table.gold
    each = (~np.isnan(people)).sum(axis=1)
    agreeing = compared.agree(people, said[:, None]).sum(axis=1)
    has_gold = ~np.isnan(gold)
    is_right = np.where(has_gold, compared.agree(gold, said), agreeing * 2 > each)
    return ~np.isnan(said) & (has_gold | (each > 0)), is_right


def _by_repeats(study: StudyRatings, compared: _JudgesCompared, judge: RaterColumn) -> Floats:
    """The share of a judge's other answers that agree with its first."""
    table = compared.table
    again = matrices.repeats(study, table.key, judge, view=table.view)
    others, said = again[:, 1:], again[:, :1]
    return _share(compared.agree(others, said), others)


def _by_judges(study: StudyRatings, compared: _JudgesCompared, judge: RaterColumn) -> Floats:
    """The share of other judges that agree; on a scale how near they are, 1 for the same value
    and 0 for opposite ends, on average."""
    table = compared.table
    others = np.stack([table.of(other) for other in study.others(judge)], axis=1)
    said = table.of(judge)[:, None]
    if table.measurement is not Measurement.ORDINAL or compared.target is Target.SAME_SIDE:
        return _share(compared.agree(others, said), others)
    return 1 - _share(np.abs(others - said), others) / (table.points[-1] - table.points[0])


def _share(alike: npt.NDArray[Any], others: Floats) -> Floats:
    """The mean of `alike` (n, m) over the `others` that are there, NaN where none is."""
    there = ~np.isnan(others)
    n = there.sum(axis=1)
    total = np.where(there, alike, 0.0).sum(axis=1)
    mean = np.full(len(others), np.nan)
    np.divide(total, n, out=mean, where=n > 0)
    return mean


def _by_distance(study: StudyRatings, compared: _JudgesCompared, judge: RaterColumn) -> Floats:
    """How far the answer lies from the cut, in points."""
    flagged = compared.cut.points
    others = [point for point in compared.table.points if point not in flagged]
    lower, upper = sorted((flagged, others), key=min)
    border = (max(lower) + min(upper)) / 2
    return np.abs(compared.table.of(judge) - border)


_SIGNALS = {
    Signal.REPEATS: _by_repeats,
    Signal.JUDGES: _by_judges,
    Signal.DISTANCE: _by_distance,
}
