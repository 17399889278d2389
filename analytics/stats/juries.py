"""What several judges come to together: most votes, the middle of a scale, votes that weigh.

Reliable judges weigh the log-odds of being right, the best rule where they err independently:
Nitzan and Paroush (1982), International Economic Review 23, 289-297; for more than two labels with
errors spread evenly, Shapley and Grofman (1984), Public Choice 43, 329-343.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats, Ints

LEAST = 20  # items by which a weight is made; below, all weigh the same
_SAME = 1e-9  # of the sum of weights: votes that differ by less are level


class JuryRule(StrEnum):
    """How the answers of a jury's members become one: most votes everywhere; most votes among
    labels and the median on a scale; or the same with votes that weigh."""

    MAJORITY = "majority"
    MEDIAN = "median"
    WEIGHTED = "weighted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a jury comes to on each item, (n,) each.

    `values`: NaN where there is none; `n_read`: how many members could be read; `is_short`: fewer
    than the quorum, but some were asked; `is_tied`: no value has most votes, or the middle lies
    between two levels.
    """

    values: Floats
    n_read: Ints
    is_short: npt.NDArray[np.bool_]
    is_tied: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How often a judge was right on the `n_items` that its weight is made of, and that weight.

    `right` is the mean share of each label; on a scale that of being on the right side of each cut
    between levels. None where the reference has one value. `weight` is 1 for all judges alike where
    there were too few items.
    """

    weight: float
    right: float | None
    n_items: int


def findings(
    values: Floats,
    is_asked: npt.NDArray[np.bool_],
    *,
    points: tuple[float, ...],
    weights: Floats,
    quorum: int,
    by_median: bool,
) -> Findings:
    """What members with these weights (m,) come to: `values` (n, m), NaN where unread, are each one
    of `points`; `is_asked` (n, m). Sorting the members otherwise changes nothing."""
    is_read = np.isfinite(values)
    n_read = is_read.sum(axis=1)
    is_short = is_asked.any(axis=1) & (n_read < quorum)
    votes = np.stack([(values == point) @ weights for point in points], axis=1)
    found, is_clear = (_middle if by_median else _most)(votes)
    is_heard = is_asked.any(axis=1) & ~is_short
    said = np.where(is_heard & is_clear, np.asarray(points, dtype=np.float64)[found], np.nan)
    return Findings(values=said, n_read=n_read, is_short=is_short, is_tied=is_heard & ~is_clear)


def _most(votes: Floats) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The place of the value with most votes, (n,), of (n, k), and whether no other has as many."""
    best = votes.max(axis=1, keepdims=True)
    level = votes >= best - _SAME * votes.sum(axis=1, keepdims=True)
    return votes.argmax(axis=1), (level.sum(axis=1) == 1) & (best[:, 0] > 0)


def _middle(votes: Floats) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """The place of the weighted median, (n,), of votes (n, k) in the order of the scale, and whether
    it is one level: the side of every cut between levels that has most votes."""
    total = votes.sum(axis=1, keepdims=True)
    below = np.cumsum(votes, axis=1)
    slack = _SAME * total
    is_level = np.abs(2 * below - total) <= slack
    found = (2 * below > total + slack).argmax(axis=1)
    return found, ~is_level[:, :-1].any(axis=1) & (total[:, 0] > 0)


def reliability(
    values: Floats, reference: Floats, *, points: tuple[float, ...], on_scale: bool
) -> Reliability:
    """How reliable a judge is by `values` (n,) beside a `reference` (n,), and what its vote weighs.

    Each value of the reference counts alike, however rare it is, so that a judge that says the same
    to every item has weight 0. An item is added that is right as often as by lot, so that no weight is
    infinite. Nothing is told where the reference has one value only.
    """
    both = np.isfinite(values) & np.isfinite(reference)
    n = int(both.sum())
    shares = (_by_cut if on_scale else _by_label)(values[both], reference[both], points)
    if not shares:
        return Reliability(weight=1.0, right=None, n_items=n)
    right = float(np.mean(shares))
    others = 1 if on_scale else len(shares) - 1
    share = (n * right + 1 / (others + 1)) / (n + 1)
    weight = max(round(float(np.log(others * share / (1 - share))), 12), 0.0)
    return Reliability(weight=weight, right=right, n_items=n)


def _by_label(values: Floats, reference: Floats, points: tuple[float, ...]) -> list[float]:
    """The share right of the items of each label that the reference has; none where it has one."""
    there = [point for point in points if (reference == point).any()]
    shares = [float((values[reference == point] == point).mean()) for point in there]
    return shares if len(shares) > 1 else []


def _by_cut(values: Floats, reference: Floats, points: tuple[float, ...]) -> list[float]:
    """Of each cut between levels that the reference lies on both sides of, the mean share right."""
    return [
        float(((values > cut)[above].mean() + (values <= cut)[~above].mean()) / 2)
        for cut in points[:-1]
        for above in [reference > cut]
        if above.any() and not above.all()
    ]


def weighed(found: tuple[Reliability, ...]) -> tuple[Reliability, ...]:
    """The weights of all judges on one criterion: the same for all where one tells too little."""
    if all(one.n_items >= LEAST and one.right is not None for one in found):
        return found
    return tuple(Reliability(weight=1.0, right=one.right, n_items=one.n_items) for one in found)
