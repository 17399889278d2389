"""Two levels beside one another: agreement reply by reply, and over the means of generators."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.forest import Band
from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import DOTTED, MARK, Spec, panel, quantity, told

WIDTH = 460
_LINE, _CRITERION, _MOST = 10, 18, 640


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelMark:
    """A judge on one criterion at one level: a value with its interval where there is one."""

    criterion: str
    who: str
    is_reply: bool
    value: float
    low: float | None
    high: float | None
    n: int
    says: str
    href: str = ""


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
    down = {
        "field": "criterion",
        "type": "nominal",
        "title": y_name,
        "sort": criteria,
        "scale": {"domain": criteria, "paddingInner": 0.16},
        "axis": {
            "grid": False,
            "domain": False,
            "ticks": False,
            "labelColor": ink("ink"),
            "labelPadding": 8,
        },
    }
    within = {
        "field": "place",
        "type": "nominal",
        "sort": places,
        "scale": {"domain": places, "paddingOuter": 0.6},
    }
    colours, shapes = ([look[at] for look in known.values()] for at in (0, 1))
    colour = _by_judge(known, colours, who)
    rule = {"type": "rule", "strokeWidth": 1.5, "aria": False}

    def across(field: str) -> Spec:
        return quantity(field, x_name, ends)

    return panel(
        [
            {
                "data": {"values": people},
                "mark": {
                    "type": "bar",
                    "color": ink("ink-soft"),
                    "opacity": 0.16,
                    "height": {"band": 1},
                },
                "encoding": {"y": down, "x": across("low"), "x2": {"field": "high"}} | told(people),
            },
            {
                "data": {"values": [{"at": 0}] if ends[0] <= 0 <= ends[1] else []},
                "mark": rule | {"color": ink("line-strong"), "strokeDash": [*DOTTED]},
                "encoding": {"x": across("at")},
            },
            {
                "data": {"values": [row for row in rows if row["low"] is not None]},
                "mark": rule,
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
                    "shape": _by_judge(known, shapes, who),
                    **told(rows),
                },
            },
        ],
        title=title,
        says=says,
        width=WIDTH,
        height=round((line * len(places) + _CRITERION) * len(criteria)),
    )


def _by_judge(known: Mapping[str, Look], values: Sequence[str], who: str) -> Spec:
    return {
        "field": "who",
        "type": "nominal",
        "sort": [*known],
        "scale": {"domain": [*known], "range": [*values]},
        "legend": {"title": who, "columns": 2, "columnPadding": 32},
    }
