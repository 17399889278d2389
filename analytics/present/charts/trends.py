"""A trend: one mark a week with its interval, around a line that means no difference."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from analytics.present.charts.looks import PEOPLE, Look, ink
from analytics.present.charts.parts import (
    DOTTED,
    Spec,
    panel,
    point,
    quantity,
    roomy,
    told,
)

HEIGHT = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A value at a day, from `n` items; without `low` and `high` it has no interval."""

    at: date
    value: float
    low: float | None
    high: float | None
    n: int
    says: str
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What all trends of a page share: the days from first to last, and the stretch of values."""

    days: tuple[date, date]
    values: tuple[float, float]


def frame_for(moments: Sequence[Moment], *, around: float | None = None) -> Frame:
    """A frame that holds every value and interval, and the value `around`."""
    ends = [end for one in moments for end in (one.value, one.low, one.high) if end is not None]
    days = [one.at for one in moments] or [date.min]
    levels = [] if around is None else [around]
    return Frame(days=(min(days), max(days)), values=roomy([*ends, *levels] or [0.0, 1.0]))


def trend_line(
    moments: Sequence[Moment],
    frame: Frame,
    *,
    around: float | None,
    look: Look = PEOPLE,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
    tick: str = "",
) -> Spec:
    """The marks of one rater, joined; open where there is no interval. `around` is drawn as a
    line: no difference. `tick` is the form of the numbers on the axis."""
    rows = [asdict(one) | {"at": one.at.isoformat()} for one in moments]
    days = [day.isoformat() for day in frame.days]
    at = {
        "field": "at",
        "type": "temporal",
        "title": x_name,
        "scale": {"type": "utc", "domain": days, "nice": False, "padding": 12},
        "axis": {"format": "%Y-%m-%d", "values": days, "labelFlush": True},
    }
    form = {"format": tick} if tick else {}

    def up(field: str) -> Spec:
        return quantity(field, y_name, frame.values, tickCount=5, **form)

    known = [row for row in rows if row["low"] is not None and row["high"] is not None]
    filled = {
        "condition": {"test": "isValid(datum.low)", "value": look.colour},
        "value": ink("surface"),
    }
    rule = {"type": "rule", "strokeWidth": 1.5, "aria": False}
    return panel(
        [
            {
                "data": {"values": [] if around is None else [{"value": around}]},
                "mark": rule | {"color": ink("line-strong"), "strokeDash": [*DOTTED]},
                "encoding": {"y": up("value")},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "line", "color": look.colour, "opacity": 0.5, "aria": False},
                "encoding": {"x": at, "y": up("value")},
            },
            {
                "data": {"values": known},
                "mark": rule | {"color": look.colour},
                "encoding": {"x": at, "y": up("low"), "y2": {"field": "high"}},
            },
            {
                "data": {"values": rows},
                "mark": point(look),
                "encoding": {
                    "x": at,
                    "y": up("value"),
                    "fill": filled,
                    "stroke": {"value": look.colour},
                    **told(rows),
                },
            },
        ],
        title=title,
        says=says,
        height=HEIGHT,
    )
