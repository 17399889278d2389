"""Intervals of statistics that are functions of sums over clusters.

The default leaves out one cluster at a time (delete-one jackknife), takes the standard error to
Fisher's z and uses Student's t with one degree of freedom less than there are clusters. Where a
dialogue has several items it is the cluster; otherwise each item is its own. The bootstrap
resamples whole clusters with weights fixed by a seed. F-based limits exist for the ICC alone and
treat items as independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats import icc
from analytics.stats.estimates import Note
from analytics.stats.scales import Floats, numbers_of_rows, ratio

Kind: TypeAlias = Literal["jackknife", "bootstrap", "f"]
Statistic: TypeAlias = Callable[[Floats], Floats]

TOO_FEW_CLUSTERS = 5
FEW_CLUSTERS = 20
REPLICATES = 1000
SEED = 20190520
NO_SPREAD = 1e-10


class Unit(StrEnum):
    """What is left out or drawn again as a whole."""

    DIALOGUE = "dialogue"
    ITEM = "item"
    SYSTEM = "system"
    BLOCK = "block of dialogues"


class IntervalScale(StrEnum):
    """Where an interval is taken symmetrically before it is carried back. `ENDS`: as `LOGIT`, of where
    a mean lies between the lowest and the highest point, by who knows these."""

    FISHER_Z = "Fisher z"
    LOGIT = "logit"
    LOG = "log"
    ENDS = "logit between the ends"
    PLAIN = "plain scale"


class StatisticReading(NamedTuple):
    """How a figure is to be read: on which scale its interval is taken, whether it judges agreement
    against what the spread of the ratings allows, and whether it is 0 by construction, or undefined,
    as soon as one rater is constant."""

    scale: IntervalScale
    beyond_chance: bool = False
    zero_if_constant: bool = False


BEYOND_CHANCE = StatisticReading(IntervalScale.FISHER_Z, beyond_chance=True)
NEEDS_SPREAD = StatisticReading(IntervalScale.FISHER_Z, beyond_chance=True, zero_if_constant=True)
SHARE = StatisticReading(IntervalScale.LOGIT)
SIZE = StatisticReading(IntervalScale.LOG)
DIFFERENCE = StatisticReading(IntervalScale.PLAIN)

F_METHOD = "F distribution"
RECOVERED_METHOD = "variance estimates recovery, for other raters"
SCORE_METHOD = "score, common correlation"
PIVOTAL_METHOD = "generalised pivotal quantity, by system"
NONE_IN_N_METHOD = "none in n, one-sided exact"
COST_METHOD = "exact limits of shares, put together (MOVER)"
WILSON_METHOD = "Wilson, by conversation"
LATENT_METHOD = "bootstrap of the latent class model, logit"


def jackknife_method(unit: Unit, scale: IntervalScale) -> str:
    """The name of a jackknife interval."""
    return f"jackknife by {unit}, {scale}, t"


def runs_method(unit: Unit, scale: IntervalScale) -> str:
    """The name of a jackknife interval that speaks of other runs of a judge too."""
    return f"jackknife by {unit} and over runs, {scale}, t"


def bootstrap_method(unit: Unit) -> str:
    """The name of a bootstrap interval."""
    return f"bootstrap by {unit}, percentile"


METHODS: tuple[str, ...] = (
    *(jackknife_method(unit, scale) for unit in Unit for scale in IntervalScale),
    *(runs_method(unit, scale) for unit in Unit for scale in IntervalScale),
    bootstrap_method(Unit.DIALOGUE),
    bootstrap_method(Unit.ITEM),
    F_METHOD,
    SCORE_METHOD,
    PIVOTAL_METHOD,
    RECOVERED_METHOD,
    NONE_IN_N_METHOD,
    COST_METHOD,
    LATENT_METHOD,
)


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """Sums per cluster: distinct rows `sums` (d, f) and how many clusters have each, `copies` (d,).
    Without slots, to keep what is worked out once.

    `telling` (d,) marks the rows that hold a pair of ratings. Others may still move a statistic
    (an item rated once counts in the category shares of AC1) but do not make an interval safer.
    Rows of zeros change nothing; they keep the weights of a bootstrap in step between cells that
    share their clusters.
    """

    sums: Floats
    copies: Floats
    telling: npt.NDArray[np.bool_]
    unit: Unit

    @cached_property
    def total(self) -> Floats:
        """Sums over all clusters, (f,)."""
        total: Floats = self.copies @ self.sums
        return total

    @cached_property
    def size(self) -> int:
        """How many clusters hold a pair of ratings."""
        return int(self.copies[self.telling].sum())

    @cached_property
    def used(self) -> npt.NDArray[np.bool_]:
        """Which rows, (d,), are more than zeros: each is left out once."""
        return np.asarray(self.sums.any(axis=-1))

    @cached_property
    def used_copies(self) -> Floats:
        """How many clusters have each of these rows."""
        return self.copies[self.used]

    def only_telling(self) -> Clusters:
        """The clusters that hold a pair, for a statistic that the others do not move."""
        kept = self.telling
        return Clusters(
            sums=self.sums[kept], copies=self.copies[kept], telling=kept[kept], unit=self.unit
        )

    def folded(self) -> Clusters:
        """The same clusters, each distinct row once: leaving out either of two that are equal
        gives one value, so a jackknife of ten thousand dialogues on five points takes a few hundred
        values. Not for a bootstrap, whose draws go by cluster."""
        rows = np.ascontiguousarray(np.column_stack([self.sums, self.telling]))
        numbers = numbers_of_rows(rows)
        first = np.unique(numbers, return_index=True)[1]
        return Clusters(
            sums=self.sums[first],
            copies=np.bincount(numbers, self.copies).astype(np.float64),
            telling=self.telling[first],
            unit=self.unit,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Two limits or none, how they were made, and what is to be said of them."""

    low: float | None = None
    high: float | None = None
    method: str | None = None
    notes: tuple[Note, ...] = field(default=())


