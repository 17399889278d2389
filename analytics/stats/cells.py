"""From sums and known troubles of one cell to estimates with intervals and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats import icc, kappa
from analytics.stats.estimates import Estimate, Note, in_order, number_or_none
from analytics.stats.intervals import (
    FEW_CLUSTERS,
    NO_SPREAD,
    SCORE_METHOD,
    TOO_FEW_CLUSTERS,
    Clusters,
    Interval,
    IntervalScale,
    Kind,
    Statistic,
    StatisticReading,
    Unit,
    f_interval,
    interval_of,
    jackknife_error,
    replicas,
)
from analytics.stats.none_in_n import one_sided
from analytics.stats.pairs import NORMAL_QUANTILE
from analytics.stats.scales import Floats, Ints, Measurement

TOO_FEW_AT_AN_END = 3
TOO_FEW_RARE = 15  # times that a rater gives the rarer of two answers
FEW_AT_AN_END = 5
FEW_PAIRS = 30
NOTABLE_DIFFERENCE = 0.05
_DENSE = 8  # as many numbers an item, from the lowest cluster to the highest

OF_INTERVALS = frozenset(
    {
        Note.TOO_FEW_CLUSTERS,
        Note.FEW_CLUSTERS,
        Note.HANGS_ON_ONE,
        Note.NO_SPREAD,
        Note.AT_BOUNDARY,
        Note.TOO_FEW_RATERS,
        Note.UNDEFINED_RESAMPLES,
    }
)
# Of two answers with one share for both these come to the same, and `kappa.score_limits` hold for all.
_SCORED = frozenset({"kappa", "alpha_nominal", "icc_a1", "icc_c1", "icc_11", "pearson"})
_OF_ITEMS = frozenset({"exact", "exact_consensus", "within_one", "accuracy"})  # shares of them
_BY_ALL_ITEMS = frozenset({"ac1", "ac2", "exact"})  # what is rare does not decide
_UNDEFINED = frozenset({Note.NO_OVERLAP, Note.ONE_ITEM, Note.NO_COMPLETE_ITEM})


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What all statistics of one table of ratings share; without slots, to keep its replicas.

    `reasons` rule out an interval, and some a value; `doubts` are said beside any figure;
    `ends` only beside figures that judge agreement beyond chance. `share`: of two raters with two
    answers, how often either gave one of them; None of others.
    """

    clusters: Clusters
    reasons: frozenset[Note]
    doubts: frozenset[Note]
    ends: frozenset[Note]
    n_items: int
    n_pairs: int
    n_raters: int
    kind: Kind = "jackknife"
    share: float | None = None

    @cached_property
    def replicas(self) -> Floats:
        """Sums (1 + r, f): of everything, then those from which intervals are made."""
        return replicas(self.clusters, self.kind)

    def estimate(self, name: str, statistic: Statistic, reading: StatisticReading) -> Estimate:
        """The statistic of the cell; see `estimate_of`."""
        return self.estimate_of(name, statistic(self.replicas), reading)

    def estimate_of(self, name: str, values: Floats, reading: StatisticReading) -> Estimate:
        """The estimate from a statistic's values (1 + r,) of the replicas.

        A statistic `beyond_chance` needs two items; one that is `zero_if_constant` has no
        interval as soon as a rater is constant.
        """
        share = self._scored(name)
        return self.estimate_within(
            name,
            float(values[0]),
            lambda: (
                interval_of(values, self.clusters, scale=reading.scale, kind=self.kind)
                if share is None
                else self._score(values, share)
            ),
            reading,
        )

    def _score(self, values: Floats, share: float) -> Interval:
        """Score limits of values[0], for so many items that stand alone as these tell as much as."""
        value, size, n = float(values[0]), self.clusters.size, float(self.n_items)
        if size < TOO_FEW_CLUSTERS:
            return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
        if self.clusters.unit is not Unit.ITEM:
            if not np.isfinite(values).all():
                return Interval(notes=(Note.HANGS_ON_ONE,))
            error = float(jackknife_error(values[1:], self.clusters.used_copies))
            if error < NO_SPREAD:
                return Interval(notes=(Note.NO_SPREAD,))
            n = kappa.number_alone(value, share, error, self.n_items)
        low, high = kappa.score_limits(value, share, n, float(special.stdtrit(size - 1, 0.975)))
        few = (Note.FEW_CLUSTERS,) if size < FEW_CLUSTERS else ()
        return Interval(low=low, high=high, method=SCORE_METHOD, notes=few)

    def _scored(self, name: str) -> float | None:
        """The share of an answer by which the statistic has score limits, None if it has others."""
        return self.share if name in _SCORED else None

    def estimate_within(
        self, name: str, value: float, limits_of: Callable[[], Interval], reading: StatisticReading
    ) -> Estimate:
        """As `estimate_of`, with limits that are made otherwise, if there can be any. Where raters agree
        on all items, or on none, that share has its exact one-sided limit, from its dialogues."""
        reasons = self.reasons
        if not reading.zero_if_constant:
            reasons = reasons - {Note.ONE_RATER_CONSTANT}
        if self._scored(name) is not None:
            alone = self.clusters.unit is Unit.ITEM
            reasons = reasons - {Note.NO_DISAGREEMENT} if alone else reasons
        elif name not in _BY_ALL_ITEMS or reading.scale is IntervalScale.PLAIN:
            reasons = reasons | (self.ends & {Note.TOO_FEW_RARE_ANSWERS})
        known = number_or_none(value)
        if Note.NO_COMPLETE_ITEM in reasons or (reading.beyond_chance and reasons & _UNDEFINED):
            known = None
        if known is None and not reasons:
            reasons = frozenset({Note.NOTHING_TO_DIVIDE})
        limits = Interval(notes=tuple(reasons)) if reasons else limits_of()
        doubts = self.doubts
        if reading.beyond_chance:
            doubts = doubts | (self.ends - {Note.TOO_FEW_RARE_ANSWERS})
        found = Estimate(
            statistic=name,
            value=known,
            low=limits.low,
            high=limits.high,
            n_items=self.n_items,
            n_pairs=self.n_pairs,
            n_clusters=self.clusters.size,
            n_raters=self.n_raters,
            method=limits.method,
            notes=in_order(limits.notes if known is None else {*limits.notes, *doubts}),
        )
        is_share = name in _OF_ITEMS and reading.scale is IntervalScale.LOGIT
        can_be_told = not reasons & _UNDEFINED and Note.WEIGHTED not in doubts
        return one_sided(found) if is_share and can_be_told else found


