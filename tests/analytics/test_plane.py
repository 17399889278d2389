"""Curves and bubbles on a plane."""

import re

import pytest

from analytics.present.charts.bubbles import Bubble, Level, bland_altman
from analytics.present.charts.curves import Step, severity
from analytics.present.charts.plane import HEIGHT, WIDTH, Plane, plane_for, ticks_of


def numbers_of(drawing, pattern):
    return [float(found) for found in re.findall(pattern, drawing)]


@pytest.mark.parametrize(
    ("bounds", "ticks"),
    [
        ((0.7, 5.3), (1.0, 2.0, 3.0, 4.0, 5.0)),
        ((-4.3, 4.3), (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)),
        ((-0.04, 0.54), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)),
        ((0, 62), (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0)),
    ],
)
def test_ticks_are_round_and_few(bounds, ticks):
    assert ticks_of(bounds) == ticks


def test_a_plane_holds_all_values_even_a_single_one():
    plane = plane_for([3.0], [2.0, 2.0])
    assert 0 < plane.across(3.0) < WIDTH
    assert 0 < plane.down(2.0) < HEIGHT


def test_larger_values_lie_to_the_right_and_above():
    plane = Plane(x=(0, 10), y=(0, 10))
    assert plane.across(2) < plane.across(8)
    assert plane.down(2) > plane.down(8)
    assert plane.across(99) == plane.across(10)


def drawn(**changes):
    steps = [Step(level=1, mean=2.5, low=2.0, high=3.0), Step(level=3, mean=3.0)]
    said = {"levels": [1, 2, 3], "says": "Where <b> gave 1", "x_name": "People", "y_name": "Judge"}
    return severity(steps, [Step(level=1, mean=1.5), Step(level=3, mean=2.8)], **said | changes)


def test_a_curve_has_a_mark_a_level_and_a_whisker_an_interval():
    drawing = drawn()
    assert drawing.count("plane__mark") == 2
    assert drawing.count("plane__whisker") == 1
    for kind in ("ideal", "beside", "judge"):
        assert drawing.count(f"plane__line--{kind}") == 1


def test_text_in_a_drawing_is_escaped_and_nothing_is_styled_inline():
    drawing = drawn()
    assert "Where &lt;b&gt; gave 1" in drawing
    assert "style=" not in drawing
    assert 'role="img"' in drawing


def test_bubbles_grow_with_the_root_of_their_number_and_lines_lie_at_their_height():
    bubbles = [Bubble(3.0, 0.0, 400), Bubble(2.0, 1.0, 100), Bubble(4.0, -1.0, 1)]
    levels = [Level(0.5, "+0.50", "bias"), Level(-1.5, "−1.50", "limit")]
    drawing = bland_altman(bubbles, levels, says="words", x_name="Mean", y_name="Less")
    sizes = numbers_of(drawing, r'plane__bubble"[^>]* r="([\d.]+)"')
    assert sizes[0] == 2 * sizes[1]
    assert 0 < sizes[2] < sizes[1]
    lines = numbers_of(drawing, r'plane__line--\w+" x1="[\d.]+" x2="[\d.]+" y1="([\d.]+)"')
    zero, bias, limit = lines
    assert bias < zero < limit
    assert "−1.50" in drawing
