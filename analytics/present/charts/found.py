"""What each judge found and what it missed: filled and open, so that no colour is needed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count

from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import OF_NAMES, Spec, panel, quantity, told

_ROW = 34
_TICKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundShare:
    """`n` of the flagged items, found by a judge or missed."""

    judge: str
    is_found: bool
    n: int
    says: str
    href: str = ""


def found_bars(
    shares: Sequence[FoundShare],
    looks: Mapping[str, Look],
    *,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """A bar a judge: what it found, filled, and after it what it missed, open."""
    rows = [asdict(one) for one in shares]
    most = max(sum(one.n for one in shares if one.judge == judge) for judge in looks)
    across = quantity("n", x_name, (0, max(most, 1)), values=_whole(max(most, 1)), format="d")
    colour = {
        "field": "judge",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": [*looks], "range": [look.colour for look in looks.values()]},
    }
    return panel(
        [
            {
                "data": {"values": rows},
                "mark": {"type": "bar", "height": {"band": 0.6}, "strokeWidth": 1.5},
                "encoding": {
                    "y": {
                        "field": "judge",
                        "type": "nominal",
                        "title": y_name,
                        "sort": [*looks],
                        "axis": OF_NAMES,
                    },
                    "x": across | {"stack": "zero"},
                    "order": {"field": "is_found", "sort": "descending"},
                    "fill": colour,
                    "fillOpacity": {
                        "condition": {"test": "datum.is_found", "value": 1},
                        "value": 0,
                    },
                    "stroke": {
                        "condition": {"test": "datum.is_found", "value": ink("surface")},
                        "value": ink("bad"),
                    },
                    "strokeDash": {
                        "condition": {"test": "datum.is_found", "value": [1, 0]},
                        "value": [4, 3],
                    },
                    **told(rows),
                },
            }
        ],
        title=title,
        says=says,
        height=_ROW * len(looks),
    )


def _whole(most: int) -> list[int]:
    """Counts to stand at an axis: Vega halves its steps below six, and rounds what it writes there."""
    steps = (n * 10**power for power in count() for n in (1, 2, 5))
    return list(range(0, most + 1, next(step for step in steps if most <= _TICKS * step)))