def numbered(clusters: npt.ArrayLike | None, n: int) -> tuple[Ints, int]:
    """Clusters of n items numbered from 0, and how many there are; each item its own for None."""
    if clusters is None:
        return np.arange(n), n
    owners = np.asarray(clusters)
    if owners.shape != (n,):
        raise ValueError("Each item needs exactly one cluster.")
    if n and np.issubdtype(owners.dtype, np.integer):
        lowest = int(owners.min())
        if (span := int(owners.max()) - lowest + 1) <= _DENSE * n:  # no need to sort them
            places, there = owners - lowest, np.zeros(span, dtype=np.bool_)
            there[places] = True
            return (np.cumsum(there) - 1)[places], int(np.count_nonzero(there))
    names, numbers = np.unique(owners, return_inverse=True)
    return numbers, names.size


def summed(
    rows: Floats,
    clusters: npt.ArrayLike | None,
    *,
    pairs_in: int,
    patterns: Ints | None = None,
) -> Clusters:
    """Sums (n, f) of items put together by cluster; equal rows together where items stand alone.

    Column `pairs_in` of the sums counts items that hold a pair of ratings. `patterns` (n,), where
    known, are equal for items with equal rows: numbers are faster to put together than rows.
    """
    if clusters is None and patterns is not None:
        _, first, numbers_of = np.unique(patterns, return_index=True, return_counts=True)
        sums, copies, unit = rows[first], numbers_of.astype(np.float64), Unit.ITEM
    elif clusters is None:
        sums, numbers_of = np.unique(rows, axis=0, return_counts=True)
        copies, unit = numbers_of.astype(np.float64), Unit.ITEM
    else:
        numbers, size = numbered(clusters, rows.shape[0])
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(size))
        sums = np.add.reduceat(rows[order], starts, axis=0) if size else rows
        copies, unit = np.ones(size), Unit.DIALOGUE
    return Clusters(sums=sums, copies=copies, telling=sums[:, pairs_in] > 0, unit=unit)


def owners_of(
    clusters: npt.ArrayLike | None, used: npt.NDArray[np.bool_]
) -> npt.NDArray[Any] | None:
    """The clusters of the items that are `used`, (n,), None where items stand alone."""
    return None if clusters is None else np.asarray(clusters)[used]


