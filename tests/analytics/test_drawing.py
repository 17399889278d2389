"""From a description to a drawing, and to files for paper."""

import re
import subprocess
import sys

import pytest
from django.core.cache import cache

from analytics.present.charts import drawing
from analytics.present.charts.drawing import Busy, CannotDraw, Drawer
from analytics.present.charts.looks import PAPER, SHAPES, look_at, looks_of
from analytics.present.charts.parts import Plane, panel, whole, wrapped
from tests.services import beside, came_of

pytestmark = pytest.mark.usefixtures("empty_cache")


PLANE = Plane(x_name="People", y_name="Judge", x=(0.0, 6.0), y=(0.0, 6.0))
ROWS = [
    {"at": 1.0, "value": 2.0, "says": "At 1: 2.00 <b>", "href": "criteria/a/?column=1&row=2"},
    {"at": 3.0, "value": 4.0, "says": "At 3: 4.00", "href": ""},
]


def spec(rows=ROWS, title="评判 and people"):
    marks = PLANE.marks(rows, x="at", y="value", look=look_at(0))
    return whole(panel([marks], title=title, says='Two "marks" & no more'))


def test_the_drawing_has_a_name_and_each_mark_says_what_it_is():
    svg = drawing.drawn(spec())
    assert 'aria-label="Two &quot;marks&quot; &amp; no more"' in svg
    assert 'role="graphics-symbol"' in svg
    assert "At 1: 2.00 &lt;b&gt;" in svg
    assert "评判" in svg


def test_links_are_as_they_were_given_and_there_is_none_where_nothing_is_behind():
    svg = drawing.drawn(spec())
    assert re.findall(r'href="([^"]*)"', svg) == ["criteria/a/?column=1&amp;row=2"]


def test_nothing_in_it_breaches_the_policy_or_comes_from_elsewhere():
    svg = drawing.drawn(spec())
    assert not re.search(r"style=|<script|\son\w+=|<image|@import", svg)
    assert set(re.findall(r'https?://[^"]+', svg)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_no_two_charts_share_an_id():
    many = [spec(ROWS[:1]), spec(ROWS[1:])]
    first, second = (set(re.findall(r'\bid="([^"]+)"', drawing.drawn(one))) for one in many)
    assert first.isdisjoint(second)


def test_its_colours_are_those_of_the_theme_and_on_paper_those_of_the_light_one():
    assert "var(--series-1)" in drawing.drawn(spec())
    on_paper = drawing.as_file(spec(), "svg").decode()
    assert "var(" not in on_paper
    assert PAPER["series-1"] in on_paper
    assert "href=" not in on_paper, "a link leads nowhere from paper"


@pytest.mark.parametrize(
    ("kind", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("json", b"{")]
)
def test_the_same_description_gives_the_same_bytes(drawn_anew, kind, begins):
    first = drawing.as_file(spec(), kind)
    cache.clear()
    assert first.startswith(begins)
    assert drawing.as_file(spec(), kind) == first


def test_a_drawing_is_made_once_for_everybody():
    drawing.drawn(spec())
    assert drawing.kept(spec()) == drawing.drawn(spec())
    assert drawing.kept(spec(title="Another")) is None


def test_the_drawer_is_started_again_when_it_has_ended():
    drawer = Drawer()
    try:
        assert drawer.ask({"spec": spec(), "as": "svg"})
        drawer._child.kill()
        assert drawer.ask({"spec": spec(), "as": "svg"})
    finally:
        drawer.end()


def test_what_cannot_be_drawn_says_why_and_the_next_is_drawn():
    drawer = Drawer()
    try:
        with pytest.raises(CannotDraw, match="Vega-Lite"):
            drawer.ask({"spec": {"data": {"values": []}, "mark": "nothing"}, "as": "svg"})
        assert drawer.ask({"spec": spec(), "as": "svg"})
    finally:
        drawer.end()


def test_who_cannot_wait_is_told_that_it_is_drawing_for_somebody_else():
    drawer = Drawer()
    with drawer._turn, pytest.raises(Busy):
        drawer.ask({"spec": spec(), "as": "svg"}, patience=0)


def test_a_drawer_that_hangs_before_it_reads_keeps_nobody_waiting(monkeypatch):
    monkeypatch.setattr(drawing, "SLOW", 0.5)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    drawer = Drawer()
    drawer._child = subprocess.Popen(["sleep", "600"], **pipes)
    order = {"svg": "more than a pipe holds " * 10_000, "as": "png"}
    try:
        with pytest.raises(CannotDraw, match="longer than"):
            came_of(beside(lambda: drawer.ask(order)))
    finally:
        drawer.end()


def test_the_drawer_ends_with_who_asked():
    child = subprocess.Popen(
        [sys.executable, "-m", "analytics.present.charts.drawer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_every_judge_has_a_colour_and_a_shape_that_stay():
    looks = looks_of([30, 10, 20])
    assert looks[10] == look_at(0)
    assert looks[30] == look_at(2)
    assert len({look_at(place) for place in range(25)}) == 25
    assert {look_at(place).shape for place in range(5)} == set(SHAPES)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("Guidance", ["Guidance"]),
        ("one two three four", ["one two", "three four"]),
        ("评判模型与人工评分的一致性", ["评判模型与", "人工评分的", "一致性"]),
    ],
)
def test_a_title_is_no_wider_than_its_plot(title, lines):
    assert wrapped(title, 85) == lines
