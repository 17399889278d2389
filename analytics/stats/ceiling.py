"""How well could a judge do at all? People against each other as the ceiling.

Each person in turn is left out of the people's consensus and compared with what the others say;
the judge is compared with the very same consensus, so both numbers can stand side by side. Dubois
et al. (2023), AlpacaFarm, NeurIPS 36, treat their human row likewise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.stats import moments, pairs
from analytics.stats.agreement import of_mean_one
from analytics.stats.cells import OF_INTERVALS, Cell, notes_on_rare_of, notes_on_size, numbered
from analytics.stats.estimates import Estimate, Note, in_order, number_or_none
from analytics.stats.intervals import Clusters, IntervalScale, Statistic, StatisticReading, Unit
from analytics.stats.runs import estimate_over_runs
from analytics.stats.scales import Floats, Ints, Measurement, points_of, positions, ratio

Consensus: TypeAlias = Literal["majority", "mean"]

LEAST_ITEMS = 10
SMALLER_IS_BETTER = frozenset(
    {"mae", "mse", "rmse", "mae_consensus", "mse_consensus", "rmse_consensus"}
)
_NO_AGREEMENT = frozenset({"bias", "loa_low", "loa_high"})
_PERSON, _JUDGE = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The person in column `person` and the judge against the others, over `n_items` items."""

    person: int
    n_items: int
    of_person: float | None
    of_judge: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderCeiling:
    """One statistic: `people`, the ceiling, and `judge` are means over the people left out in turn.

    Both are called `STATISTIC_consensus`: beside single people a judge has another value of it.

    Of a judge with several runs each is the mean over them. `difference` is judge less people, `share` judge over people; both leave out the same dialogues
    from either side, so what they have in common does not widen the interval.
    """

    people: Estimate
    judge: Estimate
    difference: Estimate
    share: Estimate
    each: tuple[LeftOut, ...]


class CeilingStanding(StrEnum):
    """How the judge stands to the ceiling, given the margin that was set beforehand."""

    BETTER = "better"
    NOT_INFERIOR = "not inferior"
    INFERIOR = "inferior"
    UNDECIDED = "undecided"
    NOT_GRADED = "not graded"


NO_WORSE = frozenset({CeilingStanding.BETTER, CeilingStanding.NOT_INFERIOR})


def ceiling(
    judge: npt.ArrayLike,
    people: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    measurement: Measurement,
    only: Collection[str] | None = None,
    least_items: int = LEAST_ITEMS,
    weights: npt.ArrayLike | None = None,
) -> dict[str, UnderCeiling]:
    """The judge (n,), or its runs (n, r), under the ceiling of people (n, h), NaN where missing.

    The consensus of the others is their mean for ordinal ratings, else their majority, where a tie
    counts in equal parts for each of its labels. Items count that the judge,
    the person left out and another person rated; people with fewer than `least_items` of them are
    left aside. `weights` (n,) and all else as `agreement.two_raters`.
    """
    scale = points_of(points)
    way: Consensus = "mean" if measurement == "ordinal" else "majority"
    said = positions(judge, scale)
    runs = said[:, None] if said.ndim == 1 else said
    given = positions(people, scale)
    if given.ndim != 2 or len(runs) != len(given):
        raise ValueError("Give ratings of the judge an item, and people as items by people.")
    votes = np.stack([(given == place).sum(axis=1) for place in range(scale.size)], axis=1)
    compared = [
        list(_Compared.of_runs(person, runs, given, votes, scale, way))
        for person in range(given.shape[1])
    ]
    kept = [
        several
        for several in compared
        if all(one.items.size >= max(least_items, 1) for one in several)
    ]
    each = np.ones(len(runs)) if weights is None else np.asarray(weights, dtype=np.float64)
    cell = _cell(kept, each, clusters, scale, way, aside=len(kept) < len(compared))
    sides = ((one.own, one.judge) for several in kept for one in several)
    cell = replace(cell, ends=notes_on_rare_of(sides, measurement))
    if weights is not None:
        cell = replace(cell, doubts=cell.doubts | {Note.WEIGHTED})
    return {
        name: _under_ceiling(name, compute, scale_of, cell, kept)
        for name, (compute, scale_of) in _statistics(way, measurement, scale).items()
        if name not in _NO_AGREEMENT and (only is None or name in only)
    }


