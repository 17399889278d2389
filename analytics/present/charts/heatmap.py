"""Raters against raters: every two of them in a cell that says its number and what it is from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

CELL_WIDTH, CELL_HEIGHT = 84, 48
_HEAD, _PADDING = 28, 14
_NARROW, _WIDE, _FIRST_WIDE = 7.4, 14.0, "\u2e80"
_LONGEST = 26
_SHADES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """`value` shades it, None where there is no number; `words` and `n` stand in it, `says` is its
    text alternative."""

    value: float | None
    words: str
    n: str
    says: str


def triangle(
    names: Sequence[str], cells: Mapping[tuple[int, int], Cell], *, says: str
) -> SafeString:
    """The lower triangle with its diagonal, {(row, column): cell} by place in `names`.

    Columns go by the number of their row. `says` tells the whole in words.
    """
    labels = [f"{number}  {_short(name)}" for number, name in enumerate(names, start=1)]
    left = round(max(map(_width, labels), default=0) + _PADDING, 1)
    width, height = left + len(names) * CELL_WIDTH + 2, _HEAD + len(names) * CELL_HEIGHT + 2
    return format_html(
        '<svg class="heat" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" '
        'aria-label="{2}">{3}{4}{5}</svg>',
        round(width, 1),
        height,
        says,
        _heads(len(names), left),
        _labels(labels, left),
        format_html_join(
            "",
            "{}",
            ((_cell(cell, row, column, left),) for (row, column), cell in sorted(cells.items())),
        ),
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _width(text: str) -> float:
    """How wide a text may come out: Chinese characters take twice the room."""
    return sum(_WIDE if letter >= _FIRST_WIDE else _NARROW for letter in text)


def _heads(n: int, left: float) -> SafeString:
    return format_html_join(
        "",
        '<text class="heat__head" x="{}" y="{}" text-anchor="middle">{}</text>',
        ((left + (column + 0.5) * CELL_WIDTH, _HEAD - 9, column + 1) for column in range(n)),
    )


def _labels(labels: Sequence[str], left: float) -> SafeString:
    return format_html_join(
        "",
        '<text class="heat__name" x="{}" y="{}" text-anchor="end">{}</text>',
        (
            (left - 8, _HEAD + (row + 0.5) * CELL_HEIGHT + 5, label)
            for row, label in enumerate(labels)
        ),
    )


def _cell(cell: Cell, row: int, column: int, left: float) -> SafeString:
    x, y = left + column * CELL_WIDTH, _HEAD + row * CELL_HEIGHT
    middle = x + CELL_WIDTH / 2
    look = "none" if cell.value is None else str(_shade(cell.value))
    return format_html(
        '<g><title>{}</title><rect class="heat__cell heat__cell--{}{}" x="{}" y="{}" '
        'width="{}" height="{}"/><text class="heat__value" x="{}" y="{}" text-anchor="middle">{}'
        '</text><text class="heat__n" x="{}" y="{}" text-anchor="middle">{}</text></g>',
        cell.says,
        look,
        " heat__cell--self" if row == column else "",
        round(x + 1, 1),
        y + 1,
        CELL_WIDTH - 2,
        CELL_HEIGHT - 2,
        middle,
        y + 22,
        cell.words,
        middle,
        y + 38,
        cell.n,
    )


def _shade(value: float) -> int:
    """From 0, none or below, to 5, four fifths and above."""
    return 0 if value <= 0 else min(int(value * _SHADES) + 1, _SHADES)
