"""The whole report as one HTML file that needs nothing else: no server, no script, no network."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from analytics.present.grid import Grid, grid
from analytics.report.contents import Contents, Picture
from analytics.report.parts import ReportPart

FILE = "report.html"
_STYLE = Path(__file__).with_name("report.css")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A figure with its drawing as an address that holds it."""

    picture: Picture
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    key: str
    title: str
    grids: tuple[Grid, ...]
    figures: tuple[Drawn, ...]


def page(
    name: str, shown: Contents, parts: Sequence[ReportPart], files: Mapping[str, bytes]
) -> str:
    """Methods, every part with its tables and figures, references; `files` hold the drawings."""
    figures = {part.key: part.figures for part in shown.parts}
    context = {
        "name": name,
        "language": get_language(),
        "shown": shown,
        "chapters": [
            Chapter(
                key=part.key,
                title=part.title,
                grids=tuple(map(grid, part.printed)),
                figures=tuple(_drawn(one, files) for one in figures.get(part.key, ())),
            )
            for part in parts
        ],
        # The style is ours and is read from a file beside this one.
        "style": format_html("<style>{}</style>", mark_safe(_STYLE.read_text())),  # noqa: S308 -- ours
    }
    return render_to_string("analytics/report_file.html", context)


def _drawn(picture: Picture, files: Mapping[str, bytes]) -> Drawn:
    svg = b64encode(files[f"figures/{picture.key}.svg"]).decode()
    return Drawn(picture=picture, address=f"data:image/svg+xml;base64,{svg}")