def cell_of_rows(
    rows: Floats,
    clusters: npt.ArrayLike | None,
    *,
    n_pairs: int | None = None,
    n_raters: int = 2,
    reasons: Iterable[Note] = (),
    doubts: Iterable[Note] = (),
) -> Cell:
    """The cell of items with rows (n, f) to add up, the first column 1; each has a pair of ratings.

    `clusters` (n,), None where items stand alone; `n_pairs` where it is not n.
    """
    n = len(rows)
    pairs = n if n_pairs is None else n_pairs
    known = {reason} if (reason := reason_of_number(n)) else set()
    return Cell(
        clusters=summed(rows, clusters, pairs_in=0),
        reasons=frozenset(known | set(reasons)),
        doubts=notes_on_size(pairs) | set(doubts),
        ends=frozenset(),
        n_items=n,
        n_pairs=pairs,
        n_raters=n_raters if n else 0,
    )


def table_clusters(tables: Floats, unit: Unit) -> Clusters:
    """Count tables (g, q, q) of dialogues as they are, or divided into items that stand alone."""
    flat = tables.reshape(tables.shape[0], tables.shape[-1] ** 2)
    copies = np.ones(flat.shape[0])
    if unit is Unit.ITEM:
        whole = flat.sum(axis=0)
        used = whole > 0
        flat, copies = np.eye(whole.size)[used], whole[used]
    return Clusters(sums=flat, copies=copies, telling=flat.sum(axis=1) > 0, unit=unit)


def reason_of_number(n_items: int) -> Note | None:
    """Why so few items with two ratings cannot tell agreement."""
    if n_items == 0:
        return Note.NO_OVERLAP
    return Note.ONE_ITEM if n_items == 1 else None


def panel_reasons(lowest: Floats, highest: Floats) -> frozenset[Note]:
    """What rules out an interval, from each item's lowest and highest rating, (n,)."""
    if reason := reason_of_number(len(lowest)):
        return frozenset({reason})
    if (lowest != highest).any():
        return frozenset()
    same = (highest == highest[0]).all()
    return frozenset({Note.ALL_EQUAL if same else Note.NO_DISAGREEMENT})


def lowest_and_highest(ratings: Floats) -> tuple[Floats, Floats]:
    """Of each item's ratings (n, r), NaN where missing."""
    low = np.fmin.reduce(ratings, axis=1, initial=np.inf)
    return low, np.fmax.reduce(ratings, axis=1, initial=-np.inf)


def reasons_of_table(table: Floats) -> frozenset[Note]:
    """What rules out an interval of agreement between the two raters of a count table (q, q)."""
    if reason := reason_of_number(int(table.sum())):
        return frozenset({reason})
    rows, columns = table.any(axis=1).sum(), table.any(axis=0).sum()
    if table.sum() == np.trace(table):
        return frozenset({Note.ALL_EQUAL if rows == 1 else Note.NO_DISAGREEMENT})
    return frozenset({Note.ONE_RATER_CONSTANT} if min(rows, columns) == 1 else ())


def ends_of_table(
    table: Floats, points: Floats, measurement: Measurement, *, of_items: Floats | None = None
) -> frozenset[Note]:
    """What few items at an end of the scale do to the agreement of a count table (q, q). Where it
    counts several pairs of an item, `of_items` counts each item as one, divided among them."""
    if measurement == "nominal" or not table.any():
        return frozenset()
    low = is_low(points)
    each_item = table if of_items is None else of_items
    both_low, both_high = (int(_whole(each_item[np.ix_(side, side)].sum())) for side in (low, ~low))
    n_low = float(table[low].sum() + table[:, low].sum()) / 2
    each = _whole(min(n_low, float(table.sum()) - n_low))
    return notes_on_ends(both_low, both_high) | notes_on_rare(each, measurement)


def _whole(count: float) -> float:
    """A count of items put together from parts, without what is only rounding."""
    return round(float(count), 9)


def share_of_an_answer(table: Floats, measurement: Measurement) -> float | None:
    """How often either rater of a count table (2, 2) gave the second answer; None of other tables,
    where neither or both always did, and where no one share tells of both: they surely differ
    (McNemar 1947) and gave the rarer answer often enough for limits that need none."""
    if measurement != "binary" or table.shape != (2, 2) or not table.any():
        return None
    one, other = float(table[0, 1]), float(table[1, 0])
    n, given = float(table.sum()), float(table[1, 1]) + (one + other) / 2
    differ = abs(one - other) > NORMAL_QUANTILE * np.sqrt(one + other)
    if differ and min(given, n - given) >= TOO_FEW_RARE:
        return None
    return given / n if 0 < given < n else None


def is_low(points: Floats) -> npt.NDArray[np.bool_]:
    """Which points of a scale lie in its lower half."""
    return np.asarray(points <= (points[0] + points[-1]) / 2)


