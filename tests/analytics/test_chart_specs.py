"""Descriptions of charts: they hold the numbers that they were given, and name every axis."""

import re
from datetime import date
from types import SimpleNamespace

import pytest
import vl_convert as vlc

from analytics.present.charts import (
    beside,
    bland_altman,
    calibration,
    curves,
    forest,
    found,
    grids,
    selective,
    systems,
    trends,
)
from analytics.present.charts.looks import PEOPLE, ink, look_at
from analytics.present.charts.parts import roomy, whole

NAMES = {"title": "Guidance", "says": "In words", "x_name": "Across", "y_name": "Up"}


def rows_with(spec, field):
    """The data of the layers that have this field."""
    return [
        layer["data"]["values"]
        for layer in spec["layer"]
        if any(field in row for row in layer["data"]["values"])
    ]


def axes_of(spec):
    """{channel: the names that it goes by} over all layers."""
    named = {}
    for layer in spec["layer"]:
        for channel in ("x", "y"):
            if "title" in layer["encoding"].get(channel, {}):
                named.setdefault(channel, set()).add(layer["encoding"][channel]["title"])
    return named


def marks_of(spec, kind):
    return [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == kind]


class TestCalibrationCurve:
    seen = [
        calibration.Seen(value=4, mean=3.5, low=3.2, high=3.8, n=75, says="4: 3.50", href="a"),
        calibration.Seen(value=5, mean=4.2, low=None, high=None, n=25, says="5: 4.20"),
    ]

    def curve(self):
        return calibration.calibration_curve(
            self.seen, [(4, 3.6), (5, 4.5)], points=range(1, 6), look=look_at(1), **NAMES
        )

    def test_it_holds_the_means_the_intervals_and_the_map(self):
        spec = self.curve()
        (means,) = rows_with(spec, "mean")
        assert [(one["value"], one["mean"], one["n"]) for one in means] == [
            (4, 3.5, 75),
            (5, 4.2, 25),
        ]
        whiskers = next(rows for rows in rows_with(spec, "low") if "mean" not in rows[0])
        assert whiskers == [{"value": 4, "low": 3.2, "high": 3.8}]
        assert [{"x": 4, "y": 3.6}, {"x": 5, "y": 4.5}] in rows_with(spec, "x")

    def test_what_is_refused_is_shaded(self):
        assert rows_with(self.curve(), "from") == [[{"from": 1 - 0.32, "to": 3.5}]]

    def test_axes_are_named_and_the_judge_has_its_colour_and_shape(self):
        spec = self.curve()
        assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}
        (mark,) = marks_of(spec, "point")
        assert (mark["color"], mark["shape"]) == (ink("series-2"), "square")

    def test_marks_say_what_they_are_and_lead_to_what_is_behind(self):
        (layer,) = (one for one in self.curve()["layer"] if one["mark"]["type"] == "point")
        assert layer["encoding"]["description"] == {"field": "says"}
        assert [one["href"] for one in layer["data"]["values"]] == ["a", ""]


def steps(*gaps, low=None, high=None):
    return [
        curves.Step(at=level, value=gap, low=low, high=high, n=9, says=f"{level}: {gap}")
        for level, gap in enumerate(gaps, start=1)
    ]


def test_a_severity_curve_has_the_judge_and_people_around_no_difference():
    spec = curves.curve_beside_people(
        steps(0.9, -0.3, low=-1.0, high=1.0),
        steps(0.2, 0.1),
        look=look_at(2),
        has_zero=True,
        **NAMES,
    )
    people, judge = (rows for rows in rows_with(spec, "value"))
    assert [(one["at"], one["value"]) for one in judge] == [(1, 0.9), (2, -0.3)]
    assert [(one["at"], one["value"]) for one in people] == [(1, 0.2), (2, 0.1)]
    assert [mark["shape"] for mark in marks_of(spec, "point")] == [PEOPLE.shape, "triangle-up"]
    assert {one["y"] for one in rows_with(spec, "x")[0]} == {0.0}
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


def test_bubbles_go_by_their_number_and_lines_lie_at_their_height():
    bubbles = [
        bland_altman.Bubble(mean=mean, difference=difference, n=n, says="")
        for mean, difference, n in [(3, 0, 400), (2, 1, 100)]
    ]
    levels = [
        bland_altman.Level(at=0.5, low=0.4, high=0.6, words="+0.50", is_limit=False),
        bland_altman.Level(at=-1.5, low=None, high=None, words="−1.50", is_limit=True),
    ]
    spec = bland_altman.bland_altman_plot(bubbles, levels, look=look_at(0), **NAMES)
    (shown,) = rows_with(spec, "difference")
    assert [(one["mean"], one["difference"], one["n"]) for one in shown] == [
        (3, 0, 400),
        (2, 1, 100),
    ]
    (size,) = (one["encoding"]["size"] for one in spec["layer"] if "size" in one["encoding"])
    assert (size["field"], size["scale"]["domain"]) == ("n", [0, 400])
    (intervals,) = rows_with(spec, "is_limit")
    assert [(one["low"], one["high"]) for one in intervals] == [(0.4, 0.6)]
    heights = [{row["y"] for row in rows} for rows in rows_with(spec, "x")]
    assert heights == [{0.0}, {0.5}, {-1.5}]
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


