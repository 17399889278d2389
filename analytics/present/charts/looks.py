"""How charts look: colours by name, a shape to each, and letters that read in both languages.

A colour in a description is the name of a colour of the page, so that a chart follows the theme;
on paper it is the one that the light theme has.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

FONT = (
    "Noto Sans, Noto Sans CJK SC, Source Han Sans SC, Microsoft YaHei, PingFang SC, "
    "WenQuanYi Micro Hei, SimHei, DejaVu Sans, sans-serif"
)
SIZE = 12
SHAPES = ("diamond", "square", "triangle-up", "cross", "triangle-down")
PAPER: Mapping[str, str] = {
    "ink": "#1b2527",
    "ink-soft": "#4c5b5e",
    "line": "#d8deda",
    "line-strong": "#788583",
    "surface": "#ffffff",
    "accent": "#0b6463",
    "bad": "#a22c25",
    "series-1": "#0b6463",
    "series-2": "#b0491c",
    "series-3": "#245586",
    "series-4": "#7d3c8c",
    "series-5": "#5b6b00",
}
_NAMED = re.compile(r"var\(--([\w-]+)\)")


class Look(NamedTuple):
    """What tells one rater from another: the shape alone suffices in black and white."""

    colour: str
    shape: str


def ink(name: str) -> str:
    """A colour of the page."""
    return f"var(--{name})"


PEOPLE = Look(ink("ink-soft"), "circle")


def looks_of(judges: Iterable[int]) -> dict[int, Look]:
    """How each judge of a study is drawn, on every page and on paper: by the order of their ids."""
    return {judge: look_at(place) for place, judge in enumerate(sorted(judges))}


def look_at(place: int) -> Look:
    """How the judge at this place is drawn; twenty-five differ."""
    n = len(SHAPES)
    return Look(ink(f"series-{place % n + 1}"), SHAPES[(place + place // n) % n])


def on_paper(text: str) -> str:
    """A drawing or a description with the colours that it has on paper."""
    return _NAMED.sub(lambda found: PAPER[found.group(1)], text)
