"""A severity curve: what one rater gave where the other gave each level, over the diagonal."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analytics.present.charts.plane import Plane, drawing, line, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The mean at one level of the scale, with its interval where there is one."""

    level: float
    mean: float
    low: float | None = None
    high: float | None = None


def severity(
    steps: Sequence[Step],
    beside: Sequence[Step],
    *,
    levels: Sequence[float],
    says: str,
    x_name: str,
    y_name: str,
) -> SafeString:
    """The curve of `steps` with intervals; `beside` is another to read it against, dashed.

    On the diagonal lies a rater who gives on average what the other gave.
    """
    ends = [
        value for step in steps for value in (step.mean, step.low, step.high) if value is not None
    ]
    plane = plane_for(levels, [*levels, *ends])
    inside = format_html(
        "{}{}{}{}{}",
        line(plane, [(levels[0], levels[0]), (levels[-1], levels[-1])], kind="ideal"),
        line(plane, [(step.level, step.mean) for step in beside], kind="beside"),
        format_html_join("", "{}", ((_whisker(plane, step),) for step in steps)),
        line(plane, [(step.level, step.mean) for step in steps], kind="judge"),
        format_html_join("", "{}", ((_mark(plane, step),) for step in steps)),
    )
    return drawing(plane, says=says, x_name=x_name, y_name=y_name, inside=inside)


def _whisker(plane: Plane, step: Step) -> SafeString:
    if step.low is None or step.high is None:
        return SafeString()
    x = plane.across(step.level)
    low, high = plane.down(step.low), plane.down(step.high)
    return format_html(
        '<path class="plane__whisker" d="M{0} {1}V{2}M{3} {1}h8M{3} {2}h8"/>', x, low, high, x - 4
    )


def _mark(plane: Plane, step: Step) -> SafeString:
    return format_html(
        '<circle class="plane__mark" cx="{}" cy="{}" r="4.5"/>',
        plane.across(step.level),
        plane.down(step.mean),
    )
