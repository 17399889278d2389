"""A Bland-Altman plot of ratings on a scale: differences over means, as bubbles by their number."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import DASHED, DOTTED, Plane, Spec, panel, plane_for, told

_LARGEST = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubble:
    """`n` pairs of ratings with this mean and this difference."""

    mean: float
    difference: float
    n: int
    says: str
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A line across: its height with its interval, and the words at its end."""

    at: float
    low: float | None
    high: float | None
    words: str
    is_limit: bool


def bland_altman_plot(
    bubbles: Sequence[Bubble],
    levels: Sequence[Level],
    *,
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """Bubbles whose area goes by n, with the bias, the limits of agreement, dashed, and their
    intervals, shaded, across them."""
    ends = [end for one in levels for end in (one.at, one.low, one.high) if end is not None]
    plane = plane_for(
        [one.mean for one in bubbles],
        [0.0, *ends, *(one.difference for one in bubbles)],
        x_name=x_name,
        y_name=y_name,
    )
    return panel(
        [
            _intervals(plane, levels),
            plane.level(0.0, colour=ink("line-strong"), dashes=DOTTED),
            _bubbles(plane, bubbles, look),
            *(
                plane.level(one.at, colour=ink("ink"), dashes=DASHED if one.is_limit else ())
                for one in levels
            ),
            _words(plane, levels),
        ],
        title=title,
        says=says,
    )


def _intervals(plane: Plane, levels: Sequence[Level]) -> Spec:
    known = [asdict(one) for one in levels if one.low is not None and one.high is not None]
    return {
        "data": {"values": known},
        "mark": {"type": "rect", "color": ink("line-strong"), "opacity": 0.25, "aria": False},
        "encoding": {"y": plane.up("low"), "y2": {"field": "high"}},
    }


def _bubbles(plane: Plane, bubbles: Sequence[Bubble], look: Look) -> Spec:
    rows = [asdict(one) for one in bubbles]
    most = max(one.n for one in bubbles)
    area = {"domain": [0, most], "range": [0, _LARGEST]}
    return {
        "data": {"values": rows},
        "mark": {
            "type": "point",
            "shape": "circle",
            "fill": look.colour,
            "fillOpacity": 0.25,
            "stroke": look.colour,
            "opacity": 1,
        },
        "encoding": {
            "x": plane.across("mean"),
            "y": plane.up("difference"),
            "size": {"field": "n", "type": "quantitative", "legend": None, "scale": area},
            **told(rows),
        },
    }


def _words(plane: Plane, levels: Sequence[Level]) -> Spec:
    """At the right end of each line."""
    return {
        "data": {"values": [{"at": one.at, "words": one.words} for one in levels]},
        "mark": {"type": "text", "align": "left", "dx": 5, "aria": False},
        "encoding": {
            "x": {"value": "width"},
            "y": plane.up("at"),
            "text": {"field": "words"},
        },
    }
