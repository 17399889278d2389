"""Two levels beside one another: agreement reply by reply, and over the means of generators."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from analytics.present.charts.forest import (
    RULE,
    Band,
    ForestLine,
    bands_of,
    by_rater,
    criteria_down,
    places_within,
    zero,
)
from analytics.present.charts.looks import Look
from analytics.present.charts.parts import MARK, Spec, panel, quantity, told

WIDTH = 460
_LINE, _CRITERION, _MOST = 10, 18, 640


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelMark(ForestLine):
    """A judge on one criterion at one level."""

    is_reply: bool


def levels_plot(
    marks: Sequence[LevelMark],
    bands: Sequence[Band],
    looks: Mapping[str, Look],
    *,
    ends: tuple[float, float],
    title: str,
    says: str,
    x_name: str,
    y_name: str,
    who: str,
) -> Spec:
    """A filled mark reply by reply and an open one over generators, in colour and shape of the
    judge; behind them what people reach among themselves."""
    known = {name: look for name, look in looks.items() if name in {one.who for one in marks}}
    criteria = list(dict.fromkeys(one.criterion for one in marks))
    places = [f"{name} {level}" for name in known for level in (True, False)]
    rows = [asdict(one) | {"place": f"{one.who} {one.is_reply}"} for one in marks]
    if not any(not one.is_reply for one in marks):
        places = places[::2]
    people = [asdict(one) for one in bands]
    line = min(_LINE, max(5.0, _MOST / len(criteria) / len(places)))
    down = criteria_down(criteria, y_name)
    within, across = places_within("place", places), partial(quantity, name=x_name, ends=ends)
    colours, shapes = ([look[at] for look in known.values()] for at in (0, 1))
    by_judge = partial(by_rater, known, who=who, columns=2, columnPadding=32)
    colour = by_judge(colours)
    return panel(
        [
            bands_of(people, {"y": down}, across),
            zero(ends, across),
            {
                "data": {"values": [row for row in rows if row["low"] is not None]},
                "mark": RULE,
                "encoding": {
                    "y": down,
                    "yOffset": within,
                    "x": across("low"),
                    "x2": {"field": "high"},
                    "color": colour,
                    "strokeDash": {
                        "condition": {"test": "datum.is_reply", "value": [1, 0]},
                        "value": [3, 3],
                    },
                },
            },
            {
                "data": {"values": rows},
                "mark": {"type": "point", "size": MARK * 0.75, "opacity": 1, "strokeWidth": 1.5},
                "encoding": {
                    "y": down,
                    "yOffset": within,
                    "x": across("value"),
                    "stroke": colour,
                    "fill": colour | {"legend": None},
                    "fillOpacity": {
                        "condition": {"test": "datum.is_reply", "value": 1},
                        "value": 0,
                    },
                    "shape": by_judge(shapes),
                    **told(rows),
                },
            },
        ],
        title=title,
        says=says,
        width=WIDTH,
        height=round((line * len(places) + _CRITERION) * len(criteria)),
    )
