"""Descriptions of charts: they hold the numbers that they were given, and name every axis."""

from analytics.present.charts import calibration
from analytics.present.charts.looks import ink, look_at

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
