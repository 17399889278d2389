"""Nobody works out a small cell from its row, its column and their sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analytics.stats.suppression import small, suppressed

pytestmark = pytest.mark.pure

LEAST = 10
COUNTS = arrays(
    np.int64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.integers(0, 60)
)


def with_sums(counts):
    rows = np.hstack([counts, counts.sum(axis=1, keepdims=True)])
    return np.vstack([rows, rows.sum(axis=0, keepdims=True)])


def test_a_small_cell_takes_the_smallest_of_its_row_and_column_with_it():
    """Hundepool et al. (2012), section 4.4: four cells at the corners of a rectangle."""
    table = with_sums(np.array([[3, 40, 50], [20, 30, 60], [25, 45, 70]]))
    assert suppressed(table, LEAST).tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False, False, False, False],
        [False, False, False, False],
    ]


def test_where_a_row_has_one_cell_the_smallest_of_the_column_goes_with_it():
    assert suppressed(np.array([[3], [50], [40]]), LEAST).tolist() == [[True], [False], [True]]


def test_a_small_cell_that_is_all_there_is_is_left_out_alone():
    assert suppressed(np.array([[3]]), LEAST).tolist() == [[True]]


def test_where_nothing_is_small_nothing_is_left_out():
    assert not suppressed(with_sums(np.array([[10, 0], [12, 40]])), LEAST).any()


@given(COUNTS)
def test_every_small_cell_is_left_out_and_none_stands_alone(counts):
    table = with_sums(counts)
    out = suppressed(table, LEAST)
    assert out[small(table, LEAST)].all()
    for axis in (0, 1):
        alone = out.sum(axis=axis) == 1
        assert not (alone & (out.shape[axis] > 1)).any()


@given(COUNTS)
def test_the_sums_of_what_is_left_give_no_small_cell_back(counts):
    """Solve what an attacker would: each row and column adds up to its sum, if that is told."""
    table = with_sums(counts)
    out = suppressed(table, LEAST)
    known = worked_out(table, out)
    assert not (known & small(table, LEAST)).any()


def worked_out(table, out):
    """Which of the cells that are left out follow from a single line at a time."""
    hidden, found = out.copy(), np.zeros_like(out)
    moved = True
    while moved:
        moved = False
        for line in [
            *np.ndindex(hidden.shape[0], 1),
            *((-1, one) for one in range(hidden.shape[1])),
        ]:
            view = hidden[line[0]] if line[0] >= 0 else hidden[:, line[1]]
            if view.sum() == 1:
                place = int(np.flatnonzero(view)[0])
                (found[line[0]] if line[0] >= 0 else found[:, line[1]])[place] = True
                view[place] = False
                moved = True
    return found
