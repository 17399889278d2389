"""One person beside the others: severity, sameness, and the course over weeks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analytics.stats.agreement import two_raters
from analytics.stats.estimates import Note
from analytics.stats.intervals import NONE_IN_N_METHOD
from analytics.stats.raters import (
    Course,
    from_others,
    mean,
    n_others,
    same_as_others,
    share,
    trend,
)

NAN = np.nan
PANEL = np.array([[1, 2, 4], [3, 3, NAN], [5, NAN, NAN], [2, 2, 2]])

PANELS = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(2, 5)),
    elements=st.sampled_from([NAN, 1.0, 2.0, 3.0, 4.0, 5.0]),
)


def test_each_rating_is_set_against_the_mean_of_the_others():
    np.testing.assert_array_equal(
        from_others(PANEL), [[-2, -0.5, 2.5], [0, 0, NAN], [NAN, NAN, NAN], [0, 0, 0]]
    )
    np.testing.assert_array_equal(
        same_as_others(PANEL), [[0, 0, 0], [1, 1, NAN], [NAN, NAN, NAN], [1, 1, 1]]
    )
    np.testing.assert_array_equal(n_others(PANEL), [[2, 2, 2], [1, 1, 0], [0, 0, 0], [2, 2, 2]])


@settings(max_examples=50)
@given(panel=PANELS, shift=st.integers(-3, 3))
def test_a_shift_of_one_rater_moves_their_severity_by_as_much(panel, shift):
    moved = panel.copy()
    moved[:, 0] += shift
    np.testing.assert_allclose(from_others(moved)[:, 0], from_others(panel)[:, 0] + shift)


@settings(max_examples=50)
@given(panel=PANELS)
def test_the_severities_of_an_item_that_all_rated_add_up_to_nothing(panel):
    whole = panel[np.isfinite(panel).all(axis=1)]
    np.testing.assert_allclose(from_others(whole).sum(axis=1), 0, atol=1e-12)


def test_of_two_raters_severity_is_the_bias_with_its_interval():
    rng = np.random.default_rng(7)
    x, y = rng.integers(1, 6, (2, 60)).astype(float)
    clusters = np.repeat(np.arange(20), 3)
    severity = mean(from_others(np.column_stack([x, y]))[:, 1], name="bias", clusters=clusters)
    bias = two_raters(
        x, y, clusters=clusters, points=range(1, 6), measurement="ordinal", only={"bias"}
    )["bias"]
    assert severity.value == pytest.approx(bias.value, abs=1e-12)
    assert (severity.low, severity.high) == pytest.approx((bias.low, bias.high), abs=1e-12)
    assert severity.method == bias.method


def test_of_two_raters_sameness_is_exact_agreement():
    rng = np.random.default_rng(8)
    x, y = rng.integers(1, 4, (2, 50)).astype(float)
    same = share(same_as_others(np.column_stack([x, y]))[:, 0], name="exact")
    exact = two_raters(x, y, points=(1, 2, 3), measurement="ordinal", only={"exact"})["exact"]
    assert (same.value, same.low, same.high) == pytest.approx((exact.value, exact.low, exact.high))


def test_where_all_is_the_same_the_limit_is_exact():
    same = share(np.ones(30), name="same_again")
    assert (same.value, same.high, same.method) == (1.0, 1.0, NONE_IN_N_METHOD)
    assert same.low == pytest.approx(0.05 ** (1 / 30))


def test_nothing_given_is_no_number():
    nothing = mean([NAN, NAN], name="severity")
    assert (nothing.value, nothing.n_items, nothing.note) == (None, 0, Note.NO_OVERLAP)


class TestCourse:
    weeks = np.repeat(np.arange(1340, 1348), 12)

    def values(self, slope, seed=1):
        rng = np.random.default_rng(seed)
        return slope * (self.weeks - self.weeks[0]) + rng.normal(0, 0.5, self.weeks.size)

    def test_the_slope_is_that_of_least_squares(self):
        values = self.values(0.1)
        found = trend(values, self.weeks).slope
        assert found.value == pytest.approx(np.polyfit(self.weeks, values, 1)[0])
        assert found.low < 0.1 < found.high

    @pytest.mark.parametrize(
        ("slope", "course"), [(0.2, Course.UP), (-0.2, Course.DOWN), (0.0, Course.NOT_TOLD)]
    )
    def test_it_is_told_only_where_the_interval_tells(self, slope, course):
        assert trend(self.values(slope), self.weeks).course is course

    def test_many_checks_make_it_harder_to_tell(self):
        values = self.values(0.09, seed=3)
        assert trend(values, self.weeks).course is Course.UP
        careful = trend(values, self.weeks, n_checks=10_000)
        assert (careful.course, careful.confidence) == (Course.NOT_TOLD, 1 - 0.05 / 10_000)

    def test_one_week_has_no_slope(self):
        found = trend(self.values(0.1), np.full(self.weeks.size, 1340))
        assert (found.slope.value, found.course) == (None, Course.NOT_TOLD)

    def test_what_has_no_week_is_left_out(self):
        weeks = np.where(np.arange(self.weeks.size) % 2, self.weeks, NAN)
        assert trend(self.values(0.1), weeks).slope.n_items == self.weeks.size / 2
