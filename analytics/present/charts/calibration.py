"""A calibration curve: what people said where the judge said so, and what a map expects."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analytics.present.charts.plane import BOTTOM, HEIGHT, TOP, Plane, drawing, line, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """People's mean where the judge said `value`, with its interval where there is one, and how
    large a share of all pairs that is."""

    value: float
    mean: float
    low: float | None
    high: float | None
    share: float


def curve(
    seen: Sequence[Seen],
    expected: Sequence[tuple[float, float]],
    *,
    points: Sequence[float],
    says: str,
    x_name: str,
    y_name: str,
) -> SafeString:
    """Means with intervals, larger where there are more ratings, and the map through them.

    On the diagonal lies a judge that needs no map. What is shaded the judge never said where
    people rated: there the map refuses.
    """
    ends = [value for one in seen for value in (one.mean, one.low, one.high) if value is not None]
    plane = plane_for(points, [*points, *ends, *(y for _, y in expected)])
    inside = format_html(
        "{}{}{}{}{}",
        _outside(plane, min(one.value for one in seen), max(one.value for one in seen)),
        line(plane, [(points[0], points[0]), (points[-1], points[-1])], kind="ideal"),
        line(plane, expected, kind="judge") if expected else "",
        format_html_join("", "{}", ((_whisker(plane, one),) for one in seen)),
        format_html_join("", "{}", ((_mark(plane, one),) for one in seen)),
    )
    return drawing(plane, says=says, x_name=x_name, y_name=y_name, inside=inside)


def _outside(plane: Plane, low: float, high: float) -> SafeString:
    """What lies beyond the support, up to halfway to it."""
    first, last = plane.x
    ends = ((first, low - 0.5), (high + 0.5, last))
    return format_html_join(
        "",
        '<rect class="plane__outside" x="{}" y="{}" width="{}" height="{}"/>',
        (
            (
                plane.across(left),
                TOP,
                round(plane.across(right) - plane.across(left), 2),
                HEIGHT - BOTTOM - TOP,
            )
            for left, right in ends
            if right > left
        ),
    )


def _whisker(plane: Plane, one: Seen) -> SafeString:
    if one.low is None or one.high is None:
        return SafeString()
    x = plane.across(one.value)
    low, high = plane.down(one.low), plane.down(one.high)
    return format_html(
        '<path class="plane__whisker" d="M{0} {1}V{2}M{3} {1}h8M{3} {2}h8"/>', x, low, high, x - 4
    )


def _mark(plane: Plane, one: Seen) -> SafeString:
    return format_html(
        '<circle class="plane__mark" cx="{}" cy="{}" r="{}"/>',
        plane.across(one.value),
        plane.down(one.mean),
        round(2.5 + 7 * one.share**0.5, 2),
    )