def standing(found: UnderCeiling, *, margin: float | None) -> CeilingStanding:
    """Non-inferiority: is the judge less than `margin` below the ceiling, for sure, or even above?

    The 95 % interval of the difference decides, which is a one-sided test at 2.5 %.
    """
    if margin is None:
        return CeilingStanding.NOT_GRADED
    if margin < 0:
        raise ValueError("A margin is not below 0.")
    low, high = found.difference.low, found.difference.high
    if low is None or high is None:
        return CeilingStanding.UNDECIDED
    if found.difference.statistic in SMALLER_IS_BETTER:
        low, high = -high, -low
    if low > 0:
        return CeilingStanding.BETTER
    if low > -margin:
        return CeilingStanding.NOT_INFERIOR
    return CeilingStanding.INFERIOR if high < -margin else CeilingStanding.UNDECIDED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """One person left out: the `items` (m,) that count, by their places, and on those positions on
    the scale and what the others say, shares of the points (m, q) or a mean (m,)."""

    person: int
    items: Ints
    n_others: Ints
    own: Ints
    judge: Ints
    others: Floats

    @classmethod
    def of_runs(
        cls, person: int, runs: Ints, given: Ints, votes: Ints, scale: Floats, way: Consensus
    ) -> Iterator[_Compared]:
        """One for each run (n, r), by how many people gave each item each point, `votes` (n, q)."""
        rated = np.flatnonzero(given[:, person] >= 0)
        own, of_others = given[rated, person], votes[rated]
        of_others[np.arange(rated.size), own] -= 1
        n_others = of_others.sum(axis=1)
        for run in runs.T:
            used = (run[rated] >= 0) & (n_others > 0)
            left = of_others[used]
            most = (left == left.max(axis=1, keepdims=True)).astype(np.float64)
            yield cls(
                person=person,
                items=rated[used],
                n_others=n_others[used],
                own=own[used],
                judge=run[rated[used]],
                others=most / most.sum(axis=1, keepdims=True)
                if way == "majority"
                else left @ scale / left.sum(axis=1),
            )

    def rows(self, scale: Floats, way: Consensus) -> Floats:
        """What each item used adds for the person and for the judge, (m, 2, f)."""
        sides = (self.own, self.judge)
        if way == "mean":
            middle = float(scale[0] + scale[-1]) / 2
            made = [moments.rows(self.others, scale[side], centre=middle) for side in sides]
        else:
            said = [(side[:, None] == np.arange(scale.size)).astype(np.float64) for side in sides]
            tables = [self.others[:, :, None] * side[:, None, :] for side in said]
            made = [table.reshape(len(table), scale.size**2) for table in tables]
        return np.stack(made, axis=1)


def _statistics(
    way: Consensus, measurement: Measurement, scale: Floats
) -> dict[str, tuple[Statistic, IntervalScale]]:
    """By name, each with the scale of its interval; of sums (..., f) of one rater."""
    if way == "mean":
        return {
            name: (known.compute, known.reading.scale) for name, known in moments.STATISTICS.items()
        }
    return {
        name: (_on_tables(pairs.STATISTICS[name], scale), pairs.STATISTICS[name].reading.scale)
        for name in pairs.SUITED[measurement]
    }


def _on_tables(known: pairs.PairStatistic, scale: Floats) -> Statistic:
    q = scale.size
    return lambda flat: known.compute(flat.reshape(*flat.shape[:-1], q, q), scale)


