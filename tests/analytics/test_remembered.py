"""What was computed is remembered by the content of the ratings behind it."""

import numpy as np

from analytics.figures.memo import remembered


def test_the_same_ratings_are_computed_once_and_others_anew():
    asked = []

    def total(values, clusters, *, times):
        asked.append(values.size)
        return values.sum() * times

    one, same = np.arange(3.0), np.arange(3.0)
    assert remembered(total, one, None, times=2) == 6.0
    assert remembered(total, same, None, times=2) == 6.0
    assert len(asked) == 1
    one[0] = 1.0
    assert remembered(total, one, None, times=2) == 8.0
    assert remembered(total, same, None, times=3) == 9.0
    assert remembered(total, same.reshape(1, 3), None, times=2) == 6.0
    assert remembered(total, same, np.zeros(3), times=2) == 6.0
    assert len(asked) == 5


def test_a_column_of_a_table_is_told_by_its_content():
    table = np.arange(6.0).reshape(3, 2)
    assert remembered(np.sum, table[:, 0]) == 6.0
    assert remembered(np.sum, table[:, 1]) == 9.0
