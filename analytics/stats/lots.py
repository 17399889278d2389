"""Drawing by lot what stays drawn: an audit slice of items, one item of each dialogue."""

import numpy as np
import numpy.typing as npt

from analytics.stats.scales import Floats

_GOLDEN = 0x9E3779B97F4A7C15
_MIXES = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LAST_MIX = 31


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


def _mixed(state: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    for shift, factor in _MIXES:
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state ^ (state >> np.uint64(_LAST_MIX))
