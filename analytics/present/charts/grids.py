"""Cells in rows and columns: pairs of raters, and which values meet how often."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from analytics.present.charts.looks import ink
from analytics.present.charts.parts import OF_NAMES, Spec, panel, told

PAIR, COUNT = (84, 48), (46, 32)
_DARKEST = 0.46
_LETTER = 8  # pixels


@dataclass(frozen=True, slots=True, kw_only=True)
class GridMark:
    """`value` is None where there is no number; `shade`, from 0 to 1, colours it; `words` stand in
    it with `small` below; `is_same` outlines it: a rater with themselves, the same value."""

    row: str
    column: str
    value: float | None
    shade: float
    words: str
    small: str
    n: int
    is_same: bool
    says: str
    href: str = ""


def numbered(names: Sequence[str]) -> list[str]:
    """Names of rows, whose number heads a column."""
    return [f"{number}  {name}" for number, name in enumerate(names, start=1)]


def pairs_grid(
    names: Sequence[str],
    cells: Sequence[GridMark],
    *,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """The lower triangle with its diagonal: rows by numbered name, columns by number alone."""
    numbers = [str(number) for number in range(1, len(names) + 1)]
    return _grid(names, numbers, cells, size=PAIR, title=title, says=says, x=x_name, y=y_name)


def confusion_grid(
    names: Sequence[str],
    cells: Sequence[GridMark],
    *,
    title: str,
    says: str,
    x_name: str,
    y_name: str,
) -> Spec:
    """The counts of values that meet: darker is a larger share of the row."""
    return _grid(names, names, cells, size=COUNT, title=title, says=says, x=x_name, y=y_name)


def _grid(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[GridMark],
    *,
    size: tuple[int, int],
    title: str,
    says: str,
    x: str,
    y: str,
) -> Spec:
    width, height = size
    values = [asdict(cell) for cell in cells]
    place = {
        "x": _places("column", x, columns, {"orient": "top"} | _slant(columns, width)),
        "y": _places("row", y, rows, OF_NAMES),
    }
    small = {"type": "text", "dy": 13, "fontSize": 10, "color": ink("ink"), "aria": False}
    has_small = any(cell.small for cell in cells)
    return panel(
        [
            {
                "data": {"values": values},
                "mark": {"type": "rect", "fill": ink("accent"), "stroke": ink("line-strong")},
                "encoding": {
                    **place,
                    "fillOpacity": _shade(),
                    "strokeWidth": {
                        "condition": {"test": "datum.is_same", "value": 2},
                        "value": 0.5,
                    },
                    "strokeDash": {
                        "condition": {"test": "datum.value === null", "value": [3, 3]},
                        "value": [1, 0],
                    },
                    **told(values),
                },
            },
            {
                "data": {"values": values},
                "mark": {"type": "text", "dy": -5 if has_small else 0, "aria": False},
                "encoding": {**place, "text": {"field": "words"}},
            },
            {
                "data": {"values": values if has_small else []},
                "mark": small,
                "encoding": {**place, "text": {"field": "small"}},
            },
        ],
        title=title,
        says=says,
        width=width * len(columns),
        height=height * len(rows),
    )


def _slant(names: Sequence[str], width: int) -> Spec:
    """Names that are wider than their column stand aslant."""
    if max(len(name) for name in names) * _LETTER <= width:
        return {}
    return {"labelAngle": -40, "labelAlign": "left"}


def _places(field: str, name: str, names: Sequence[str], axis: Spec) -> Spec:
    look = {"domain": False, "ticks": False, "labelAngle": 0} | axis
    return {
        "field": field,
        "type": "nominal",
        "title": name,
        "sort": [*names],
        "scale": {"domain": [*names], "paddingInner": 0.04},
        "axis": look,
    }


def _shade() -> Spec:
    return {
        "field": "shade",
        "type": "quantitative",
        "legend": None,
        "scale": {"domain": [0, 1], "range": [0, _DARKEST], "clamp": True},
    }
