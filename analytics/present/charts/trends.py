"""A trend: one mark a week with its interval, around a line that means no difference."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 400, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 12, 8, 24
_AIR = 0.06
_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A value at a day; without `low` and `high` it has no interval."""

    at: date
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What all trends of a page share: the days from first to last, and the stretch of values."""

    first: date
    last: date
    low: float
    high: float

    def across(self, at: date) -> float:
        days = (self.last - self.first).days
        share = (at - self.first).days / days if days else 0.5
        return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 2)

    def down(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 2)


def frame_for(moments: Sequence[Moment], *, around: float | None = None) -> Frame:
    """A frame that holds every value and interval, and the value `around`."""
    numbers = [
        number for one in moments for number in (one.value, one.low, one.high) if number is not None
    ]
    numbers += [] if around is None else [around]
    least, most = min(numbers, default=0.0), max(numbers, default=1.0)
    air = max(most - least, 0.1) * _AIR
    days = [one.at for one in moments] or [date.min]
    return Frame(first=min(days), last=max(days), low=least - air, high=most + air)


def trend(
    moments: Sequence[Moment],
    frame: Frame,
    *,
    says: str,
    days: tuple[str, str],
    around: float | None = None,
    labels: Sequence[str] | None = None,
) -> SafeString:
    """The marks of one rater, joined; `says` tells it in words, `days` name the ends of the axis.

    `around` is drawn as a line: no difference. `labels` go with `ticks(frame)`.
    """
    return format_html(
        '<svg class="trend" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}{}{}</svg>',
        WIDTH,
        HEIGHT,
        says,
        _grid(frame, labels or [f"{tick:g}" for tick in ticks(frame)]),
        _level(frame, around),
        _days(days),
        _line(moments, frame),
        format_html_join("", "{}", ((_mark(one, frame),) for one in moments)),
    )


def ticks(frame: Frame) -> tuple[float, ...]:
    """The values that the axis names: five at most."""
    step = next(
        (one for one in _STEPS if (frame.high - frame.low) / one <= _MOST_TICKS),
        frame.high - frame.low,
    )
    first, last = math.ceil(frame.low / step - 1e-9), math.floor(frame.high / step + 1e-9)
    return tuple(round(place * step, 10) for place in range(first, last + 1))


def _grid(frame: Frame, labels: Sequence[str]) -> SafeString:
    return format_html_join(
        "",
        '<line class="trend__tick" x1="{1}" x2="{2}" y1="{0}" y2="{0}"/>'
        '<text x="{3}" y="{4}" text-anchor="end">{5}</text>',
        (
            (y, _LEFT, WIDTH - _RIGHT, _LEFT - 5, y + 4, label)
            for tick, label in zip(ticks(frame), labels, strict=True)
            for y in [frame.down(tick)]
        ),
    )


def _level(frame: Frame, around: float | None) -> SafeString:
    if around is None:
        return SafeString()
    return format_html(
        '<line class="trend__level" x1="{1}" x2="{2}" y1="{0}" y2="{0}"/>',
        frame.down(around),
        _LEFT,
        WIDTH - _RIGHT,
    )


def _days(days: tuple[str, str]) -> SafeString:
    first, last = days
    if first == last:
        middle = (_LEFT + WIDTH - _RIGHT) / 2
        return format_html(
            '<text x="{}" y="{}" text-anchor="middle">{}</text>', middle, HEIGHT - 6, first
        )
    return format_html(
        '<text x="{}" y="{}">{}</text><text x="{}" y="{}" text-anchor="end">{}</text>',
        _LEFT,
        HEIGHT - 6,
        first,
        WIDTH - _RIGHT,
        HEIGHT - 6,
        last,
    )


def _line(moments: Sequence[Moment], frame: Frame) -> SafeString:
    places = " ".join(f"{frame.across(one.at)},{frame.down(one.value)}" for one in moments)
    return format_html('<polyline class="trend__line" points="{}"/>', places)


def _mark(one: Moment, frame: Frame) -> SafeString:
    x, y = frame.across(one.at), frame.down(one.value)
    if one.low is None or one.high is None:
        return format_html(
            '<circle class="trend__mark trend__mark--open" cx="{}" cy="{}" r="4"/>', x, y
        )
    return format_html(
        '<path class="trend__whisker" d="M{0} {1}V{2}M{3} {1}h6M{3} {2}h6"/>'
        '<circle class="trend__mark" cx="{0}" cy="{4}" r="4"/>',
        x,
        frame.down(one.low),
        frame.down(one.high),
        x - 3,
        y,
    )
