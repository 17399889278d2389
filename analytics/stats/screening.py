"""Does a rater find the items that gold marks: sensitivity, specificity, predictive values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import Cell, notes_on_size, summed
from analytics.stats.estimates import Estimate, Note, in_order
from analytics.stats.intervals import NONE_IN_N_METHOD, IntervalScale, Kind
from analytics.stats.scales import Floats, points_of, positions, ratio

CHANCE_OF_NONE = 0.05

_OF_LIMITS = frozenset({Note.NO_SPREAD, Note.TOO_FEW_CLUSTERS})


def screening(
    x: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    positive: Collection[float],
    clusters: npt.ArrayLike | None = None,
    points: Sequence[float] | npt.NDArray[Any],
    kind: Kind = "jackknife",
) -> dict[str, Estimate]:
    """Shares of items that rater `x` marks, where `positive` are the points that count as marked.

    `sensitivity` and `specificity` are shares of the items gold marks or does not, `ppv` and `npv`
    of those the rater marks or does not, `prevalence` and `flagged` of all. `n_items` is what the
    share is of. Where it is 0 or 1 the limits are one-sided and exact: with no miss in n dialogues
    the miss rate is below 1 - 0.05^(1/n).
    """
    scale = points_of(points)
    marks = np.isin(scale, list(positive))
    said, meant = positions(x, scale), positions(gold, scale)
    both = (said >= 0) & (meant >= 0)
    owners = None if clusters is None else np.asarray(clusters)[both]
    flagged, marked = marks[said[both]], marks[meant[both]]
    return {
        name: _share(name, *among(flagged, marked), owners, kind) for name, among in SHARES.items()
    }


def highest_rate_with_none(n: int) -> float:
    """Upper 95 % limit of a rate when it was never seen in n independent tries."""
    return float(1 - CHANCE_OF_NONE ** (1 / n)) if n > 0 else 1.0


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


def _share(
    name: str,
    hits: npt.NDArray[np.bool_],
    among: npt.NDArray[np.bool_],
    owners: npt.NDArray[Any] | None,
    kind: Kind,
) -> Estimate:
    rows = np.stack([among, hits & among], axis=-1).astype(np.float64)[among]
    n = len(rows)
    cell = Cell(
        clusters=summed(rows, None if owners is None else owners[among], pairs_in=0),
        reasons=frozenset(),
        doubts=notes_on_size(n),
        ends=frozenset(),
        n_items=n,
        n_pairs=n,
        n_raters=2 if n else 0,
        kind=kind,
    )
    return one_sided(cell.estimate(name, _hit_rate, scale=IntervalScale.LOGIT, beyond_chance=False))


def _hit_rate(flat: Floats) -> Floats:
    return ratio(flat[..., 1], flat[..., 0])


def one_sided(share: Estimate) -> Estimate:
    """Give a share of none, or of all, its exact one-sided limit."""
    if share.value not in (0, 1):
        return share
    reach = highest_rate_with_none(share.n_clusters)
    low, high = (0.0, reach) if share.value == 0 else (1 - reach, 1.0)
    notes = in_order(set(share.notes) - _OF_LIMITS)
    return replace(share, low=low, high=high, method=NONE_IN_N_METHOD, notes=notes)
