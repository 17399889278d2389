"""Does a rater find the items that gold marks: sensitivity, specificity, predictive values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, notes_on_size, owners_of, summed
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import NONE_IN_N_METHOD, SHARE, Clusters
from analytics.stats.runs import estimate_over_runs
from analytics.stats.scales import Floats, Ints, points_of, positions, ratio

CHANCE_OF_NONE = 0.05

_OF_LIMITS = frozenset({Note.NO_SPREAD, Note.TOO_FEW_CLUSTERS})


def screening(
    x: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    positive: Collection[float],
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    weights: npt.ArrayLike | None = None,
) -> dict[str, Estimate]:
    """Shares of items that rater `x` (n,) marks, where `positive` are the points that count as
    marked; of runs (n, r) their mean, with an interval that speaks of other runs too.

    `sensitivity` and `specificity` are shares of the items gold marks or does not, `ppv` and `npv`
    of those the rater marks or does not, `prevalence` and `flagged` of all. `n_items` is what the
    share is of. Where it is 0 or 1 the limits are one-sided and exact: with no miss in n dialogues
    the miss rate is below 1 - 0.05^(1/n). With `weights` (n,), one over the chance that each item
    had to be drawn, shares are those of all items that could have been (Hájek 1971); n is then the
    number of equal weights that tell as much (Kish 1965).
    """
    scale = points_of(points)
    marks = np.isin(scale, list(positive))
    said, meant = positions(x, scale), positions(gold, scale)
    runs = said[:, None] if said.ndim == 1 else said
    used = (runs >= 0).any(axis=1) & (meant >= 0)
    owners = owners_of(clusters, used)
    answered = runs[used] >= 0
    flagged = marks[runs[used]]
    marked = np.broadcast_to(marks[meant[used]][:, None], flagged.shape)
    each = None if weights is None else np.asarray(weights, dtype=np.float64)[used]
    found = {}
    for name, among in SHARES.items():
        hits, tries = among(flagged, marked)
        found[name] = _share_of(name, tries & answered, hits & tries & answered, owners, each)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleMeasured:
    """Sensitivity and specificity of people, each in turn measured as the judge is, and of the
    judge on the very same items against the same flags."""

    people: Mapping[str, Estimate]
    judge: Mapping[str, Estimate]


def people_measured(
    judge: npt.ArrayLike,
    people: npt.ArrayLike,
    reference: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: Floats | None = None,
) -> PeopleMeasured:
    """How many flagged items people find, and the judge of the same ones.

    Flags are 1, 0, or NaN where missing: of the `judge` (n,) or its runs (n, r), of `people` (n, h), and of the
    `reference` (n, h) that each of them is measured by, such as `flags_of_others`. An item counts
    once for every person who rated it; the intervals leave out dialogues with all of their items.
    `weights` (n,) as `screening`.
    """
    own, meant = np.asarray(people, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    said = np.asarray(judge, dtype=np.float64).reshape(len(own), -1)
    items, person = np.nonzero(~np.isnan(own + meant))
    flags, against, runs = own[items, person], meant[items, person], said[items]

    def count(which: npt.NDArray[np.bool_]) -> Ints:
        """How many people of each item, (n, r), by who they are, (m, r)."""
        each = [np.bincount(items[of_run], minlength=len(own)) for of_run in which.T]
        return np.stack(each, axis=1)

    def shares(given: Floats) -> dict[str, Estimate]:
        return {
            name: _share_of(name, count(among), count(among & (given == of)), clusters, weights)
            for name, of in (("sensitivity", 1.0), ("specificity", 0.0))
            for among in [~np.isnan(runs) & (against == of)[:, None]]
        }

    return PeopleMeasured(people=shares(flags[:, None]), judge=shares(runs))


def flags_of_others(people: npt.ArrayLike, *, by_any: bool = False) -> Floats:
    """What the other people flag, (n, h), each person of `people` (n, h) left out in turn: at
    least half of them, or any; NaN where there is no other."""
    flags = np.asarray(people, dtype=np.float64)
    there = ~np.isnan(flags)
    n = there.sum(axis=1, keepdims=True) - there
    flagged = np.nansum(flags, axis=1, keepdims=True) - np.where(there, flags, 0.0)
    enough = flagged > 0 if by_any else flagged * 2 >= np.maximum(n, 1)
    return np.where(n > 0, enough.astype(np.float64), np.nan)


def highest_rate_with_none(n: float, *, chance: float = CHANCE_OF_NONE) -> float:
    """Upper limit of a rate when it was never seen in n independent tries: a higher one shows
    nothing so often with a `chance` below this one, by default 5 %."""
    return float(1 - chance ** (1 / n)) if n > 0 else 1.0


def tries_of(rate: float) -> float:
    """Of how many independent tries such an upper 95 % limit is, when none showed anything."""
    return float(np.log(CHANCE_OF_NONE) / np.log1p(-rate)) if rate < 1 else 0.0


Share: TypeAlias = Callable[
    [npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
    tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
]

SHARES: dict[str, Share] = {
    "sensitivity": lambda flagged, marked: (flagged, marked),
    "specificity": lambda flagged, marked: (~flagged, ~marked),
    "ppv": lambda flagged, marked: (marked, flagged),
    "npv": lambda flagged, marked: (~marked, ~flagged),
    "prevalence": lambda flagged, marked: (marked, np.ones_like(marked)),
    "flagged": lambda flagged, marked: (flagged, np.ones_like(flagged)),
}


def _share_of(
    name: str,
    among: npt.NDArray[Any],
    hits: npt.NDArray[Any],
    owners: npt.ArrayLike | None,
    weights: Floats | None = None,
) -> Estimate:
    """A share of tries, on average over runs: how many each item is `among` (n, r), and how many of
    them are `hits`."""
    used = np.asarray((among > 0).any(axis=1))
    plain = np.concatenate([among, hits], axis=1).astype(np.float64)[used]
    n_runs = among.shape[1]
    rows = plain if weights is None else plain * weights[used, None]
    n = len(rows)
    cell = Cell(
        clusters=summed(rows, owners_of(owners, used), pairs_in=0),
        reasons=frozenset(),
        doubts=notes_on_size(n) | ({Note.WEIGHTED} if weights is not None else set()),
        ends=frozenset(),
        n_items=n,
        n_pairs=int(plain[:, :n_runs].sum()),
        n_raters=2 if n else 0,
    )
    rates = ratio(cell.replicas[:, n_runs:], cell.replicas[:, :n_runs])
    share = estimate_over_runs(cell, name, rates, SHARE)
    return one_sided(share, n_alike=None if weights is None else _n_alike(cell.clusters))


def _n_alike(clusters: Clusters) -> float:
    """As many clusters of equal weight as tell what these do, whose weights differ (Kish 1965)."""
    sizes, copies = clusters.sums[:, 0], clusters.copies
    return float((copies @ sizes) ** 2 / (copies @ sizes**2)) if sizes.any() else 0.0


def one_sided(share: Estimate, *, n_alike: float | None = None) -> Estimate:
    """Give a share of none, or of all, its exact one-sided limit, from its dialogues or from the
    number of equal ones that tell as much."""
    if share.value not in (0, 1):
        return share
    reach = highest_rate_with_none(share.n_clusters if n_alike is None else n_alike)
    low, high = (0.0, reach) if share.value == 0 else (1 - reach, 1.0)
    notes = in_order(set(share.notes) - _OF_LIMITS)
    return replace(share, low=low, high=high, method=NONE_IN_N_METHOD, notes=notes)
