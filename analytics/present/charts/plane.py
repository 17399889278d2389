"""A plane with two axes, for curves and bubbles: numbers in, places in the drawing out."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 440, 340
LEFT, RIGHT, TOP, BOTTOM = 56, 76, 12, 48
_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_MOST_TICKS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """From `x` (lowest, highest) and `y` to the drawing; margins hold the words of the axes."""

    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        """Where a value of x lies from the left."""
        return round(LEFT + _share(value, self.x) * (WIDTH - LEFT - RIGHT), 2)

    def down(self, value: float) -> float:
        """Where a value of y lies from the top."""
        return round(HEIGHT - BOTTOM - _share(value, self.y) * (HEIGHT - TOP - BOTTOM), 2)


def plane_for(xs: Iterable[float], ys: Iterable[float]) -> Plane:
    """A plane that holds all these values with some air around them."""
    return Plane(x=_roomy([*xs]), y=_roomy([*ys]))


def ticks_of(bounds: tuple[float, float]) -> tuple[float, ...]:
    """Round numbers between two bounds, nine at most."""
    low, high = bounds
    step = next((one for one in _STEPS if (high - low) / one <= _MOST_TICKS), high - low)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(round(place * step, 10) for place in range(first, last + 1))


def drawing(plane: Plane, *, says: str, x_name: str, y_name: str, inside: SafeString) -> SafeString:
    """The axes with their names and ticks around what is `inside`; `says` tells it in words."""
    return format_html(
        '<svg class="plane" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}'
        '<text class="plane__name" x="{}" y="{}" text-anchor="middle">{}</text>'
        '<text class="plane__name" transform="translate(14 {}) rotate(-90)" '
        'text-anchor="middle">{}</text></svg>',
        WIDTH,
        HEIGHT,
        says,
        _grid(plane, ticks_of(plane.x), is_x=True),
        _grid(plane, ticks_of(plane.y), is_x=False),
        inside,
        (LEFT + WIDTH - RIGHT) / 2,
        HEIGHT - 8,
        x_name,
        (TOP + HEIGHT - BOTTOM) / 2,
        y_name,
    )


def line(plane: Plane, points: Sequence[tuple[float, float]], *, kind: str) -> SafeString:
    """Straight from point to point; `kind` ends the class that gives it its look."""
    places = " ".join(f"{plane.across(x)},{plane.down(y)}" for x, y in points)
    return format_html('<polyline class="plane__line plane__line--{}" points="{}"/>', kind, places)


def _grid(plane: Plane, ticks: Sequence[float], *, is_x: bool) -> SafeString:
    if is_x:
        foot = HEIGHT - BOTTOM
        return format_html_join(
            "",
            '<line class="plane__tick" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>'
            '<text x="{0}" y="{3}" text-anchor="middle">{4}</text>',
            ((plane.across(tick), TOP, foot, foot + 16, _said(tick)) for tick in ticks),
        )
    return format_html_join(
        "",
        '<line class="plane__tick" x1="{1}" x2="{2}" y1="{0}" y2="{0}"/>'
        '<text x="{3}" y="{4}" text-anchor="end">{5}</text>',
        (
            (y, LEFT, WIDTH - RIGHT, LEFT - 6, y + 4, _said(tick))
            for tick, y in ((tick, plane.down(tick)) for tick in ticks)
        ),
    )


def _said(tick: float) -> str:
    return f"{tick + 0.0:g}".replace("-", "−")


def _share(value: float, bounds: tuple[float, float]) -> float:
    low, high = bounds
    return (min(max(value, low), high) - low) / (high - low)


def _roomy(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    air = 0.08 * ((high - low) or 1.0)
    return low - air, high + air
