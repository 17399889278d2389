"""Does a rater hold back where the case is hard? How often answers have no value, by how much
people differ.

Who says “cannot judge” where experts disagree is careful; who rates such an item like any other is
sure of what nobody is sure of. El-Yaniv and Wiener (2010), On the foundations of noise-free
selective classification, JMLR 11; Elangovan et al. (2025), as in `analytics.stats.dispersion`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, cell_of_rows, owners_of
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import DIFFERENCE, SHARE
from analytics.stats.none_in_n import one_sided
from analytics.stats.scales import Floats, quotient, ratio

LEAST_ITEMS = 10
MOST_STEPS = 4  # beside the items on which people agree

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class CautionStep:
    """Items (n,) on which people differ from `low` to `high`, by `mean` on average."""

    low: float
    high: float
    mean: float
    items: Mask


def dispute(people: npt.ArrayLike, *, are_labels: bool) -> Floats:
    """How much the people who rated an item differ, (n,), from their ratings (n, h), NaN where
    missing: the mean distance of two of them, or the share of pairs with different labels. NaN for
    items that fewer than two rated."""
    ratings: Floats = np.asarray(people, dtype=np.float64)
    if ratings.ndim != 2:
        raise ValueError("The ratings of people are an array of items by people.")
    first, second = np.triu_indices(ratings.shape[1], 1)
    apart = np.abs(ratings[:, first] - ratings[:, second])
    known = np.isfinite(apart)
    distances = np.where(known, (apart > 0) if are_labels else apart, 0.0)
    return ratio(distances.sum(axis=1), known.sum(axis=1))


def steps(disputed: Floats) -> Iterator[CautionStep]:
    """The items on which people agree, then those on which they differ, from least to most, in
    groups of at least `LEAST_ITEMS`; items that differ as much stay together."""
    differing = np.sort(disputed[disputed > 0])
    groups = max(min(MOST_STEPS, differing.size // LEAST_ITEMS), 1)
    ends = [part[-1] for part in np.array_split(differing, groups) if part.size]
    cuts = np.unique([*[0.0] * bool((disputed == 0).any()), *ends])
    for below, cut in pairwise([-1.0, *cuts.tolist()]):
        items = (disputed > below) & (disputed <= cut)
        found = disputed[items]
        yield CautionStep(
            low=float(found.min()), high=float(found.max()), mean=float(found.mean()), items=items
        )


def held_back(
    unscored: npt.ArrayLike,
    items: Mask,
    *,
    clusters: npt.ArrayLike | None = None,
    are_runs: bool = False,
) -> Estimate:
    """The share of answers to these items that have no value.

    `unscored` (n, r): 1 where an answer has none, 0 where it has one, NaN where there is no answer;
    `clusters` (n,): the dialogue of each item, None when every item stands alone; `are_runs`: whether
    one rater gave them all.
    """
    given, answers, without = _counted(unscored)
    used = items & (answers > 0)
    rows = np.stack([np.ones(used.size), answers, without], axis=1)[used]
    cell = _cell(rows, given[used], clusters, used, are_runs=are_runs)
    return one_sided(cell.estimate("unscored", quotient(2, 1), SHARE))


def more_held_back(
    unscored: npt.ArrayLike,
    disputed: Floats,
    *,
    clusters: npt.ArrayLike | None = None,
    are_runs: bool = False,
) -> Estimate:
    """The share without a value where people differ, less that where they agree; arguments as for
    `held_back`, `disputed` (n,) as `dispute` gives it."""
    given, answers, without = _counted(unscored)
    used = np.isfinite(disputed) & (answers > 0)
    sides = [side * what for side in (disputed == 0, disputed > 0) for what in (answers, without)]
    rows = np.stack([np.ones(used.size), *sides], axis=1)[used]
    cell = _cell(rows, given[used], clusters, used, are_runs=are_runs)
    where_they_differ, where_they_agree = quotient(4, 3), quotient(2, 1)
    return cell.estimate(
        "unscored_difference",
        lambda sums: where_they_differ(sums) - where_they_agree(sums),
        DIFFERENCE,
    )


def _counted(unscored: npt.ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The answers (n, r), and of each item how many there are and how many are without a value."""
    given: Floats = np.asarray(unscored, dtype=np.float64)
    return given, np.isfinite(given).sum(axis=1).astype(np.float64), np.nansum(given, axis=1)


def _cell(
    rows: Floats, given: Floats, clusters: npt.ArrayLike | None, used: Mask, *, are_runs: bool
) -> Cell:
    answered = np.isfinite(given).any(axis=0)
    return cell_of_rows(
        rows,
        owners_of(clusters, used),
        n_pairs=int(np.isfinite(given).sum()),
        n_raters=int(answered.any() if are_runs else answered.sum()),
    )