def interval(
    statistic: Statistic,
    clusters: Clusters,
    *,
    scale: IntervalScale = IntervalScale.FISHER_Z,
    confidence: float = 0.95,
) -> Interval:
    """The jackknife interval of statistic(total sums); none, with the reason, where there cannot be
    one."""
    values = statistic(replicas(clusters))
    return interval_of(values, clusters, scale=scale, confidence=confidence)


def replicas(clusters: Clusters, kind: Kind = "jackknife") -> Floats:
    """Sums (1 + r, f): of all clusters, then those from which an interval is made.

    The latter are without one cluster each, or of drawn ones; there are none where clusters are
    too few. A statistic of them is what `interval_of` takes.
    """
    total = clusters.total
    if clusters.size < TOO_FEW_CLUSTERS:
        return total[None]
    if kind == "bootstrap":
        return np.concatenate([total[None], resampled(clusters)])
    left_out = clusters.sums[clusters.used]
    made = np.empty((1 + len(left_out), total.size))
    made[0] = total
    np.subtract(total, left_out, out=made[1:])
    return made


def interval_of(
    values: Floats,
    clusters: Clusters,
    *,
    scale: IntervalScale = IntervalScale.FISHER_Z,
    kind: Kind = "jackknife",
    confidence: float = 0.95,
) -> Interval:
    """The interval of values[0], where `values` (1 + r,) are a statistic of `replicas`."""
    if clusters.size < TOO_FEW_CLUSTERS:
        return Interval(notes=(Note.TOO_FEW_CLUSTERS,))
    few = (Note.FEW_CLUSTERS,) if clusters.size < FEW_CLUSTERS else ()
    if kind == "bootstrap":
        return _bootstrap(values[1:], clusters.unit, confidence, few)
    return jackknife(
        float(values[0]),
        values[1:],
        clusters.used_copies,
        freedom=clusters.size - 1,
        unit=clusters.unit,
        scale=scale,
        confidence=confidence,
        notes=few,
    )


def jackknife(
    value: float,
    replicates: Floats,
    copies: Floats,
    *,
    freedom: int,
    unit: Unit,
    scale: IntervalScale = IntervalScale.FISHER_Z,
    confidence: float = 0.95,
    notes: tuple[Note, ...] = (),
) -> Interval:
    """Interval of `value` from the values without each cluster; `copies` of each replicate."""
    if not np.isfinite(replicates).all():
        return Interval(notes=(Note.HANGS_ON_ONE,))
    error = float(jackknife_error(replicates, copies))
    if error < NO_SPREAD:
        return Interval(notes=(Note.NO_SPREAD,))
    fitting = fitting_scale(value, scale)
    low, high = limits(
        np.asarray(value), np.asarray(error), freedom, fitting, confidence=confidence
    )
    if not np.isfinite([low, high]).all():
        return Interval(notes=(Note.UNBOUNDED,))
    return Interval(
        low=float(low), high=float(high), method=jackknife_method(unit, fitting), notes=notes
    )


def jackknife_error(replicates: Floats, copies: Floats) -> Floats:
    """Standard error (...) from leave-one-out values (..., d) and their copies (..., d)."""
    size = copies.sum(axis=-1)
    mean = ratio((copies * replicates).sum(axis=-1), size)
    squares = (copies * (replicates - mean[..., None]) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt(ratio((size - 1) * squares, size)))


