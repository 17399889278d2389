"""Two differ as an item allows where one of them would defend the other's value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analytics.stats.defensible import same_or_defensible
from analytics.stats.raters import same_as_others

POINTS = (1.0, 2.0, 3.0)


def test_a_value_that_the_other_would_defend_counts_as_the_same():
    ratings = np.array([[1, 2, np.nan], [1, 2, 3], [1, 1, 3], [np.nan, 2, np.nan]])
    defends = np.zeros((4, 3, 3), dtype=bool)
    defends[0, 0, 1] = True  # the first would have given 2 as well
    defends[1, 2, 0] = True  # the third would have given 1 as well
    defends[3, 1, 0] = True  # nobody else rated it
    found = same_or_defensible(ratings, defends, POINTS)
    expected = [[1, 1, np.nan], [0.5, 0, 0.5], [0.5, 0.5, 0], [np.nan, np.nan, np.nan]]
    np.testing.assert_array_equal(found, np.array(expected))


values = st.sampled_from([*POINTS, np.nan])
rows = st.integers(1, 4).flatmap(
    lambda r: st.lists(st.lists(values, min_size=r, max_size=r), min_size=1, max_size=5)
)


@given(rows, st.randoms(use_true_random=False))
def test_it_is_at_least_the_sameness_and_the_sameness_where_nobody_defends_anything(given_, dice):
    ratings = np.array(given_)
    nothing = np.zeros((*ratings.shape, 3), dtype=bool)
    same = same_as_others(ratings)
    np.testing.assert_array_equal(same_or_defensible(ratings, nothing, POINTS), same)
    some = np.array([dice.random() < 0.4 for _ in range(nothing.size)]).reshape(nothing.shape)
    allowed = same_or_defensible(ratings, some, POINTS)
    known = np.isfinite(same)
    np.testing.assert_array_equal(np.isfinite(allowed), known)
    assert (allowed[known] >= same[known]).all()
    assert (allowed[known] <= 1).all()
    everything = same_or_defensible(ratings, ~nothing, POINTS)
    assert (everything[known] == 1).all()
