"""Prediction-powered means: few ratings by people, many by a judge, and no bias from the judge.

Angelopoulos, Duchi & Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, arXiv
2311.01453. The items that people rated must be a random sample of all, or one with known
probabilities. The gain is modest: about 1 / (1 - r^2) with many judged items, so 1.1 at r = 0.3
and 2 at r = 0.7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, cell_of_rows
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import Clusters, Kind, Scale, Statistic, jackknife_error
from analytics.stats.scales import Floats, ratio

LEAST_LABELS = 30
FEW_LABELS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredMean:
    """What people would rate on average, were they to rate everything the judge rated.

    `powered`: the PPI++ mean; `people`: the mean of people's ratings alone; `judge`: that of the
    judge's, with the judge's bias in it however narrow its interval. `weight`: lambda, how far
    the judge is listened to; 0 leaves people alone. `gain`: how many times as many items people
    would have to rate for an interval as narrow; `correlation` of judge and people. None where
    there is nothing to compute.
    """

    powered: Estimate
    people: Estimate
    judge: Estimate
    weight: float
    gain: float | None
    correlation: float | None


def powered_mean(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    probabilities: npt.ArrayLike | None = None,
    kind: Kind = "jackknife",
) -> PoweredMean:
    """The mean of people's ratings over all items (n,) that the judge rated.

    `human` (n,): NaN where no person rated; items without a rating of the judge count for nothing.
    `clusters` (n,): the dialogue of each item, None when every item stands alone. `probabilities`
    (n,): with what probability each item was drawn for people, where they were not all alike; its
    inverse weighs the item. The value is
    mean(Y) + lambda (mean of f over the items people did not rate - mean of f over those they
    did), or over all items where probabilities are given; lambda makes its variance smallest
    and is taken as known in the interval. Fewer than 30 rated items have none.
    """
    said, meant = (np.asarray(rater, dtype=np.float64) for rater in (judge, human))
    there = np.isfinite(said)
    f, y = said[there], meant[there]
    labelled = np.isfinite(y)
    weights = _weights(probabilities, there, labelled)
    rest = ~labelled if probabilities is None else np.ones_like(labelled)
    listened = _lambda(f, np.where(labelled, y, 0.0), weights, rest, random=probabilities is None)
    owners = None if clusters is None else np.asarray(clusters)[there]
    n = int(labelled.sum())
    middle = float(f.mean()) if f.size else 0.0
    cell = cell_of_rows(
        _rows(f - middle, np.where(labelled, y - middle, 0.0), labelled, weights, rest),
        owners,
        n_pairs=n,
        reasons={Note.TOO_FEW_LABELS} if n < LEAST_LABELS else (),
        doubts={Note.FEW_LABELS} if LEAST_LABELS <= n < FEW_LABELS else (),
        kind=kind,
    )
    powered, alone = _powered(listened, middle), _powered(0.0, middle)
    everything = cell_of_rows(
        np.stack([np.ones(f.size), f], axis=1), owners, n_pairs=0, n_raters=1, kind=kind
    )
    return PoweredMean(
        powered=_mean("powered_mean", cell, powered),
        people=_mean("mean_x", cell, alone),
        judge=_mean("mean_y", everything, lambda sums: ratio(sums[..., 1], sums[..., 0])),
        weight=listened,
        gain=_gain(cell.clusters, alone, powered) if n >= LEAST_LABELS else None,
        correlation=_correlation(f[labelled], y[labelled], weights[labelled]),
    )


def _weights(
    probabilities: npt.ArrayLike | None,
    there: npt.NDArray[np.bool_],
    labelled: npt.NDArray[np.bool_],
) -> Floats:
    """Inverse probabilities of the labelled items, 0 for the others."""
    if probabilities is None:
        return labelled.astype(np.float64)
    drawn = np.asarray(probabilities, dtype=np.float64)[there]
    if not ((drawn[labelled] > 0) & (drawn[labelled] <= 1)).all():
        raise ValueError("Every item that people rated was drawn with a probability above 0.")
    return np.where(labelled, 1 / np.where(labelled, drawn, 1.0), 0.0)


def _lambda(
    f: Floats, y: Floats, weights: Floats, rest: npt.NDArray[np.bool_], *, random: bool
) -> float:
    """How far to listen to the judge, between 0 and 1.

    For a random sample Cov(Y, f) / ((1 + n / N) Var(f)), with the variance over all items; with
    known probabilities the slope of Y on f in the weighted sample.
    """
    n, total = int((weights > 0).sum()), float(weights.sum())
    if n < 2 or not rest.any():
        return 0.0
    off_f, off_y = (side - (weights * side).sum() / total for side in (f, y))
    shared = float((weights * off_f * off_y).sum()) / total
    if random:
        spread = (1 + n / int(rest.sum())) * float(f.var(ddof=1))
    else:
        spread = float((weights * off_f**2).sum()) / total
    return float(np.clip(shared / spread, 0.0, 1.0)) if spread > 0 else 0.0


def _rows(
    f: Floats,
    y: Floats,
    labelled: npt.NDArray[np.bool_],
    weights: Floats,
    rest: npt.NDArray[np.bool_],
) -> Floats:
    """Of each item: whether people rated it, its weight, weight times Y and f, whether it counts
    among the rest, and its f there; (n, 6)."""
    columns = (labelled, weights, weights * y, weights * f, rest, rest * f)
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)


def _powered(listened: float, middle: float) -> Statistic:
    def mean(sums: Floats) -> Floats:
        of_people = middle + ratio(sums[..., 2], sums[..., 1])
        if listened == 0:
            return of_people
        apart = ratio(sums[..., 5], sums[..., 4]) - ratio(sums[..., 3], sums[..., 1])
        return of_people + listened * apart

    return mean


def _mean(name: str, cell: Cell, compute: Statistic) -> Estimate:
    return cell.estimate(name, compute, scale=Scale.PLAIN, beyond_chance=False)


def _gain(clusters: Clusters, alone: Statistic, powered: Statistic) -> float | None:
    """Variance of the mean of people alone over that of the powered mean."""
    left = clusters.total - clusters.sums
    errors = [
        float(jackknife_error(compute(left), clusters.copies)) for compute in (alone, powered)
    ]
    if not (np.isfinite(errors).all() and errors[1] > 0):
        return None
    return (errors[0] / errors[1]) ** 2


def _correlation(f: Floats, y: Floats, weights: Floats) -> float | None:
    if f.size < 2 or min(np.ptp(f), np.ptp(y)) == 0:
        return None
    covariance = np.cov(f, y, aweights=weights)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
