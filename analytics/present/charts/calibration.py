"""A calibration curve: what people said where the judge said so, and what a map expects."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import DOTTED, MARK, Plane, Spec, panel, plane_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """People's mean where the judge said `value`, with its interval where there is one, from `n`
    ratings of people."""

    value: float
    mean: float
    low: float | None
    high: float | None
    n: int
    says: str
    href: str = ""


def calibration_curve(
    seen: Sequence[Seen],
    expected: Sequence[tuple[float, float]],
    *,
    points: Sequence[float],
    look: Look,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """Means with intervals, larger where there are more ratings, and the map through them.

    On the diagonal lies a judge that needs no map. What is shaded the judge never said where
    people rated: there the map refuses.
    """
    ends = [value for one in seen for value in (one.mean, one.low, one.high) if value is not None]
    heights = [*points, *ends, *(y for _, y in expected)]
    plane = plane_for(points, heights, x_name=x_name, y_name=y_name)
    rows = [asdict(one) for one in seen]
    diagonal = [(points[0], points[0]), (points[-1], points[-1])]
    area = {
        "field": "n",
        "type": "quantitative",
        "legend": None,
        "scale": {"range": [MARK / 2, 3 * MARK]},
    }
    return panel(
        [
            _refused(plane, seen),
            plane.line(diagonal, colour=ink("line-strong"), dashes=DOTTED),
            plane.line(expected, colour=look.colour),
            plane.whiskers(rows, x="value", colour=look.colour),
            plane.marks(rows, x="value", y="mean", look=look, size=area),
        ],
        title=title,
        says=says,
    )


def _refused(plane: Plane, seen: Sequence[Seen]) -> Spec:
    return {
        "data": {"values": [{"from": low, "to": high} for low, high in _beyond(plane, seen)]},
        "mark": {"type": "rect", "color": ink("line-strong"), "opacity": 0.18, "aria": False},
        "encoding": {"x": plane.across("from"), "x2": {"field": "to"}},
    }


def _beyond(plane: Plane, seen: Sequence[Seen]) -> Iterator[tuple[float, float]]:
    """What lies beyond the support, up to halfway to it."""
    first, last = plane.x
    low, high = min(one.value for one in seen) - 0.5, max(one.value for one in seen) + 0.5
    if low > first:
        yield first, low
    if high < last:
        yield high, last
