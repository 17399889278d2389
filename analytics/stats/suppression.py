"""Which cells of a table are left out so that nobody can work out a small one.

A small cell alone would be given back by its row, or its column, and their sum. So where one of a line is
left out, another is too: the smallest of those that are left.

Hundepool, A. et al. (2012). Statistical Disclosure Control. Wiley, sections 4.2 and 4.4.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Sizes: TypeAlias = npt.NDArray[np.int64]
Cells: TypeAlias = npt.NDArray[np.bool_]


def small(sizes: Sizes, least: int) -> Cells:
    """Where a table tells of somebody, but of fewer than `least`."""
    return (sizes > 0) & (sizes < least)


def suppressed(sizes: Sizes, least: int) -> Cells:
    """Which cells (rows x columns, sums among them) are left out: small ones, and others so that in no
    row and in no column one is left out alone."""
    out = small(sizes, least)
    while (alone := _alone(sizes, out)) is not None:
        out[alone] = True
    return out


def _alone(sizes: Sizes, out: Cells) -> tuple[int, int] | None:
    """The cell to leave out beside one that stands alone in its row or column, or None."""
    for row in np.flatnonzero(out.sum(axis=1) == 1):
        left = np.flatnonzero(~out[row])
        if left.size:
            return int(row), int(left[_smallest(sizes[row, left])])
    for column in np.flatnonzero(out.sum(axis=0) == 1):
        left = np.flatnonzero(~out[:, column])
        if left.size:
            return int(left[_smallest(sizes[left, column])]), int(column)
    return None


def _smallest(sizes: Sizes) -> int:
    """Its place; an empty cell hides little and comes last."""
    return int(np.argmin(np.where(sizes > 0, sizes, np.iinfo(np.int64).max)))