def _cell(
    kept: list[list[_Compared]],
    weights: Floats,
    clusters: npt.ArrayLike | None,
    scale: Floats,
    way: Consensus,
    *,
    aside: bool,
) -> Cell:
    """Sums per dialogue, (g, 1 + 2 f for each run beside each person kept); the first counts items,
    each for one, and the others take each for its weight (n,)."""
    numbers, size = numbered(clusters, weights.size)
    width = 2 * (moments.WIDTH if way == "mean" else scale.size**2)
    runs = [one for several in kept for one in several]
    sums = np.zeros((size, 1 + width * len(runs)))
    any_used = np.zeros(weights.size, dtype=np.bool_)
    for place, one in enumerate(runs):
        rows = one.rows(scale, way).reshape(-1, width) * of_mean_one(weights[one.items])[:, None]
        columns = slice(1 + place * width, 1 + (place + 1) * width)
        cells = numbers[one.items, None] * width + np.arange(width)
        summed = np.bincount(cells.ravel(), rows.ravel(), size * width)
        sums[:, columns] = summed.reshape(size, width)
        any_used[one.items] = True
    sums[:, 0] = np.bincount(numbers[any_used], minlength=size)
    n_pairs = sum(one.items.size for one in runs)
    doubts = set(notes_on_size(min((one.items.size for one in runs), default=0)))
    if kept and np.median(np.concatenate([one.n_others for one in runs])) < 2:
        doubts.add(Note.NO_CONSENSUS)
    if aside:
        doubts.add(Note.PEOPLE_LEFT_OUT)
    return Cell(
        clusters=Clusters(
            sums=sums,
            copies=np.ones(size),
            telling=sums[:, 0] > 0,
            unit=Unit.ITEM if clusters is None else Unit.DIALOGUE,
        ),
        reasons=frozenset() if kept else frozenset({Note.NO_OVERLAP}),
        doubts=frozenset(doubts),
        ends=frozenset(),
        n_items=int(any_used.sum()),
        n_pairs=n_pairs,
        n_raters=len(kept) + 1 if kept else 0,
    )


def _under_ceiling(
    name: str, compute: Statistic, scale: IntervalScale, cell: Cell, kept: list[list[_Compared]]
) -> UnderCeiling:
    n_runs = len(kept[0]) if kept else 1

    def each(flat: Floats) -> Floats:
        """Of everybody left out in turn, run by run: the person's and the judge's value,
        (..., h, r, 2)."""
        return compute(flat[..., 1:].reshape(*flat.shape[:-1], len(kept), n_runs, 2, -1))

    def over_people(flat: Floats) -> Floats:
        if not kept:
            return np.full((*flat.shape[:-1], n_runs, 2), np.nan)
        return np.asarray(each(flat).mean(axis=-3))

    values = over_people(cell.replicas)
    with_others = f"{name}_consensus"

    def estimate(of_runs: Floats, scale: IntervalScale, named: str = name) -> Estimate:
        return estimate_over_runs(cell, named, of_runs, StatisticReading(scale))

    apart = values[..., _JUDGE] - values[..., _PERSON]
    people = cell.estimate_of(
        with_others, values[..., _PERSON].mean(axis=1), StatisticReading(scale)
    )
    of_everybody = each(cell.clusters.total).mean(axis=1) if kept else np.empty((0, 2))
    return UnderCeiling(
        people=people,
        judge=estimate(values[..., _JUDGE], scale, with_others),
        difference=estimate(apart, IntervalScale.PLAIN),
        share=_share(people, estimate(_quotient(values), IntervalScale.LOG)),
        each=tuple(
            LeftOut(
                person=several[0].person,
                n_items=several[0].items.size,
                of_person=number_or_none(float(of_person)),
                of_judge=number_or_none(float(of_judge)),
            )
            for several, (of_person, of_judge) in zip(kept, of_everybody, strict=True)
        ),
    )


def _quotient(both: Floats) -> Floats:
    return ratio(both[..., _JUDGE], both[..., _PERSON])


def _share(people: Estimate, share: Estimate) -> Estimate:
    """A share of nothing says nothing: none where people do not agree beyond chance."""
    if people.value is None or people.value > 0 or share.value is None:
        return share
    notes = in_order({*(set(share.notes) - OF_INTERVALS), Note.NO_CEILING})
    return replace(share, value=None, low=None, high=None, method=None, notes=notes)
