"""Prediction-powered means and shares: few ratings by people, many by a judge, and no bias from
the judge.

Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, arXiv
2311.01453. The items that people rated must be a random sample of all, or one with known
probabilities. The gain is modest: about 1 / (1 - r^2) with many judged items, so 1.1 at r = 0.3
and 2 at r = 0.7.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, cell_of_rows
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import (
    DIFFERENCE,
    SHARE,
    SIZE,
    TOO_FEW_CLUSTERS,
    IntervalScale,
    Statistic,
    StatisticReading,
)
from analytics.stats.none_in_n import one_sided
from analytics.stats.scales import Floats, quotient, ratio

LEAST_LABELS = 30
LEAST_APART = 4
FEW_LABELS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredMean:
    """What people would rate on average, were they to rate everything the judge rated.

    `powered`: the PPI++ mean; `people`: the mean of people's ratings alone; `judge`: that of the
    judge's, with the judge's bias in it however narrow its interval. `weight`: lambda, how far
    the judge is listened to; 0 leaves people alone. `gain`: how many times as many items people
    would have to rate for an interval as narrow, the ratio of the variances; None under 30 rated
    items, or where the judge is not listened to. `correlation` of judge and people, None where one of them is constant.
    """

    powered: Estimate
    people: Estimate
    judge: Estimate
    weight: float
    gain: Estimate | None
    correlation: float | None


def powered_mean(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    ends: tuple[float, float] | None = None,
) -> PoweredMean:
    """The mean of people's ratings over all items (n,) that the judge rated.

    `human` (n,): NaN where no person rated; items without a rating of the judge count for nothing.
    `clusters` (n,): the dialogue of each item, None when every item stands alone. The value is
    mean(Y) + lambda (mean of f over the items people did not rate - mean of f over those they
    did); lambda makes its variance smallest and is taken as known in the intervals; it is 0 where
    the others are of fewer than 5 dialogues.
    Fewer than 30 rated items, or fewer than 4 that are not rated as most are, have no interval.

    With `ends`, the lowest and the highest point, limits are taken on logits of where a mean lies
    between them, for ratings that crowd at one end draw a mean away from it seldom and far: of 30
    with 7 in 10 at the top a plain interval holds the truth 91 times in 100, this one 95. Where the
    judge would take the mean beyond an end, it is not listened to.
    """
    if ends is None:
        given = _given(judge, human, clusters)
        middle = float(given.f.mean()) if given.f.size else 0.0
        cell = _cell_of_people(given, middle, of_mean=True)
        return _found(given, cell, given.best_weight, middle, reading=DIFFERENCE)
    low, high = ends
    said, meant = (
        (np.asarray(one, dtype=np.float64) - low) / (high - low) for one in (judge, human)
    )
    given = _given(said, meant, clusters)
    found = _found_inside(given)
    return replace(
        found,
        powered=_placed(found.powered, ends),
        people=_placed(found.people, ends),
        judge=_placed(found.judge, ends),
    )


def powered_share(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
) -> PoweredMean:
    """The share of all items (n,) that people would mark, of those that the judge looked at.

    `judge` (n,): 1 where it marks the item, else 0; `human` (n,): what share of the people who
    rated the item mark it; NaN and the rest as for `powered_mean`, whose estimator this is. Limits
    are taken on logits, so they lie between 0 and 1; where people mark none or all they are
    one-sided and exact. Where the judge would take the share out of 0 to 1, it is not listened to.
    """
    found = _found_inside(_given(judge, human, clusters), of_mean=False)
    return replace(
        found,
        powered=_bounded(replace(found.powered, statistic="powered_share")),
        people=_bounded(replace(found.people, statistic="share_people")),
        judge=_bounded(replace(found.judge, statistic="share_judge")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """The items that the judge rated, (n,): its rating, people's (0 where there is none), whether
    there is one, whose dialogue each is of, and lambda."""

    f: Floats
    y: Floats
    labelled: npt.NDArray[np.bool_]
    owners: npt.NDArray[Any] | None
    best_weight: float


def _given(judge: npt.ArrayLike, human: npt.ArrayLike, clusters: npt.ArrayLike | None) -> _Given:
    said, meant = (np.asarray(rater, dtype=np.float64) for rater in (judge, human))
    there = np.isfinite(said)
    f, labelled = said[there], np.isfinite(meant[there])
    y = np.where(labelled, meant[there], 0.0)
    owners = np.arange(there.size) if clusters is None else np.asarray(clusters)
    can_listen = np.unique(owners[there][~labelled]).size >= TOO_FEW_CLUSTERS
    return _Given(
        f=f,
        y=y,
        labelled=labelled,
        owners=None if clusters is None else owners[there],
        best_weight=_lambda(f, y, labelled) if can_listen else 0.0,
    )


def _found_inside(given: _Given, *, of_mean: bool = True) -> PoweredMean:
    """What is found between 0 and 1, with lambda 0 where the judge would take it out of them."""
    cell = _cell_of_people(given, 0.0, of_mean=of_mean)
    reached = float(_powered(given.best_weight, 0.0)(cell.clusters.total))
    weight = given.best_weight if 0 < reached < 1 else 0.0
    return _found(given, cell, weight, 0.0, reading=SHARE)


def _placed(found: Estimate, ends: tuple[float, float]) -> Estimate:
    """An estimate of a place between 0 and 1 as one between the ends."""
    low, high = ends

    def back(place: float | None) -> float | None:
        return None if place is None else low + (high - low) * place

    method = found.method and found.method.replace(IntervalScale.LOGIT, IntervalScale.ENDS)
    return replace(
        found, value=back(found.value), low=back(found.low), high=back(found.high), method=method
    )


def _found(
    given: _Given, cell: Cell, weight: float, middle: float, *, reading: StatisticReading
) -> PoweredMean:
    """What is found with this lambda; ratings are taken from `middle`, which loses fewer digits."""
    powered, alone = _powered(weight, middle), _powered(0.0, middle)
    rated = replace(cell, clusters=cell.clusters.only_telling())  # of the others people say nothing
    everything = cell_of_rows(
        np.stack([np.ones(given.f.size), given.f], axis=1),
        given.owners,
        n_pairs=0,
        n_raters=1,
    )
    labelled = given.labelled
    return PoweredMean(
        powered=(cell if weight else rated).estimate("powered_mean", powered, reading),
        people=replace(rated.estimate("mean_x", alone, reading), n_items=cell.n_pairs),
        judge=everything.estimate("mean_y", quotient(1), reading),
        weight=weight,
        gain=_gain(cell, alone, powered) if weight and cell.n_pairs >= LEAST_LABELS else None,
        correlation=_correlation(given.f[labelled], given.y[labelled]),
    )


def _cell_of_people(given: _Given, middle: float, *, of_mean: bool) -> Cell:
    n = int(given.labelled.sum())
    return cell_of_rows(
        _rows(given, middle),
        given.owners,
        n_pairs=n,
        reasons=_reasons(given, of_mean=of_mean),
        doubts={Note.FEW_LABELS} if LEAST_LABELS <= n < FEW_LABELS else (),
    )


def _reasons(given: _Given, *, of_mean: bool) -> set[Note]:
    """Where nearly all ratings are alike a mean hangs on the few others; a share has logits."""
    labels = given.y[given.labelled]
    if labels.size < LEAST_LABELS:
        return {Note.TOO_FEW_LABELS}
    _, times = np.unique(labels, return_counts=True)
    hangs_on_few = of_mean and labels.size - times.max() < LEAST_APART
    return {Note.LABELS_ALIKE} if hangs_on_few else set()


def _lambda(f: Floats, y: Floats, labelled: npt.NDArray[np.bool_]) -> float:
    """How far to listen to the judge, between 0 and 1: Cov(Y, f) / ((1 + n / N) Var(f)), with the
    variance over all items."""
    n = int(labelled.sum())
    if n < 2:
        return 0.0
    off_f, off_y = (side - (labelled * side).sum() / n for side in (f, y))
    shared = float((labelled * off_f * off_y).sum()) / n
    spread = (1 + n / int((~labelled).sum())) * float(f.var(ddof=1))
    return float(np.clip(shared / spread, 0.0, 1.0)) if spread > 0 else 0.0


def _rows(given: _Given, middle: float) -> Floats:
    """Of each item: whether people rated it, its Y and f if so, whether they did not, and its f
    then; (n, 5)."""
    labelled, f, y = given.labelled, given.f - middle, given.y - middle
    columns = (labelled, labelled * y, labelled * f, ~labelled, ~labelled * f)
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)


def _powered(listened: float, middle: float) -> Statistic:
    def mean(sums: Floats) -> Floats:
        of_people = middle + ratio(sums[..., 1], sums[..., 0])
        if listened == 0:
            return of_people
        apart = ratio(sums[..., 4], sums[..., 3]) - ratio(sums[..., 2], sums[..., 0])
        return of_people + listened * apart

    return mean


def _bounded(share: Estimate) -> Estimate:
    return share if Note.TOO_FEW_LABELS in share.notes else one_sided(share)


def _gain(cell: Cell, alone: Statistic, powered: Statistic) -> Estimate | None:
    """Variance of what people give alone over that of what both give, from the jackknife.

    Both are sums over clusters of squared changes, so their ratio has a jackknife of its own. That
    lambda was fitted does not matter to first order: the variance is least there.
    """
    clusters = cell.clusters
    left = clusters.total - clusters.sums
    changes = np.stack([_squared_changes(of(left), clusters.copies) for of in (alone, powered)], 1)
    if not np.isfinite(changes).all() or not changes[:, 1].any():
        return None
    squares = replace(cell, clusters=replace(clusters, sums=changes))
    return squares.estimate("gain", quotient(0, 1), SIZE)


def _squared_changes(replicates: Floats, copies: Floats) -> Floats:
    return (replicates - np.average(replicates, weights=copies)) ** 2


def _correlation(f: Floats, y: Floats) -> float | None:
    if f.size < 2 or min(np.ptp(f), np.ptp(y)) == 0:
        return None
    return float(np.corrcoef(f, y)[0, 1])
