"""A Bland-Altman plot of ratings on a scale: differences over means, as bubbles by their number."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analytics.present.charts.plane import HEIGHT, LEFT, RIGHT, WIDTH, Plane, drawing, plane_for

_LARGEST, _SMALLEST = 15.0, 1.5


class Bubble(NamedTuple):
    """`n` pairs of ratings with this mean and this difference."""

    mean: float
    difference: float
    n: int


class Level(NamedTuple):
    """A line across: its height, the words at its end, and what it is (`bias`, `limit`)."""

    at: float
    words: str
    kind: str


def bland_altman(
    bubbles: Sequence[Bubble],
    levels: Sequence[Level],
    *,
    says: str,
    x_name: str,
    y_name: str,
) -> SafeString:
    """Bubbles whose area goes by n, with the bias and the limits of agreement across them."""
    heights = [*(one.difference for one in bubbles), *(one.at for one in levels), 0.0]
    plane = plane_for([one.mean for one in bubbles], heights)
    most = max(one.n for one in bubbles)
    inside = format_html(
        "{}{}{}",
        _across(plane, Level(0.0, "", "zero")),
        format_html_join(
            "",
            '<circle class="plane__bubble" cx="{}" cy="{}" r="{}"/>',
            (
                (plane.across(one.mean), plane.down(one.difference), _radius(one.n, most))
                for one in bubbles
            ),
        ),
        format_html_join("", "{}", ((_across(plane, level),) for level in levels)),
    )
    return drawing(plane, says=says, x_name=x_name, y_name=y_name, inside=inside)


def _radius(n: int, most: int) -> float:
    return round(max(_SMALLEST, _LARGEST * math.sqrt(n / most)), 2)


def _across(plane: Plane, level: Level) -> SafeString:
    y = min(max(plane.down(level.at), 0), HEIGHT)
    return format_html(
        '<line class="plane__line plane__line--{}" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text x="{}" y="{}">{}</text>',
        level.kind,
        LEFT,
        WIDTH - RIGHT,
        y,
        y,
        WIDTH - RIGHT + 5,
        y + 4,
        level.words,
    )