def notes_on_ends(n_low: int, n_high: int) -> frozenset[Note]:
    """What few items rated low, or high, by all raters do to agreement: it hangs on them."""
    rare = min(n_low, n_high)
    if rare >= FEW_AT_AN_END:
        return frozenset()
    if n_low <= n_high:
        return frozenset({Note.TOO_FEW_LOW if rare < TOO_FEW_AT_AN_END else Note.FEW_LOW})
    return frozenset({Note.TOO_FEW_HIGH if rare < TOO_FEW_AT_AN_END else Note.FEW_HIGH})


def notes_on_rare(each: float, measurement: Measurement) -> frozenset[Note]:
    """What it does to figures of two answers that a rater gave the rarer `each` times.

    Agreement beyond chance, and how far raters differ in level, hang on these: of 5 in 1,000 items, 2 in 5 of which another finds, jackknife
    intervals held it 87 times in 100, of 1 in 100 of 200 items 70 times. It is how often the answer was
    given, not how often it was shared, that they are chosen by, for that tells little of agreement.
    What has score limits is given all the same.
    """
    is_rare = measurement == "binary" and each < TOO_FEW_RARE
    return frozenset({Note.TOO_FEW_RARE_ANSWERS}) if is_rare else frozenset()


def notes_on_rare_of(
    pairs: Iterable[tuple[Ints, Ints]], measurement: Measurement
) -> frozenset[Note]:
    """The same of differences of agreement, from the positions (n,) that are compared: each pair of raters
    counts as the two of a table do. Of 5 flagged items in 60 a judge seemed too good 6 to 9 times in 100
    where 2.5 were meant, of 15 or more not; so does what else hangs on the few that differ."""
    return notes_on_rare(
        min(
            (
                min(given, one.size - given)
                for one, other in pairs
                for given in [float((one > 0).sum() + (other > 0).sum()) / 2]
            ),
            default=0.0,
        ),
        measurement,
    )


def notes_on_size(n_pairs: int) -> frozenset[Note]:
    """Whether there are too few pairs of ratings for more than a first look."""
    return frozenset({Note.EXPLORATORY}) if 0 < n_pairs < FEW_PAIRS else frozenset()


def with_means(found: dict[str, Estimate], k: int) -> dict[str, Estimate]:
    """Take the limits of ICCs of the mean of k ratings from those of single ratings."""
    means = {
        mean: _of_the_mean(found[mean], found[single], k)
        for mean, single in icc.SINGLE_OF_MEAN.items()
        if mean in found
    }
    return found | means


def _of_the_mean(mean: Estimate, single: Estimate, k: int) -> Estimate:
    if mean.value is None:
        return mean
    bare = replace(mean, low=None, high=None, method=None, notes=single.notes)
    if single.low is None or single.high is None:
        return bare
    low, high = icc.of_the_mean(single.low, k), icc.of_the_mean(single.high, k)
    if not np.isfinite([low, high]).all():
        return replace(bare, notes=in_order({*single.notes, Note.UNBOUNDED}))
    return replace(bare, low=low, high=high, method=single.method)


def with_f_limits(
    found: dict[str, Estimate], ms: icc.MeanSquares, reasons: frozenset[Note]
) -> dict[str, Estimate]:
    """Give the ICCs of single ratings F-based limits, unless something rules out an interval."""
    if reasons:
        return found
    singles = {form: found[form] for form in icc.SINGLE_OF_MEAN.values() if form in found}
    return found | {form: _f_based(estimate, ms) for form, estimate in singles.items()}


def _f_based(estimate: Estimate, ms: icc.MeanSquares) -> Estimate:
    if estimate.value is None:
        return estimate
    made = f_interval(estimate.statistic, ms)
    notes = in_order({*(set(estimate.notes) - OF_INTERVALS), *made.notes})
    return replace(estimate, low=made.low, high=made.high, method=made.method, notes=notes)


def with_level_note(found: dict[str, Estimate]) -> dict[str, Estimate]:
    """Point to the bias where consistency and agreement part."""
    pair = [found[name] for name in ("icc_a1", "icc_c1") if name in found]
    values = [estimate.value for estimate in pair if estimate.value is not None]
    if len(values) < 2 or abs(values[0] - values[1]) <= NOTABLE_DIFFERENCE:
        return found
    return found | {
        estimate.statistic: _noted(estimate, Note.RATERS_DIFFER_IN_LEVEL) for estimate in pair
    }


def _noted(estimate: Estimate, note: Note) -> Estimate:
    return replace(estimate, notes=in_order({*estimate.notes, note}))
