"""Which items need a person: selective evaluation with a guarantee, intervals for single ratings,
and a random slice to audit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.estimates import Note
from analytics.stats.scales import Floats, points_of, positions

LEAST_ITEMS = 30
_GOLDEN = 0x9E3779B97F4A7C15
_MIXES = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LAST_MIX = 31


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One test of the sequence: the items with at least this confidence, how many of them are
    wrong, and what share may be at most, with chance 1 - delta."""

    threshold: float
    n_items: int
    n_wrong: int
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """From which confidence on the judge may be believed.

    `threshold`: of later items at least so confident no more than a share `alpha` are wrong, with
    chance 1 - `delta`; None where nothing can be promised, so every item needs a person.
    `coverage`: share of the calibration items that are so confident. `steps`: the tests made, the
    last one failed unless all thresholds passed. `notes`: what stands in the way.
    """

    threshold: float | None
    coverage: float
    alpha: float
    delta: float
    n_items: int
    steps: tuple[Step, ...]
    notes: tuple[Note, ...]

    def needs_person(self, confidence: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which items (n,) need a person: those less confident, or of unknown confidence."""
        given = np.asarray(confidence, dtype=np.float64)
        if self.threshold is None:
            return np.ones(given.shape, dtype=np.bool_)
        return ~(given >= self.threshold)


def certify(
    confidence: npt.ArrayLike,
    is_right: npt.ArrayLike,
    *,
    alpha: float,
    delta: float,
    thresholds: Sequence[float] | None = None,
    least_items: int = LEAST_ITEMS,
    clusters: npt.ArrayLike | None = None,
) -> Certified:
    """Find the lowest confidence at which the judge is wrong in a share `alpha` at most.

    Fixed-sequence testing (Jung, Brahman & Choi 2025, Trust or Escalate, ICLR): beginning with the
    highest threshold that leaves `least_items` calibration items, go down while the upper limit
    of the error rate, exact and binomial at level `delta`, is no more than `alpha`. `confidence`
    (n,), NaN where unknown; `is_right` (n,): whether the judge says what people say. `thresholds`
    to try, fixed beforehand; all confidences when None. The promise is for items like these that
    stand alone: `clusters` (n,), their dialogues, only tell whether some share one.
    """
    if not (0 < alpha < 1 and 0 < delta < 1):
        raise ValueError("Alpha and delta lie between 0 and 1.")
    known = np.isfinite(np.asarray(confidence, dtype=np.float64))
    steps = curve(confidence, is_right, delta=delta, thresholds=thresholds, least_items=least_items)
    passed = n_passed(steps, alpha=alpha)
    n = int(known.sum())
    shared = clusters is not None and _share_dialogues(np.asarray(clusters)[known])
    notes = [Note.SHARED_DIALOGUES] if shared else []
    return Certified(
        threshold=steps[passed - 1].threshold if passed else None,
        coverage=steps[passed - 1].n_items / n if passed else 0.0,
        alpha=alpha,
        delta=delta,
        n_items=n,
        steps=steps[: passed + 1],
        notes=tuple(notes if steps else [Note.TOO_FEW_LABELS, *notes]),
    )


def curve(
    confidence: npt.ArrayLike,
    is_right: npt.ArrayLike,
    *,
    delta: float,
    thresholds: Sequence[float] | None = None,
    least_items: int = LEAST_ITEMS,
) -> tuple[Step, ...]:
    """The tests of `certify` for every threshold, highest first, whatever is to be promised."""
    given = np.asarray(confidence, dtype=np.float64)
    known = np.isfinite(given)
    sure = given[known]
    wrong = ~np.asarray(is_right, dtype=np.bool_)[known]
    tried = np.unique(sure if thresholds is None else np.asarray(thresholds, dtype=np.float64))
    return tuple(_steps(sure, wrong, tried[::-1], delta, max(least_items, 1)))


class Bounded(Protocol):
    """A test with the upper limit of the share that is wrong."""

    @property
    def bound(self) -> float: ...


def n_passed(steps: Sequence[Bounded], *, alpha: float) -> int:
    """How many tests pass before the first fails: what comes after it is not asked."""
    return next((n for n, step in enumerate(steps) if step.bound > alpha), len(steps))


def highest_rate(n_wrong: npt.ArrayLike, n: npt.ArrayLike, *, delta: float) -> Floats:
    """Upper limit at level `delta` of an error rate seen as `n_wrong` in `n` independent tries:
    the largest at which so few are still as likely as that (Clopper & Pearson 1934)."""
    k, tries = np.asarray(n_wrong, dtype=np.float64), np.asarray(n, dtype=np.float64)
    below = k < tries
    limit = special.betaincinv(k + 1, np.where(below, tries - k, 1.0), 1 - delta)
    return np.where(below, limit, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformal:
    """Intervals for single ratings: with chance 1 - `alpha` people's rating lies inside.

    `reach`: how far either end is from the judge's rating; None where `n_items` are too few for
    `alpha` and only the whole scale is sure. `points`: the scale.
    """

    reach: float | None
    alpha: float
    n_items: int
    points: tuple[float, ...]

    def intervals(self, ratings: npt.ArrayLike, *, snap: float = 0.0) -> tuple[Floats, Floats]:
        """Both ends for the judge's ratings (n,), kept on the scale; NaN where missing.

        An end closer than `snap` to a point of the scale, half a step at most, moves there.
        """
        given = np.asarray(ratings, dtype=np.float64)
        scale = np.asarray(self.points)
        if not 0 <= snap <= np.diff(scale).min() / 2:
            raise ValueError("Ends snap over no more than half a step of the scale.")
        reach = scale[-1] - scale[0] if self.reach is None else self.reach
        low, high = (np.clip(end, scale[0], scale[-1]) for end in (given - reach, given + reach))
        return _snapped(low, scale, snap), _snapped(high, scale, snap)


def conformal(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    points: Sequence[float] | npt.NDArray[Any],
    alpha: float,
) -> Conformal:
    """Split conformal intervals from calibration items (n,), NaN where missing.

    `reach` is the ceil((n + 1)(1 - alpha))-th smallest |human - judge| (Papadopoulos et al. 2002;
    Vovk, Gammerman & Shafer 2005). The chance is one on average over all items: for one that
    holds where the risk is high, calibrate the items of each stratum by themselves.
    """
    if not 0 < alpha < 1:
        raise ValueError("Alpha lies between 0 and 1.")
    scale = points_of(points)
    said, meant = (np.asarray(rater, dtype=np.float64) for rater in (judge, human))
    positions(meant, scale)
    apart = np.sort(np.abs(meant - said)[np.isfinite(meant - said)])
    place = math.ceil(round((apart.size + 1) * (1 - alpha), 9))
    return Conformal(
        reach=float(apart[place - 1]) if place <= apart.size else None,
        alpha=alpha,
        n_items=apart.size,
        points=tuple(scale.tolist()),
    )


def audit_slice(ids: npt.ArrayLike, *, share: float, seed: int) -> npt.NDArray[np.bool_]:
    """Which items a person looks at whatever the judge says: each with chance `share`.

    `ids` (n,): whole numbers that name the items. Whether an item is drawn hangs on its number and
    the seed alone, so further items change nothing for those there are, and `share` is the
    probability to weigh by.
    """
    if not 0 <= share <= 1:
        raise ValueError("A share lies between 0 and 1.")
    return np.asarray(lots(ids, seed=seed) < share)


def one_each(
    ids: npt.ArrayLike, clusters: npt.ArrayLike, chosen: npt.ArrayLike, *, seed: int
) -> npt.NDArray[np.bool_]:
    """One of the `chosen` items (n,) of each dialogue (`clusters` (n,)), drawn by lot."""
    may = np.flatnonzero(np.asarray(chosen, dtype=np.bool_))
    owners, drawn = np.asarray(clusters)[may], lots(ids, seed=seed)[may]
    order = np.lexsort((drawn, owners))
    is_first = np.diff(owners[order], prepend=owners[order][:1] - 1) != 0
    found = np.zeros(np.size(ids), dtype=np.bool_)
    found[may[order[is_first]]] = True
    return found


def lots(ids: npt.ArrayLike, *, seed: int) -> Floats:
    """A number from 0 to below 1 for each id, the same each time, as if drawn at random
    (SplitMix64; Steele, Lea & Flood 2014, OOPSLA)."""
    numbers = np.atleast_1d(np.asarray(ids)).astype(np.uint64)
    drawn = _mixed((numbers + np.uint64(1)) * np.uint64(_GOLDEN) + np.array([seed], np.uint64))
    return np.asarray((drawn >> np.uint64(11)).astype(np.float64) / 2**53)


def _steps(
    sure: Floats, wrong: npt.NDArray[np.bool_], tried: Floats, delta: float, least: int
) -> list[Step]:
    """The tests to make, highest threshold first, from the first with enough items on."""
    order = np.argsort(-sure, kind="stable")
    n = np.searchsorted(-sure[order], -tried, side="right")
    n_wrong = np.concatenate([[0], np.cumsum(wrong[order])])[n]
    enough = n >= least
    bounds = highest_rate(n_wrong[enough], n[enough], delta=delta)
    return [
        Step(threshold=float(at), n_items=int(items), n_wrong=int(missed), bound=float(bound))
        for at, items, missed, bound in zip(
            tried[enough], n[enough], n_wrong[enough], bounds, strict=True
        )
    ]


def _share_dialogues(owners: npt.NDArray[Any]) -> bool:
    return bool(np.unique(owners).size < owners.size)


def _snapped(ends: Floats, scale: Floats, snap: float) -> Floats:
    nearest = scale[np.abs(np.nan_to_num(ends)[..., None] - scale).argmin(axis=-1)]
    return np.where(np.abs(ends - nearest) < snap, nearest, ends)


def _mixed(state: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    for shift, factor in _MIXES:
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state ^ (state >> np.uint64(_LAST_MIX))
