"""How common something is, corrected for a rater who misses and who cries wolf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.cells import summed
from analytics.stats.estimates import Note, number_or_none
from analytics.stats.intervals import TOO_FEW_CLUSTERS, Clusters, jackknife_error, replicas
from analytics.stats.scales import Floats, ratio

LEAST_YOUDEN = 0.1


class Corrected(NamedTuple):
    """A share of items with its limits; None where it cannot be corrected."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prevalence:
    """How common marked items are where only the rater looked, from what the rater flags.

    `flagged` of `n_items` items that only the rater saw; `value`, `low`, `high`: that share
    corrected for misses and false alarms. All three are None where the rater tells marked from
    others by too little (`youden`: sensitivity + specificity - 1, None where that is not known),
    where `note` says why, or else where the samples contradict each other. `design_effect`: how
    many times larger the variance is than if items stood alone; None where they do.
    """

    n_items: int
    flagged: int
    youden: float | None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    design_effect: float | None = None
    note: Note | None = None

    @property
    def is_refused(self) -> bool:
        """Whether the rater is too weak for a correction."""
        return self.youden is not None and self.youden < LEAST_YOUDEN


def prevalence_elsewhere(
    said: npt.ArrayLike, meant: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None
) -> Prevalence | None:
    """How common marked items are among those that only the rater saw; None where there are none.

    `said` (n,): what the rater flags, 1 or 0; `meant` (n,): what is marked; both NaN where unknown.
    `clusters` (n,): the dialogue of each item, None when every item stands alone. The value is
    that of `corrected`. Items of one dialogue are alike, in what is marked and in what the rater
    gets wrong, so the limits count fewer items than there are: all three samples are divided by
    the design effect of the corrected share (Kish 1965, Survey Sampling), its variance by leaving
    out one dialogue at a time over that of items that stand alone, and at least 1.
    """
    flags, marks = np.asarray(said, dtype=np.float64), np.asarray(meant, dtype=np.float64)
    there = np.isfinite(flags)
    owners = None if clusters is None else np.asarray(clusters)[there]
    groups = summed(_rows(flags[there], marks[there]), owners, pairs_in=0)
    n, hits = groups.total[:3], groups.total[3:]
    if n[0] == 0:
        return None
    share, specificity, sensitivity = ratio(hits, n).tolist()
    found = Prevalence(
        n_items=int(n[0]),
        flagged=int(hits[0]),
        youden=number_or_none(specificity + sensitivity - 1),
    )
    if found.youden is None or found.is_refused:
        return found
    if (groups.copies @ (groups.sums[:, :3] > 0)).min() < TOO_FEW_CLUSTERS:
        return replace(found, note=Note.TOO_FEW_CLUSTERS)
    effect = None if clusters is None else _design_effect(groups)
    if effect is not None and not np.isfinite(effect):
        return replace(found, note=Note.HANGS_ON_ONE)
    worth = n / (effect or 1.0)
    value, low, high = corrected(
        share,
        worth[0],
        specificity=specificity,
        n_negative=worth[1],
        sensitivity=sensitivity,
        n_positive=worth[2],
    )
    return replace(found, value=value, low=low, high=high, design_effect=effect)


def corrected(
    p: float,
    n: float,
    *,
    specificity: float,
    n_negative: float,
    sensitivity: float,
    n_positive: float,
    confidence: float = 0.95,
) -> Corrected:
    """True prevalence from the share `p` of `n` items that a rater marks.

    `specificity` was seen on `n_negative` items and `sensitivity` on `n_positive`, all three
    samples apart and all items independent. Rogan & Gladen (1978), American Journal of
    Epidemiology 107(1), 71-76; limits by adding pseudo-counts (Lang & Reiczigel 2014, Preventive
    Veterinary Medicine 113(1), 13-22). Nothing is given where Youden's J, sensitivity +
    specificity - 1, is below `LEAST_YOUDEN`: the correction then multiplies every error more than
    tenfold; nor where both limits fall outside 0 to 1 on one side: the samples then contradict
    each other. Where pseudo-counts leave nothing of J the share may be anything.
    """
    if sensitivity + specificity - 1 < LEAST_YOUDEN:
        return Corrected(None, None, None)
    z = float(special.ndtri((1 + confidence) / 2))
    n_more, negative_more, positive_more = n + z**2, n_negative + 2, n_positive + 2
    share = (n * p + z**2 / 2) / n_more
    right_negative = (n_negative * specificity + 1) / negative_more
    right_positive = (n_positive * sensitivity + 1) / positive_more
    value = min(max(_rogan_gladen(p, specificity, sensitivity), 0.0), 1.0)
    youden = right_negative + right_positive - 1
    if youden <= 0:
        return Corrected(value, 0.0, 1.0)
    centre = _rogan_gladen(share, right_negative, right_positive)
    of_negative = right_negative * (1 - right_negative) / negative_more
    of_positive = right_positive * (1 - right_positive) / positive_more
    error = (
        np.sqrt(
            share * (1 - share) / n_more + (1 - centre) ** 2 * of_negative + centre**2 * of_positive
        )
        / youden
    )
    shift = 2 * z**2 * (centre * of_positive - (1 - centre) * of_negative)
    low, high = np.clip([centre + shift - z * error, centre + shift + z * error], 0, 1)
    if low == high:
        return Corrected(None, None, None)
    return Corrected(value, float(low), float(high))


def _rogan_gladen(p: float, specificity: float, sensitivity: float) -> float:
    return (p + specificity - 1) / (specificity + sensitivity - 1)


def _rows(flags: Floats, marks: Floats) -> Floats:
    """Of each item: whether it is one without a mark known, one not marked, or one marked, and
    whether it adds to what is counted there: flagged, passed, found; (n, 6)."""
    samples = np.stack([np.isnan(marks), marks == 0, marks == 1], axis=1)
    counted = np.stack([flags == 1, flags == 0, flags == 1], axis=1)
    return np.concatenate([samples, samples & counted], axis=1).astype(np.float64)


def _design_effect(groups: Clusters) -> float:
    """The design effect of the corrected share; NaN where it hangs on one dialogue.

    Where nothing varies from item to item, each dialogue counts for one item.
    """
    values = _of_sums(replicas(groups))
    whole = groups.total
    n, share = whole[:3], whole[3:] / whole[:3]
    value, youden = values[0], share[1] + share[2] - 1
    weights = np.array([1.0, 1 - value, value]) / youden
    alone = float((weights**2 * share * (1 - share) / n).sum())
    if alone == 0:
        return float(n.sum() / groups.copies.sum())
    error = float(jackknife_error(values[1:], np.ones(values.size - 1)))
    return max(1.0, error**2 / alone) if np.isfinite(error) else error


def _of_sums(sums: Floats) -> Floats:
    """The corrected share (...) of sums (..., 6) as `_rows` adds them up."""
    share, specificity, sensitivity = np.moveaxis(ratio(sums[..., 3:], sums[..., :3]), -1, 0)
    return ratio(share + specificity - 1, specificity + sensitivity - 1)
