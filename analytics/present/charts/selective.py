"""A selective curve: the more answers are accepted, the fewer agree with people."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analytics.present.charts.plane import Plane, drawing, line, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What share of all answers one threshold accepts, what share of the checked ones agrees, and
    what share does at least; in percent. `is_safe` where the promise holds there."""

    accepted: float
    agreeing: float
    at_least: float
    is_safe: bool


def selective(
    taken: Sequence[Taken], *, target: float, says: str, x_name: str, y_name: str
) -> SafeString:
    """Agreement (marks, filled where the promise holds) with its lower bound, dashed, over the
    line of the target."""
    ends = [target, 100.0, *(one.agreeing for one in taken), *(one.at_least for one in taken)]
    plane = plane_for([0.0, 100.0], ends)
    inside = format_html(
        "{}{}{}{}",
        line(plane, [(0, target), (100, target)], kind="target"),
        line(plane, [(one.accepted, one.at_least) for one in taken], kind="bound"),
        line(plane, [(one.accepted, one.agreeing) for one in taken], kind="judge"),
        format_html_join("", "{}{}", ((_below(plane, one), _mark(plane, one)) for one in taken)),
    )
    return drawing(plane, says=says, x_name=x_name, y_name=y_name, inside=inside)


def _mark(plane: Plane, one: Taken) -> SafeString:
    return format_html(
        '<circle class="plane__mark plane__mark--{}" cx="{}" cy="{}" r="5"/>',
        "accepted" if one.is_safe else "refused",
        plane.across(one.accepted),
        plane.down(one.agreeing),
    )


def _below(plane: Plane, one: Taken) -> SafeString:
    """From the share that agrees down to the bound."""
    x = plane.across(one.accepted)
    return format_html(
        '<path class="plane__whisker" d="M{0} {1}V{2}M{3} {2}h8"/>',
        x,
        plane.down(one.agreeing),
        plane.down(one.at_least),
        x - 4,
    )
