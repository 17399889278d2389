"""What charts are put together from: Vega-Lite descriptions as plain dictionaries.

A row of data has the numbers under their names, `says`, which is what the mark says of itself, and
where there are items behind it their address, `href`, as seen from the overview of the figures.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.present.charts.looks import FONT, SIZE, Look, ink

Spec = dict[str, Any]
Row = Mapping[str, object]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT = 340, 260
MARK = 90
DASHED, DOTTED = (7, 5), (1, 4)
# An axis of names has what it is called above them: beside long ones it would run into them.
OF_NAMES = {
    "domain": False,
    "ticks": False,
    "labelPadding": 8,
    "titleAngle": 0,
    "titleAlign": "right",
    "titleBaseline": "bottom",
    "titleX": -8,
    "titleY": -6,
}
_AIR = 0.08
_WIDE = "\u2e80"
_LETTER = 8  # pixels, of a title
_ROOM = 24  # pixels: letters of a reader who lacks the fonts may be wider


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """Two named axes, each from its lowest to its highest value."""

    x_name: str
    y_name: str
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, field: str) -> Spec:
        return quantity(field, self.x_name, self.x)

    def up(self, field: str) -> Spec:
        return quantity(field, self.y_name, self.y)

    def line(
        self,
        points: Iterable[tuple[float, float]],
        *,
        colour: str,
        dashes: Sequence[int] = (),
        width: float = 2,
    ) -> Spec:
        """Straight from point to point."""
        mark = {"type": "line", "color": colour, "strokeWidth": width, "aria": False}
        return {
            "data": {"values": [{"x": x, "y": y} for x, y in points]},
            "mark": mark | ({"strokeDash": [*dashes]} if dashes else {}),
            "encoding": {"x": self.across("x"), "y": self.up("y")},
        }

    def level(self, at: float, *, colour: str, dashes: Sequence[int] = ()) -> Spec:
        """From side to side."""
        ends = [(self.x[0], at), (self.x[1], at)]
        return self.line(ends, colour=colour, dashes=dashes, width=1.5)

    def whiskers(self, rows: Iterable[Row], *, x: str, colour: str) -> Spec:
        """From `low` to `high` where a row has them."""
        known = [row for row in rows if row["low"] is not None and row["high"] is not None]
        return {
            "data": {"values": [{name: row[name] for name in (x, "low", "high")} for row in known]},
            "mark": {"type": "rule", "color": colour, "strokeWidth": 1.5, "aria": False},
            "encoding": {"x": self.across(x), "y": self.up("low"), "y2": {"field": "high"}},
        }

    def marks(self, rows: Sequence[Row], *, x: str, y: str, look: Look, **more: Spec) -> Spec:
        """A mark a row, which says what it is and leads to what is behind it."""
        return {
            "data": {"values": rows},
            "mark": point(look),
            "encoding": {"x": self.across(x), "y": self.up(y), **told(rows), **more},
        }


def plane_for(xs: Iterable[float], ys: Iterable[float], *, x_name: str, y_name: str) -> Plane:
    """A plane that holds all these values with some air around them."""
    return Plane(x_name=x_name, y_name=y_name, x=roomy([*xs]), y=roomy([*ys]))


def roomy(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    air = _AIR * ((high - low) or 1.0)
    return low - air, high + air


def quantity(field: str, name: str, ends: tuple[float, float], **axis: object) -> Spec:
    """A number along a named axis."""
    return {
        "field": field,
        "type": "quantitative",
        "title": name,
        "scale": {"domain": [*ends], "nice": False, "zero": False},
        "axis": {"tickCount": 6} | axis,
    }


def point(look: Look) -> Spec:
    return {
        "type": "point",
        "filled": True,
        "color": look.colour,
        "shape": look.shape,
        "size": MARK,
        "opacity": 1,
    }


def told(rows: Sequence[Row]) -> Spec:
    """What marks say to a pointer, a keyboard and a reader of screens, and where they lead."""
    leads = any(row.get("href") for row in rows)
    return {"description": {"field": "says"}} | ({"href": {"field": "href"}} if leads else {})


def panel(
    layers: Sequence[Spec], *, title: str, says: str, width: float = WIDTH, height: float = HEIGHT
) -> Spec:
    """One plot; `says` is its text alternative."""
    return {
        "title": wrapped(title, width),
        "description": says,
        "width": width,
        "height": height,
        "layer": [layer for layer in layers if layer["data"]["values"]],
    }


def side_by_side(panels: Sequence[Spec], *, title: str, says: str, columns: int = 3) -> Spec:
    """Several plots, each with axes of its own."""
    return {
        "title": wrapped(title, columns * WIDTH),
        "description": says,
        "concat": [*panels],
        "columns": columns,
        "spacing": 24,
    }


def whole(drawing: Spec) -> Spec:
    """A description that stands alone, with the look that all charts share."""
    letters = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": SIZE, "titleFontSize": SIZE}
    colours = {"labelColor": ink("ink-soft"), "titleColor": ink("ink")}
    axis = {
        **letters,
        **colours,
        "titleFontWeight": "normal",
        "aria": False,  # Vega speaks English; the whole says what it shows
        "domainColor": ink("line-strong"),
        "tickColor": ink("line-strong"),
        "gridColor": ink("line"),
        "labelLimit": 220,
        "titleLimit": 0,
    }
    title = {
        "font": FONT,
        "fontSize": 13,
        "fontWeight": 600,
        "color": ink("ink"),
        "anchor": "start",
        "frame": "group",
        "offset": 10,
        "limit": 0,
    }
    legend = {
        **letters,
        **colours,
        "titleFontWeight": "normal",
        "aria": False,  # Vega speaks English; the whole says what it shows
        "labelLimit": 0,
        "orient": "top",
        "columnPadding": _ROOM,
    }
    return {
        "$schema": SCHEMA,
        **drawing,
        "config": {
            "background": ink("surface"),
            "font": FONT,
            "padding": 6,
            "view": {"stroke": None},
            "axis": axis,
            "legend": legend,
            "title": title,
            "text": {"font": FONT, "fontSize": SIZE, "color": ink("ink")},
        },
    }


def as_text(spec: Spec) -> str:
    """The description as JSON, the same for the same chart."""
    return json.dumps(spec, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def wrapped(text: str, width: float) -> list[str]:
    """A title in lines that are no wider than this; Chinese takes twice the room and no spaces."""
    lines, line = [], ""
    for word in _words(text):
        if line and _width(line + word) > width:
            lines.append(line.strip())
            line = ""
        line += word
    return [*lines, line.strip()]


def _words(text: str) -> Iterable[str]:
    word = ""
    for letter in text:
        word += letter
        if letter == " " or letter >= _WIDE:
            yield word
            word = ""
    yield word


def _width(text: str) -> int:
    return sum(2 * _LETTER if letter >= _WIDE else _LETTER for letter in text)
