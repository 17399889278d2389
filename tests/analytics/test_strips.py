"""Strips of a forest plot: where marks stand, and what they say."""

import re

import pytest

from analytics.present.charts import strips
from analytics.present.charts.looks import look_at
from analytics.stats.estimates import Estimate


def estimate(value, low=None, high=None) -> Estimate:
    return Estimate(
        statistic="kappa",
        value=value,
        low=low,
        high=high,
        n_items=9,
        n_pairs=9,
        n_clusters=9,
        n_raters=2,
    )


@pytest.mark.parametrize(
    ("estimates", "ends"),
    [
        ([], (0.0, 1.0)),
        ([estimate(0.4, 0.2, 0.6)], (0.0, 1.0)),
        ([estimate(-0.1, -0.35, 0.2)], (-0.4, 1.0)),
        ([estimate(None)], (0.0, 1.0)),
    ],
)
def test_an_axis_holds_every_interval(estimates, ends):
    axis = strips.axis_for(estimates)
    assert (axis.low, axis.high) == ends
    assert axis.ticks[0] == axis.low
    assert 0.0 in axis.ticks
    assert len(axis.ticks) <= 9


def test_an_axis_of_differences_goes_by_the_data():
    axis = strips.axis_for([estimate(0.7, 0.6, 0.8), estimate(-0.1)], low=None, high=None)
    assert axis.low <= -0.1
    assert 0.8 <= axis.high < 1.0


def test_places_grow_with_values_and_stop_at_the_ends():
    axis = strips.axis_for([])
    places = [axis.place(value) for value in (-3.0, 0.0, 0.5, 1.0, 3.0)]
    assert places == [8.0, 8.0, 200.0, 392.0, 392.0]


def test_a_strip_is_a_drawing_with_words():
    drawn = strips.strip(
        estimate(0.5, 0.25, 0.75),
        strips.axis_for([]),
        says='Safety, "A & B": 0.50',
        look=look_at(0),
    )
    assert 'role="img"' in drawn
    assert 'aria-label="Safety, &quot;A &amp; B&quot;: 0.50"' in drawn
    assert "strip__mark--diamond" in drawn
    assert 'color="var(--series-1)"' in drawn
    assert drawn.count("strip__whisker") == 1
    assert not re.search(r"style=|<script|on\w+=", drawn)


def test_without_an_interval_there_is_a_mark_only_and_without_a_value_nothing():
    axis = strips.axis_for([])
    assert "strip__whisker" not in strips.strip(estimate(0.5), axis, says="x")
    assert "strip__mark" not in strips.strip(estimate(None), axis, says="x")


def test_the_interval_of_people_is_a_band_behind_a_judge():
    axis = strips.axis_for([])
    drawn = strips.strip(estimate(0.5), axis, says="x", band=estimate(0.7, 0.5, 1.0))
    assert '<rect class="strip__band" x="200.0" y="0" width="192.0"' in drawn


def test_judges_differ_by_shape():
    axis = strips.axis_for([])
    shapes = {
        re.search(
            r"mark--([\w-]+)", strips.strip(estimate(0.5), axis, says="x", look=look_at(place))
        )[1]
        for place in range(5)
    }
    assert len(shapes) == 5
