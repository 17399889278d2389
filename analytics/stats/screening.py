"""Does a rater find the items that gold marks: sensitivity, specificity, predictive values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, notes_on_size, numbered, owners_of
from analytics.stats.estimates import Estimate, Note
from analytics.stats.intervals import SHARE, Clusters, Unit
from analytics.stats.none_in_n import one_sided
from analytics.stats.runs import estimate_over_runs
from analytics.stats.scales import Floats, Ints, points_of, positions, ratio


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
    return _shares_of(
        SHARES,
        answered=runs[used] >= 0,
        flagged=marks[runs[used]],
        marked=marks[meant[used]],
        items=np.arange(int(used.sum())),
        clusters=owners_of(clusters, used),
        weights=None if weights is None else np.asarray(weights, dtype=np.float64)[used],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleMeasured:
    """Sensitivity and specificity of people, each in turn measured as the judge is, and of the
    judge on the very same items against the same flags."""

    people: Mapping[str, Estimate]
    judge: Mapping[str, Estimate]


class FlagsOfPeople(NamedTuple):
    """What each person flags (m,), 1 or 0, beside what that is measured by (m,), and the places of the
    items, (m,): found once for all judges that are measured beside them."""

    items: Ints
    given: Floats
    meant: Floats

    @classmethod
    def of(cls, people: npt.ArrayLike, reference: npt.ArrayLike) -> FlagsOfPeople:
        """From flags of `people` (n, h), and of the `reference` (n, h) that each of them is measured
        by, such as `flags_of_others`; NaN where missing."""
        own, meant = np.asarray(people, dtype=np.float64), np.asarray(reference, dtype=np.float64)
        items, person = np.nonzero(~np.isnan(own + meant))
        return cls(items, own[items, person], meant[items, person])


def people_measured(
    judge: npt.ArrayLike,
    people: FlagsOfPeople,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: Floats | None = None,
) -> PeopleMeasured:
    """How many flagged items people find, and the judge of the same ones.

    Flags of the `judge` (n,) or its runs (n, r) are 1, 0, or NaN where missing. An item counts
    once for every person who rated it; the intervals leave out dialogues with all of their items.
    `weights` (n,) as `screening`.
    """
    said = np.asarray(judge, dtype=np.float64)
    items, runs = people.items, said.reshape(len(said), -1)[people.items]
    people_find, judge_finds = (
        _shares_of(
            _OF_PEOPLE,
            answered=~np.isnan(runs),
            flagged=np.broadcast_to(given == 1, runs.shape),
            marked=people.meant == 1,
            items=items,
            clusters=clusters,
            weights=weights,
        )
        for given in (people.given[:, None], runs)
    )
    return PeopleMeasured(people=people_find, judge=judge_finds)


def flags_of_others(people: npt.ArrayLike, *, by_any: bool = False) -> Floats:
    """What the other people flag, (n, h), each person of `people` (n, h) left out in turn: at
    least half of them, or any; NaN where there is no other."""
    flags = np.asarray(people, dtype=np.float64)
    there = ~np.isnan(flags)
    n = there.sum(axis=1, keepdims=True) - there
    flagged = np.nansum(flags, axis=1, keepdims=True) - np.where(there, flags, 0.0)
    enough = flagged > 0 if by_any else flagged * 2 >= np.maximum(n, 1)
    return np.where(n > 0, enough.astype(np.float64), np.nan)


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


_OF_PEOPLE = {name: SHARES[name] for name in ("sensitivity", "specificity")}
_FLAGGED = np.array([False, True, False, True])  # of the four cells of a table
_MARKED = np.array([False, False, True, True])


def _shares_of(
    shares: Mapping[str, Share],
    *,
    answered: npt.NDArray[np.bool_],
    flagged: npt.NDArray[np.bool_],
    marked: npt.NDArray[np.bool_],
    items: Ints,
    clusters: npt.ArrayLike | None,
    weights: Floats | None,
) -> dict[str, Estimate]:
    """Shares of what is `answered` and `flagged` (m, r), on average over runs, beside what is
    `marked` (m,). `items` (m,): to which item each belongs; `clusters` and `weights` (n,) are those
    of all items."""
    n, r = int(items.max(initial=-1)) + 1, answered.shape[1]
    owners, size = numbered(clusters, n if clusters is None else np.size(clusters))
    cells = 2 * marked[:, None] + flagged
    places = (owners[items][:, None] * r + np.arange(r)) * 4 + cells
    each = None if weights is None else np.repeat(weights[items][:, None], r, axis=1)[answered]
    tables = np.bincount(places[answered], each, minlength=size * r * 4).reshape(size, r, 4)
    found = {}
    for name, among in shares.items():
        hits, tries = among(_FLAGGED, _MARKED)
        sums = [tables[:, :, cell].sum(axis=2) for cell in (tries, hits & tries)]
        counted = answered & tries[cells]
        is_counted = np.zeros(n, dtype=np.bool_)
        for of_run in counted.T:
            is_counted[items[of_run]] = True
        found[name] = _share_of(
            name,
            np.concatenate(sums, axis=1).astype(np.float64),
            n_items=int(np.count_nonzero(is_counted)),
            n_pairs=int(counted.sum()),
            unit=Unit.ITEM if clusters is None else Unit.DIALOGUE,
            is_weighted=weights is not None,
        )
    return found


def _share_of(
    name: str, sums: Floats, *, n_items: int, n_pairs: int, unit: Unit, is_weighted: bool
) -> Estimate:
    """A share on average over runs, from the tries and the hits of each in each cluster, (g, 2 r)."""
    n_runs = sums.shape[1] // 2
    counted = sums[sums.any(axis=1)] if unit is Unit.ITEM else sums
    clusters = Clusters(
        sums=counted,
        copies=np.ones(len(counted)),
        telling=np.asarray(counted[:, :n_runs].any(axis=1)),
        unit=unit,
    )
    if unit is Unit.ITEM:
        clusters = clusters.folded()
    cell = Cell(
        clusters=clusters,
        reasons=frozenset(),
        doubts=notes_on_size(n_items) | ({Note.WEIGHTED} if is_weighted else set()),
        ends=frozenset(),
        n_items=n_items,
        n_pairs=n_pairs,
        n_raters=2 if n_items else 0,
    )
    rates = ratio(cell.replicas[:, n_runs:], cell.replicas[:, :n_runs])
    share = estimate_over_runs(cell, name, rates, SHARE)
    return one_sided(share, n_alike=_n_alike(clusters, n_runs) if is_weighted else None)


def _n_alike(clusters: Clusters, n_runs: int) -> float:
    """As many clusters of equal weight as tell what these do, whose weights differ (Kish 1965)."""
    sizes, copies = clusters.sums[:, :n_runs].sum(axis=1), clusters.copies
    return float((copies @ sizes) ** 2 / (copies @ sizes**2)) if sizes.any() else 0.0
