"""A forest plot: criteria down, raters within a criterion, behind them what people reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from analytics.present.charts.looks import Look, ink
from analytics.present.charts.parts import (
    DOTTED,
    OF_NAMES,
    Row,
    Spec,
    panel,
    point,
    quantity,
    told,
)

WIDTH = 440
RULE = {"type": "rule", "strokeWidth": 1.5, "aria": False}
_RATER, _CRITERION = 14, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestLine:
    """One rater on one criterion: a value with its interval where there is one, from n items."""

    criterion: str
    who: str
    value: float
    low: float | None
    high: float | None
    n: int
    says: str
    href: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The interval of what people reach on one criterion: on all items, or where `who` is named on
    those of one rater."""

    criterion: str
    low: float
    high: float
    says: str
    who: str = ""


def forest_plot(
    lines: Sequence[ForestLine],
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
    """A mark and its interval a line, in the colour and shape of its rater; `who` heads the
    legend."""
    shown = {one.who for one in lines}
    known = {name: look for name, look in looks.items() if name in shown}
    criteria = list(dict.fromkeys(one.criterion for one in lines))
    rows, people = [asdict(one) for one in lines], [asdict(one) for one in bands]
    down, across = criteria_down(criteria, y_name), partial(quantity, name=x_name, ends=ends)
    within = places_within("who", [*known])
    is_own = any(band.who for band in bands)
    colour = {"color": by_rater(known, [look.colour for look in known.values()], who)}
    shape = {"shape": by_rater(known, [look.shape for look in known.values()], who)}
    return panel(
        [
            bands_of(people, {"y": down} | ({"yOffset": within} if is_own else {}), across),
            zero(ends, across),
            {
                "data": {"values": [row for row in rows if row["low"] is not None]},
                "mark": RULE,
                "encoding": {"y": down, "yOffset": within, "x": across("low")}
                | {"x2": {"field": "high"}}
                | colour,
            },
            {
                "data": {"values": rows},
                "mark": {name: it for name, it in point(Look("", "")).items() if it},
                "encoding": {"y": down, "yOffset": within, "x": across("value")}
                | colour
                | shape
                | told(rows),
            },
        ],
        title=title,
        says=says,
        width=WIDTH,
        height=(_RATER * len(known) + _CRITERION) * len(criteria),
    )


def ends_of(lines: Sequence[ForestLine]) -> tuple[float, float]:
    """From 0 to 1 at least, wide enough for every interval."""
    ends = [end for one in lines for end in (one.value, one.low, one.high) if end is not None]
    return min(0.0, *ends), max(1.0, *ends)


def criteria_down(criteria: Sequence[str], name: str) -> Spec:
    """A band a criterion, from the top."""
    return {
        "field": "criterion",
        "type": "nominal",
        "title": name,
        "sort": criteria,
        "scale": {"domain": criteria, "paddingInner": 0.16},
        "axis": OF_NAMES | {"grid": False, "labelColor": ink("ink")},
    }


def places_within(field: str, places: Sequence[str]) -> Spec:
    """A place each within the band of a criterion."""
    return {
        "field": field,
        "type": "nominal",
        "sort": places,
        "scale": {"domain": places, "paddingOuter": 0.6},
    }


def bands_of(people: Sequence[Row], where: Spec, across: Callable[[str], Spec]) -> Spec:
    """What people reach, shaded: as high as the criterion, unless it is told where in it."""
    tall = {} if "yOffset" in where else {"height": {"band": 1}}
    return {
        "data": {"values": people},
        "mark": {"type": "bar", "color": ink("ink-soft"), "opacity": 0.16, **tall},
        "encoding": where | {"x": across("low"), "x2": {"field": "high"}} | told(people),
    }


def zero(ends: tuple[float, float], across: Callable[[str], Spec]) -> Spec:
    """A dotted line where it is in view."""
    return {
        "data": {"values": [{"at": 0}] if ends[0] <= 0 <= ends[1] else []},
        "mark": RULE | {"color": ink("line-strong"), "strokeDash": [*DOTTED]},
        "encoding": {"x": across("at")},
    }


def by_rater(known: Mapping[str, Look], values: Sequence[str], who: str, **legend: object) -> Spec:
    """A colour or a shape a rater; `who` heads the legend."""
    return {
        "field": "who",
        "type": "nominal",
        "sort": [*known],
        "scale": {"domain": [*known], "range": [*values]},
        "legend": {"title": who, "columns": 3} | legend,
    }
