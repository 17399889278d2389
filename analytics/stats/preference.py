"""Does a judge favour replies of its own family? Differences of differences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import cell_of_rows, owners_of
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import DIFFERENCE, Statistic
from analytics.stats.scales import Floats, ratio


def self_preference(
    judge: npt.ArrayLike,
    peers: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    own: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
) -> dict[str, Estimate]:
    """How much more than its peers the judge inflates replies of its own family.

    `judge` (n,), `human` (n,), `peers` (n, p): ratings by the judge, people and other judges, NaN
    where missing; `own` (n,): whether a model of the judge's family wrote the reply. Leave out
    (NaN) what a peer's own family wrote, or the peer's preference counts against the judge.

    `own_gap`: mean of judge less human over its own family's replies less that over the others
    (Chen et al. 2025, arXiv 2506.02592); `peers_gap`: the same for the mean of the peers;
    `self_preference`: the first less the second, so that replies which all judges overrate do not
    pass for a preference. Items count that the judge, a human and a peer rated.
    """
    said, meant = (np.asarray(rater, dtype=np.float64) for rater in (judge, human))
    others = np.asarray(peers, dtype=np.float64)
    if others.ndim != 2 or said.shape != others.shape[:1]:
        raise ValueError("Give one rating of the judge an item, and peers as items by judges.")
    there = np.isfinite(others).sum(axis=1)
    used = np.isfinite(said) & np.isfinite(meant) & (there > 0)
    mine = np.asarray(own, dtype=np.bool_)[used].astype(np.float64)
    of_judge = (said - meant)[used]
    of_peers = np.nansum(others[used], axis=1) / there[used] - meant[used]
    sides = np.stack([mine, 1 - mine], axis=1)
    rows = np.concatenate(
        [
            np.ones((mine.size, 1)),
            sides,
            sides * of_judge[:, None],
            sides * of_peers[:, None],
        ],
        axis=1,
    )
    cell = cell_of_rows(
        rows,
        owners_of(clusters, used),
        n_raters=2 + int(np.isfinite(others[used]).any(axis=0).sum()),
    )
    return {name: cell.estimate(name, compute, DIFFERENCE) for name, compute in _GAPS.items()}


def _gap(sums: Floats, begin: int) -> Floats:
    """Mean over the own family's replies less that over the others."""
    means = ratio(sums[..., begin : begin + 2], sums[..., 1:3])
    return np.asarray(means[..., 0] - means[..., 1])


_GAPS: dict[str, Statistic] = {
    "own_gap": lambda sums: _gap(sums, 3),
    "peers_gap": lambda sums: _gap(sums, 5),
    "self_preference": lambda sums: _gap(sums, 3) - _gap(sums, 5),
}