def limits(
    value: Floats,
    error: Floats,
    freedom: float | Floats,
    scale: IntervalScale,
    *,
    confidence: float = 0.95,
) -> tuple[Floats, Floats]:
    """Limits at `value` with standard error `error`, taken on `scale` with Student's t."""
    reach = special.stdtrit(freedom, (1 + confidence) / 2) * error
    if scale is IntervalScale.FISHER_Z:
        centre, half = np.arctanh(value), reach / (1 - value**2)
        return np.tanh(centre - half), np.tanh(centre + half)
    if scale is IntervalScale.LOGIT:
        centre, half = special.logit(value), reach / (value * (1 - value))
        return special.expit(centre - half), special.expit(centre + half)
    if scale is IntervalScale.LOG:
        with np.errstate(over="ignore"):  # no limit on one side, which `jackknife` says
            return value * np.exp(-reach / value), value * np.exp(reach / value)
    return value - reach, value + reach


def fitting_scale(value: float, scale: IntervalScale) -> IntervalScale:
    """The scale, or the plain one where the value has no place on it."""
    inside = {
        IntervalScale.FISHER_Z: abs(value) < 1,
        IntervalScale.LOGIT: 0 < value < 1,
        IntervalScale.LOG: value > 0,
    }
    return scale if inside.get(scale) else IntervalScale.PLAIN


def many_jackknives(
    statistic: Statistic, sums: Floats, *, confidence: float = 0.95
) -> tuple[Floats, Floats, Floats]:
    """Values and limits on Fisher's z, each (...), of many cells at once, for a page of figures.

    `sums` (..., g, f) hold each dialogue's sums with how many ratings it adds in the first place;
    empty dialogues do not count. NaN where there is no value or no interval; `interval` says why.
    """
    copies = (sums[..., 0] > 0).astype(np.float64)
    total = sums.sum(axis=-2)
    value, left_out = statistic(total), statistic(total[..., None, :] - sums)
    error = jackknife_error(left_out, copies)
    size = copies.sum(axis=-1)
    fitting = (np.abs(value) < 1) & (error >= NO_SPREAD) & (size >= TOO_FEW_CLUSTERS)
    inside, freedom = np.where(fitting, value, np.nan), np.maximum(size - 1, 1)
    low, high = limits(inside, error, freedom, IntervalScale.FISHER_Z, confidence=confidence)
    return value, low, high


def f_interval(form: str, ms: icc.MeanSquares) -> Interval:
    """F-based interval of a single-rating form of the ICC; see `icc.f_limits`."""
    low, high = icc.f_limits(form, ms)
    if not np.isfinite([low, high]).all():
        return Interval(notes=(Note.NO_SPREAD,))
    return Interval(low=float(low), high=float(high), method=F_METHOD)


def _bootstrap(values: Floats, unit: Unit, confidence: float, notes: tuple[Note, ...]) -> Interval:
    defined = values[np.isfinite(values)]
    if defined.size < values.size / 2:
        return Interval(notes=(Note.HANGS_ON_ONE,))
    if float(np.ptp(defined)) < NO_SPREAD:
        return Interval(notes=(Note.NO_SPREAD,))
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    if defined.size < values.size:
        notes = (*notes, Note.UNDEFINED_RESAMPLES)
    return Interval(low=float(low), high=float(high), method=bootstrap_method(unit), notes=notes)


def resampled(clusters: Clusters, replicates: int = REPLICATES, seed: int = SEED) -> Floats:
    """The sums (replicates, f) of whole clusters drawn again.

    Cells with the same number of clusters in the same order are drawn with the same weights, so
    their values may be subtracted draw by draw.
    """
    if (clusters.copies == 1).all():
        drawn = bootstrap_weights(clusters.copies.size, replicates, seed)
    else:
        drawn = _multinomial(clusters.copies, replicates, seed)
    resampled: Floats = drawn @ clusters.sums
    return resampled


@lru_cache(maxsize=4)
def bootstrap_weights(n_clusters: int, replicates: int = REPLICATES, seed: int = SEED) -> Floats:
    """How often each cluster is drawn, (replicates, n_clusters); read-only, the same each time."""
    drawn = _multinomial(np.ones(n_clusters), replicates, seed)
    drawn.setflags(write=False)
    return drawn


def _multinomial(copies: Floats, replicates: int, seed: int) -> Floats:
    size = int(copies.sum())
    draws = np.random.default_rng(seed).multinomial(size, copies / size, size=replicates)
    return draws.astype(np.float64)
