"""Does a rater say the same again? Repeats of one judge, or of one person, on the same items.

Saying the same again is not being right: read it beside agreement with people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from analytics.stats.agreement import many_raters
from analytics.stats.cells import cell_of_rows, owners_of
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import SHARE, SIZE
from analytics.stats.none_in_n import one_sided
from analytics.stats.scales import Floats, Measurement, points_of, positions, quotient, ratio

LEAST_REPEATS = 5
LEAST_ITEMS = 50

_AGREEMENT = ("icc_11", "alpha_ordinal", "alpha_interval", "alpha_nominal", "fleiss")
_SHARES = {"flip_rate": 1, "unanimous": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """What the repeats of each item say together, (n,): NaN where there is none.

    `majority`: the commonest rating, also NaN where several are equally common, for a guess would
    be no majority; `share`: of the repeats, how many give the commonest rating. The share may
    serve as a confidence for `routing`, once it is checked against people.
    """

    majority: Floats
    share: Floats

    @property
    def n_ties(self) -> int:
        """Items whose repeats have no majority."""
        return int((np.isnan(self.majority) & np.isfinite(self.share)).sum())


def repeatability(
    repeats: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    measurement: Measurement,
) -> dict[str, Estimate]:
    """Agreement of a rater with itself, from `repeats` (n, r), NaN where missing.

    `flip_rate`: the chance that two repeats of an item differ; `unanimous`: share of items whose
    repeats are all equal, which shrinks as repeats grow; `entropy`: of the vote shares of an item,
    in bits, on average; and `icc_11`, alpha and Fleiss' kappa of the repeats, whichever suit the
    measurement. Items with two repeats or more count. Where a rater always says the same, the limits
    of the shares are one-sided and exact. Arguments as for `agreement.many_raters`.
    """
    scale = points_of(points)
    counts = _counts(repeats, scale)
    each = counts.sum(axis=1)
    used = each >= 2
    pairs = each * (each - 1) / 2
    enough = used.sum() >= LEAST_ITEMS and np.median(each[used]) >= LEAST_REPEATS
    doubts = set() if enough or not used.any() else {Note.FEW_REPEATS}
    cell = cell_of_rows(
        _rows(counts[used]),
        owners_of(clusters, used),
        n_pairs=int(pairs[used].sum()),
        n_raters=int(np.isfinite(np.asarray(repeats, dtype=np.float64)).any(axis=0).sum()),
        doubts=doubts,
    )
    found = {
        name: one_sided(cell.estimate(name, quotient(column), SHARE))
        for name, column in _SHARES.items()
    }
    found["entropy"] = cell.estimate("entropy", quotient(3), SIZE)
    agreement = many_raters(
        repeats,
        clusters=clusters,
        points=scale,
        measurement=measurement,
        only=_AGREEMENT,
    )
    return found | {
        name: replace(estimate, notes=in_order({*estimate.notes, *doubts}))
        for name, estimate in agreement.items()
    }


def votes(repeats: npt.ArrayLike, *, points: Sequence[float] | npt.NDArray[Any]) -> Votes:
    """The majority of the repeats (n, r) of each item, NaN where missing."""
    scale = points_of(points)
    counts = _counts(repeats, scale)
    most = counts.max(axis=1)
    there = most > 0
    single = there & ((counts == most[:, None]).sum(axis=1) == 1)
    return Votes(
        majority=np.where(single, scale[counts.argmax(axis=1)], np.nan),
        share=ratio(most, counts.sum(axis=1)),
    )


def _counts(repeats: npt.ArrayLike, scale: Floats) -> Floats:
    """How often each point was given to each item, (n, q)."""
    placed = positions(repeats, scale)
    if placed.ndim != 2:
        raise ValueError("Repeats are an array of items by repeats.")
    counts = (placed[..., None] == np.arange(scale.size)).sum(axis=1)
    return np.asarray(counts, dtype=np.float64)


def _rows(counts: Floats) -> Floats:
    """Of each item with two repeats or more: 1, the share of pairs that differ, whether all are
    equal, the entropy in bits; (n, 4)."""
    each = counts.sum(axis=1)
    same = (counts * (counts - 1)).sum(axis=1) / (each * (each - 1))
    entropy = special.entr(counts / each[:, None]).sum(axis=1) / np.log(2)
    unanimous = (counts.max(axis=1) == each).astype(np.float64)
    return np.stack([np.ones(each.size), 1 - same, unanimous, entropy], axis=1)
