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
    courses,
    from_others,
    mean,
    mean_square,
    n_others,
    same_as_others,
    share,
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


def test_the_mean_square_of_two_differences_from_others_is_a_half_of_that_between_them():
    """With limits on logarithms, so that they are above 0."""
    rng = np.random.default_rng(9)
    x, y = rng.integers(1, 6, (2, 60)).astype(float)
    found = mean_square(y - x, name="mse")
    mse = two_raters(x, y, points=range(1, 6), measurement="ordinal", only={"mse"})["mse"]
    assert found.value == pytest.approx(((x - y) ** 2).mean())
    assert (found.value, found.low, found.high) == pytest.approx((mse.value, mse.low, mse.high))


@pytest.mark.parametrize("of", [mean, mean_square, share])
def test_a_figure_says_on_how_much_it_rests(of):
    found = of([0, 1, NAN, 1], name="exact", clusters=[1, 1, 2, 2], n_pairs=7, n_raters=4)
    assert (found.n_items, found.n_pairs, found.n_clusters, found.n_raters) == (3, 7, 2, 4)
    one = of([1.0], name="exact")
    assert (one.value, one.n_pairs, one.n_raters) == (1.0, 1, 2)


def test_where_all_is_the_same_the_limit_is_exact():
    same = share(np.ones(30), name="same_again")
    assert (same.value, same.high, same.method) == (1.0, 1.0, NONE_IN_N_METHOD)
    assert same.low == pytest.approx(0.05 ** (1 / 30))


def test_nothing_given_is_no_number():
    nothing = mean([NAN, NAN], name="severity")
    assert (nothing.value, nothing.n_items, nothing.note) == (None, 0, Note.NO_OVERLAP)


class TestCourses:
    """Ninety-six items over eight weeks; everybody rates all of them."""

    weeks = np.repeat(np.arange(1340, 1348), 12)

    def ratings(self, *slopes, seed=1):
        rng = np.random.default_rng(seed)
        truth = rng.normal(3, 1, self.weeks.size)
        after = self.weeks - self.weeks[0]
        return np.stack(
            [truth + slope * after + rng.normal(0, 0.4, truth.size) for slope in slopes], axis=1
        )

    def courses(self, ratings, beside=from_others, **more):
        weeks = np.repeat(self.weeks[:, None], ratings.shape[1], axis=1)
        return courses(ratings, weeks, beside=beside, **more)

    def test_the_slope_is_that_of_least_squares(self):
        ratings = self.ratings(0, 0.1)
        found = self.courses(ratings)[1]
        apart = ratings[:, 1] - ratings[:, 0]
        assert found.slope.value == pytest.approx(np.polyfit(self.weeks, apart, 1)[0])
        assert found.slope.low < 0.1 < found.slope.high
        assert (found.n_others, found.confidence) == (1, 0.975)
        assert (found.slope.statistic, found.slope.n_raters) == ("change_a_week", 2)

    @pytest.mark.parametrize(
        ("slopes", "expected"),
        [
            ((0, 0, 0, 0), "...."),
            ((0.2, 0, 0, 0), "+..."),
            ((0, 0, -0.2, 0), "..-."),
            ((0.2, 0, -0.2, 0, 0), "+.-.."),
        ],
    )
    def test_only_who_moves_is_said_to_move(self, slopes, expected):
        marks = {Course.UP: "+", Course.DOWN: "-", Course.NOT_TOLD: "."}
        found = self.courses(self.ratings(*slopes))
        assert "".join(marks[found[column].course] for column in range(len(slopes))) == expected

    def test_who_stays_is_set_beside_those_who_stay(self):
        found = self.courses(self.ratings(0.3, 0, 0, 0))
        assert [found[column].n_others for column in range(4)] == [3, 2, 2, 2]
        assert abs(found[1].slope.value) < 0.05

    def test_of_two_both_are_said_to_move_apart(self):
        found = self.courses(self.ratings(0.2, 0))
        assert (found[0].course, found[1].course) == (Course.UP, Course.DOWN)
        assert found[0].slope.value == pytest.approx(-found[1].slope.value)

    def test_labels_are_followed_by_how_often_they_are_the_same(self):
        rng = np.random.default_rng(4)
        labels = np.repeat(rng.integers(0, 3, self.weeks.size)[:, None], 3, axis=1).astype(float)
        strays = rng.random(self.weeks.size) < (self.weeks - self.weeks[0]) / 9
        labels[strays, 0] = 7
        found = self.courses(labels, beside=same_as_others)
        assert found[0].course is Course.DOWN
        assert [found[column].course for column in (1, 2)] == [Course.NOT_TOLD] * 2

    def test_too_few_ratings_and_one_week_have_no_course(self):
        ratings = self.ratings(0, 0.2)
        assert self.courses(ratings, least=97) == {}
        weeks = np.full(ratings.shape, 1340)
        assert courses(ratings, weeks, beside=from_others) == {}

    def test_two_weeks_are_enough(self):
        ratings = self.ratings(0, 0.2)
        weeks = np.where(self.weeks < np.median(self.weeks), 1340, 1350)
        weeks = np.repeat(weeks[:, None], 2, axis=1)
        assert courses(ratings, weeks, beside=from_others)[1].course is Course.UP

    def test_what_has_no_week_is_left_out(self):
        ratings = self.ratings(0, 0.2)
        weeks = np.repeat(self.weeks[:, None], 2, axis=1).astype(float)
        weeks[::2, 1] = NAN
        assert courses(ratings, weeks, beside=from_others)[1].slope.n_items == 48

    def test_one_person_alone_has_no_course(self):
        assert self.courses(self.ratings(0.2)) == {}
