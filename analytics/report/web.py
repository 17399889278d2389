"""The whole report as one HTML file that needs nothing else: no server, no script, no network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from analytics.present.grid import Grid, grid
from analytics.report.contents import Contents, Picture
from analytics.report.paper import MOST_ROWS
from analytics.report.parts import ReportPart

FILE = "report.html"
MOST_OPEN = 24  # rows of a table: as many as a screen has
_STYLE = Path(__file__).with_name("report.css")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A figure with its drawing, numbered as on paper."""

    number: int
    picture: Picture
    svg: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    key: str
    title: str
    grids: tuple[Grid, ...]
    figures: tuple[Drawn, ...]


def page(
    name: str, shown: Contents, parts: Sequence[ReportPart], screens: Mapping[str, str]
) -> str:
    """Methods, every part with its tables and figures, references; `screens` are the drawings by
    the keys of figures. A long table is folded, for the reader to open."""
    figures = {part.key: part.figures for part in shown.parts}
    numbers = count(1)
    context = {
        "name": name,
        "language": get_language(),
        "shown": shown,
        "chapters": [
            Chapter(
                key=part.key,
                title=part.title,
                grids=tuple(map(grid, part.printed)),
                figures=tuple(
                    _drawn(one, screens, number=next(numbers)) for one in figures.get(part.key, ())
                ),
            )
            for part in parts
        ],
        "most_open": MOST_OPEN,
        "most_on_paper": MOST_ROWS,
        # The style is ours and is read from a file beside this one.
        "style": format_html("<style>{}</style>", mark_safe(_STYLE.read_text())),  # noqa: S308 -- ours
    }
    return render_to_string("analytics/report_file.html", context)


def _drawn(picture: Picture, screens: Mapping[str, str], *, number: int) -> Drawn:
    """Every text in a drawing is escaped as it is drawn."""
    return Drawn(number=number, picture=picture, svg=SafeString(screens[picture.key]))