def test_a_selective_curve_tells_what_holds_and_its_target():
    taken = [
        selective.SelectivePoint(
            accepted=40, agreeing=95, at_least=91, n=60, tells_of=(3, 57), is_safe=True, says="a"
        ),
        selective.SelectivePoint(
            accepted=90, agreeing=80, at_least=75, n=60, tells_of=(12, 48), is_safe=False, says="b"
        ),
    ]
    spec = selective.selective_curve(taken, target=90, look=look_at(0), **NAMES)
    (marks,) = rows_with(spec, "is_safe")
    assert [(one["accepted"], one["agreeing"], one["is_safe"]) for one in marks] == [
        (40, 95, True),
        (90, 80, False),
    ]
    assert rows_with(spec, "low") == [
        [
            {"accepted": 40, "low": 91, "high": 95},
            {"accepted": 90, "low": 75, "high": 80},
        ]
    ]
    assert {one["y"] for one in rows_with(spec, "x")[0]} == {90}
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


def moments(*values):
    return [
        trends.Moment(
            at=date(2026, 3, 2 + 7 * place),
            value=value,
            low=value - 0.2 if place else None,
            high=value + 0.2 if place else None,
            n=12,
            says=f"{value}",
        )
        for place, value in enumerate(values)
    ]


def test_a_trend_has_a_mark_a_week_within_the_frame_of_all():
    frame = trends.frame_for(moments(0.1, 0.2, 0.9), around=0.0)
    spec = trends.trend_line(moments(0.1, 0.2), frame, around=0.0, **NAMES)
    marks = rows_with(spec, "says")[-1]
    assert [(one["at"], one["value"]) for one in marks] == [
        ("2026-03-02", 0.1),
        ("2026-03-09", 0.2),
    ]
    assert [{"value": 0.0}] in rows_with(spec, "value")
    whiskers = [layer for layer in spec["layer"] if "y2" in layer["encoding"]]
    assert [(one["low"], one["high"]) for one in whiskers[0]["data"]["values"]] == [(0.0, 0.4)]
    assert frame.days == (date(2026, 3, 2), date(2026, 3, 16))
    assert frame.values[0] < 0.0
    assert frame.values[1] > 1.1
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


def cell(row, column, value, **more):
    told = {"words": f"{value}", "small": "", "n": 60, "is_same": row == column, "says": "said"}
    return grids.GridMark(row=row, column=column, value=value, shade=value or 0.0, **told | more)


def test_a_pair_of_raters_is_a_cell_with_its_number_and_its_n():
    names = grids.numbered(["Ben", "Cleo"])
    assert names == ["1  Ben", "2  Cleo"]
    spec = grids.pairs_grid(names, [cell("2  Cleo", "1", 0.5, small="n 60")], **NAMES)
    for rows in rows_with(spec, "value"):
        assert [(one["row"], one["column"], one["value"], one["n"]) for one in rows] == [
            ("2  Cleo", "1", 0.5, 60)
        ]
    texts = [one["encoding"]["text"]["field"] for one in spec["layer"] if "text" in one["encoding"]]
    assert texts == ["words", "small"]
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


def test_a_count_is_shaded_by_its_share_of_the_row():
    names = ["Safe Response", "Nonsense"]
    spec = grids.confusion_grid(names, [cell("Nonsense", "Safe Response", 3, href="x")], **NAMES)
    assert spec["layer"][0]["encoding"]["fillOpacity"]["field"] == "shade"
    assert spec["layer"][0]["encoding"]["href"] == {"field": "href"}
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


def test_what_a_judge_found_is_filled_and_what_it_missed_is_open():
    shares = [
        found.FoundShare(judge="oak", is_found=True, n=8, says="", href="f"),
        found.FoundShare(judge="oak", is_found=False, n=2, says="", href="m"),
    ]
    spec = found.found_bars(shares, {"oak": look_at(0)}, **NAMES)
    (rows,) = rows_with(spec, "n")
    assert [(one["judge"], one["is_found"], one["n"]) for one in rows] == [
        ("oak", True, 8),
        ("oak", False, 2),
    ]
    assert spec["layer"][0]["encoding"]["fillOpacity"]["condition"]["test"] == "datum.is_found"
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


@pytest.mark.parametrize(
    ("n", "ticks"), [(1, [0, 1]), (2, [0, 1, 2]), (10, [0, 2, 4, 6, 8, 10]), (31, [0, 10, 20, 30])]
)
def test_an_axis_of_counts_has_whole_numbers_and_each_once(n, ticks):
    share = found.FoundShare(judge="oak", is_found=True, n=n, says="")
    spec = whole(found.found_bars([share], {"oak": look_at(0)}, **NAMES))
    drawn = re.findall(r"<text[^>]*>(\d+)</text>", vlc.vegalite_to_svg(spec))
    assert [int(one) for one in drawn] == ticks


