"""What stands in a cell of a table: one mark on an axis that all rows share, drawn as text.

No chart: dozens stand on a page, and all are drawn anew with every revision.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analytics.present.charts.looks import PEOPLE, Look
from analytics.stats.estimates import Estimate

WIDTH, HEIGHT, MARGIN = 400, 28, 8
_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0)
_MOST_TICKS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The stretch of numbers that all strips of a chart share, and where its ticks are."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def place(self, value: float) -> float:
        """Where a value lies, in units of the drawing; beyond the ends at the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 2)


def axis_for(
    estimates: Iterable[Estimate], *, low: float | None = 0.0, high: float | None = 1.0
) -> Axis:
    """An axis from `low` to `high` at least, that holds every value and interval."""
    numbers = [
        number
        for estimate in estimates
        for number in (estimate.value, estimate.low, estimate.high)
        if number is not None
    ]
    numbers += [bound for bound in (low, high) if bound is not None] or [0.0]
    least, most = min(numbers), max(numbers)
    step = _step(max(most - least, 0.1))
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    ticks = tuple(round(place * step, 10) for place in range(first, max(last, first + 1) + 1))
    return Axis(low=ticks[0], high=ticks[-1], ticks=ticks)


def axis_around(estimates: Sequence[Estimate]) -> Axis:
    """An axis no longer than it takes to hold every value and interval."""
    ends = [end for one in estimates for end in (one.value, one.low, one.high) if end is not None]
    return axis_for(estimates, low=min(ends, default=0.0), high=max(ends, default=0.0))


def strip(
    estimate: Estimate,
    axis: Axis,
    *,
    says: str,
    look: Look = PEOPLE,
    band: Estimate | None = None,
) -> SafeString:
    """One line of a forest plot: a mark and its interval over the interval of `band`.

    `says` is the text alternative; `look` is that of the rater in every chart.
    """
    return format_html(
        '<svg class="strip" viewBox="0 0 {} {}" color="{}" role="img" aria-label="{}">'
        "{}{}{}{}</svg>",
        WIDTH,
        HEIGHT,
        look.colour,
        says,
        _band(band, axis),
        _grid(axis),
        _whisker(estimate, axis),
        _mark(estimate, axis, look.shape),
    )


def scale(axis: Axis, *, labels: Sequence[str]) -> SafeString:
    """The numbers under the strips."""
    texts = format_html_join(
        "",
        '<text x="{}" y="14" text-anchor="middle">{}</text>',
        zip(map(axis.place, axis.ticks), labels, strict=True),
    )
    return format_html(
        '<svg class="strip strip--scale" viewBox="0 0 {} 20" aria-hidden="true">{}</svg>',
        WIDTH,
        texts,
    )


def _step(span: float) -> float:
    return next((step for step in _STEPS if span / step <= _MOST_TICKS), span)


def _grid(axis: Axis) -> SafeString:
    return format_html_join(
        "",
        '<line class="{}" x1="{}" x2="{}" y1="0" y2="{}"/>',
        (
            ("strip__zero" if tick == 0 else "strip__tick", x, x, HEIGHT)
            for tick, x in ((tick, axis.place(tick)) for tick in axis.ticks)
        ),
    )


def _band(estimate: Estimate | None, axis: Axis) -> SafeString:
    if estimate is None or estimate.low is None or estimate.high is None:
        return SafeString()
    left, right = axis.place(estimate.low), axis.place(estimate.high)
    return format_html(
        '<rect class="strip__band" x="{}" y="0" width="{}" height="{}"/>',
        left,
        round(right - left, 2),
        HEIGHT,
    )


def _whisker(estimate: Estimate, axis: Axis) -> SafeString:
    if estimate.low is None or estimate.high is None:
        return SafeString()
    left, right, middle = axis.place(estimate.low), axis.place(estimate.high), HEIGHT / 2
    return format_html(
        '<path class="strip__whisker" d="M{} {}H{}M{} {}v8M{} {}v8"/>',
        left,
        middle,
        right,
        left,
        middle - 4,
        right,
        middle - 4,
    )


def _mark(estimate: Estimate, axis: Axis, shape: str) -> SafeString:
    if estimate.value is None:
        return SafeString()
    x, y = axis.place(estimate.value), HEIGHT / 2
    paths = {
        "circle": f"M{x - 5} {y}a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
        "diamond": f"M{x} {y - 6.5}L{x + 6.5} {y}L{x} {y + 6.5}L{x - 6.5} {y}z",
        "square": f"M{x - 5} {y - 5}h10v10h-10z",
        "triangle-up": f"M{x} {y - 6}L{x + 6} {y + 5}H{x - 6}z",
        "triangle-down": f"M{x} {y + 6}L{x + 6} {y - 5}H{x - 6}z",
        "cross": f"M{x - 5} {y - 5}l10 10M{x - 5} {y + 5}l10-10",
    }
    return format_html('<path class="strip__mark strip__mark--{}" d="{}"/>', shape, paths[shape])
