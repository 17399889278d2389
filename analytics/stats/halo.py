"""Does a rater tell the criteria apart? The halo index: items where all criteria get one rating."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analytics.stats.cells import cell_of_rows, owners_of
from analytics.stats.estimates import Estimate
from analytics.stats.intervals import DIFFERENCE, SHARE
from analytics.stats.none_in_n import one_sided
from analytics.stats.scales import Floats, quotient, ratio


def halo_index(ratings: npt.ArrayLike, *, clusters: npt.ArrayLike | None = None) -> Estimate:
    """Share of items on which a rater gives all criteria the same rating.

    `ratings` (n, c), NaN where missing; items with every criterion count. `clusters` (n,): the
    dialogue of each item, None when every item stands alone. Where it is none or all, the limit is the
    exact one-sided.
    """
    values = _checked(ratings)
    complete = np.asarray(np.isfinite(values).all(axis=1))
    rows = np.stack([complete, complete & _all_equal(values)], axis=1).astype(np.float64)
    cell = cell_of_rows(rows[complete], owners_of(clusters, complete), n_raters=1)
    return one_sided(cell.estimate("halo", quotient(1), SHARE))


def halo_difference(
    one: npt.ArrayLike,
    other: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """Halo index of the second rater less that of the first, on items both rated completely."""
    first, second = _checked(one), _checked(other)
    if first.shape != second.shape:
        raise ValueError("Both raters need the same items and criteria.")
    both = np.asarray(np.isfinite(np.concatenate([first, second], axis=1)).all(axis=1))
    rows = np.stack([both, _all_equal(first), _all_equal(second)], axis=1).astype(np.float64)
    cell = cell_of_rows(rows[both], owners_of(clusters, both))
    return cell.estimate(
        "halo_difference",
        lambda flat: ratio(flat[..., 2] - flat[..., 1], flat[..., 0]),
        DIFFERENCE,
    )


def _checked(ratings: npt.ArrayLike) -> Floats:
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError("A halo shows on two criteria or more: give items by criteria.")
    return values


def _all_equal(values: Floats) -> npt.NDArray[np.bool_]:
    return np.asarray((values == values[:, :1]).all(axis=1))