def test_what_an_axis_of_names_is_called_stands_above_them():
    """Beside them it would run into long ones, in letters wider than those it was drawn with."""
    long = "A judge of many words, prompt of March"
    share = found.FoundShare(judge=long, is_found=True, n=3, says="")
    seen = forest.ForestLine(
        criterion=long, who="oak", value=0.5, low=None, high=None, n=9, says=""
    )
    bars = found.found_bars([share], {long: look_at(0)}, **NAMES)
    plot = forest.forest_plot([seen], [], {"oak": look_at(0)}, ends=(0, 1), who="Judge", **NAMES)
    grid = grids.confusion_grid([long], [cell(long, long, 3)], **NAMES)
    for spec in (bars, plot, grid):
        svg = vlc.vegalite_to_svg(whole(spec))
        placed = re.findall(r"translate\([\d.-]+,([\d.-]+)\)\"[^>]*>(Up|A judge)", svg)
        heights = {word: float(height) for height, word in placed}
        assert heights["Up"] + 10 < heights["A judge"]


class TestForest:
    lines = [
        forest.ForestLine(
            criterion="Safety", who=who, value=value, low=low, high=0.9, n=9, says=who
        )
        for who, value, low in [("people", 0.8, 0.7), ("oak", 0.5, 0.3), ("elm", -0.1, None)]
    ]
    looks = {"people": PEOPLE, "oak": look_at(0), "elm": look_at(1), "ash": look_at(2)}

    def spec(self, *bands):
        return forest.forest_plot(
            self.lines, bands, self.looks, ends=forest.ends_of(self.lines), who="Rater", **NAMES
        )

    def test_it_holds_values_and_intervals_by_rater(self):
        *_rest, whiskers, marks = rows_with(self.spec(), "who")
        assert [(one["who"], one["value"], one["low"]) for one in marks] == [
            ("people", 0.8, 0.7),
            ("oak", 0.5, 0.3),
            ("elm", -0.1, None),
        ]
        assert [one["who"] for one in whiskers] == ["people", "oak"]
        assert forest.ends_of(self.lines) == (-0.1, 1.0)

    def test_each_rater_has_its_colour_and_its_shape_and_none_is_there_for_nothing(self):
        encoding = self.spec()["layer"][-1]["encoding"]
        assert encoding["shape"]["scale"] == {
            "domain": ["people", "oak", "elm"],
            "range": ["circle", "diamond", "square"],
        }
        assert encoding["color"]["scale"]["range"] == [
            PEOPLE.colour,
            ink("series-1"),
            ink("series-2"),
        ]

    def test_what_people_reach_is_a_band_of_the_criterion_or_of_one_judge(self):
        band = forest.Band(criterion="Safety", low=0.7, high=0.9, says="People")
        whole = self.spec(band)["layer"][0]
        assert [(one["low"], one["high"]) for one in whole["data"]["values"]] == [(0.7, 0.9)]
        assert "yOffset" not in whole["encoding"]
        own = forest.Band(criterion="Safety", low=0.7, high=0.9, says="People", who="oak")
        assert "yOffset" in self.spec(own)["layer"][0]["encoding"]

    def test_axes_are_named(self):
        assert axes_of(self.spec()) == {"x": {"Across"}, "y": {"Up"}}


def test_a_generator_is_a_mark_with_its_letter():
    means = [systems.Mean(system="pond", letter="a", people=2.0, judge=2.4, n=30, says="a")]
    spec = systems.systems_plot(means, look=look_at(0), **NAMES)
    for rows in rows_with(spec, "letter"):
        assert [(one["system"], one["people"], one["judge"]) for one in rows] == [
            ("pond", 2.0, 2.4)
        ]
    assert axes_of(spec) == {"x": {"Across"}, "y": {"Up"}}


@pytest.mark.parametrize(
    ("values", "ends"),
    [([1.0, 5.0], (0.68, 5.32)), ([2.0], (1.92, 2.08)), ([0.0, 0.0], (-0.08, 0.08))],
)
def test_a_plane_has_air_around_what_it_holds(values, ends):
    assert roomy(values) == pytest.approx(ends)


def test_the_mean_of_a_generator_says_of_how_many_pairs_it_is():
    report = SimpleNamespace(
        raters=[SimpleNamespace(id=1, name="Elm", is_judge=True)],
        criteria=[SimpleNamespace(key="care", name="Care")],
    )
    line = SimpleNamespace(
        judge=1,
        criterion="care",
        systems=["pond", "lake"],
        means=[(2.0, 2.4), (3.0, 3.1)],
        n_pairs=[1200, 1],
    )
    assert beside.systems(report, line)["description"] == (
        "a, pond: people 2.00, judge 2.40; 1,200 pairs; b, lake: people 3.00, judge 3.10; 1 pair"
    )
