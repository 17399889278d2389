"""The whole report as a PDF, set by Typst: no TeX is needed.

Letters are DejaVu Sans and Noto Sans CJK SC, or another Chinese font of the machine; where there is
none, Chinese stands in boxes, and `has_chinese` of the drawings says so beforehand.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from accounts.punctuation import headed
from analytics.present.grid import Grid, grid
from analytics.present.tables import Table
from analytics.report.contents import Contents, Picture
from analytics.report.parts import ReportPart

FILE = "report.pdf"
FONTS = (
    "Noto Sans",
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Microsoft YaHei",
    "Libertinus Serif",
)
MOST_ROWS = 50  # of a table: setting each cell takes 27 kB, and the files have all rows
_MOST_UPRIGHT = 7  # columns that fit on a page that stands
_TALLEST = "11cm"  # of a figure: two stand on a page with what is said of them
_PREAMBLE = """\
#set document(title: {title}, date: none)
#set page(paper: "a4", margin: 2cm, numbering: "1")
#set text(font: ({fonts}), size: 9pt, lang: {language})
#set par(justify: false)
#show table: set text(size: 7pt)
#let drawing(name) = layout(size => {{
  let wide = image(name, width: size.width)
  if measure(wide).height > {tall} {{ image(name, height: {tall}) }} else {{ wide }}
}})
"""


def pdf(
    name: str, shown: Contents, parts: Sequence[ReportPart], files: Mapping[str, bytes]
) -> bytes:
    """Methods, every part with its figures and tables, references; `files` hold the drawings.

    The same content always gives the same bytes.
    """
    import typst  # noqa: PLC0415 -- tens of megabytes that only a report needs

    with TemporaryDirectory(prefix="concord-paper-") as folder:
        for picture in (one for part in shown.parts for one in part.figures):
            drawing = Path(folder) / f"{picture.key}.svg"
            drawing.write_bytes(files[f"figures/{picture.key}.svg"])
        source = Path(folder) / "report.typ"
        source.write_text("\n".join(_document(name, shown, parts)), encoding="utf-8")
        made: bytes = typst.compile(str(source), root=folder)
        return made


def _document(name: str, shown: Contents, parts: Sequence[ReportPart]) -> Iterator[str]:
    fonts = ", ".join(map(_text, FONTS))
    language = _text((get_language() or "en").split("-")[0])
    yield _PREAMBLE.format(title=_text(name), fonts=fonts, language=language, tall=_TALLEST)
    yield f"#align(center, text(size: 16pt, weight: 700)[#{_text(name)}])"
    yield f"#heading(level: 1, {_text(_('Methods'))})"
    for paragraph in shown.methods:
        yield f"#heading(level: 2, {_text(paragraph.title)})"
        yield f"#par[#{_text(paragraph.text)}]"
    figures = {part.key: part.figures for part in shown.parts}
    is_flipped = False
    for part in parts:
        yield "#pagebreak(weak: true)"
        heading = f"#heading(level: 1, {_text(part.title)})"
        drawn = [(False, map(_figure, pictures))] if (pictures := figures.get(part.key)) else []
        printed = [_tables(part.printed)] if part.printed else []
        for lies, lines in (*drawn, *printed):
            if lies is not is_flipped:
                is_flipped = lies
                yield f"#set page(flipped: {str(lies).lower()})"
            yield heading
            heading = ""
            yield from lines
    if is_flipped:
        yield "#set page(flipped: false)"
    yield f"#heading(level: 1, {_text(_('References'))})"
    yield from (f"- #{_text(work)}" for work in shown.references)


def _figure(picture: Picture) -> str:
    caption = _text(headed(picture.title, picture.caption))
    return f'#figure(drawing("{picture.key}.svg"), caption: [#{caption}])'


def _tables(tables: Sequence[Table]) -> tuple[bool, Iterator[str]]:
    """Whether one is so wide that the pages of all lie, as a page that turns begins anew; and the first
    rows of each."""
    read = [(one, grid(replace(one, lines=one.lines[:MOST_ROWS]))) for one in tables]
    lies = any(len(shown.heads) > _MOST_UPRIGHT for _one, shown in read)
    return lies, chain.from_iterable(starmap(_rows, read))


def _rows(table: Table, read: Grid) -> Iterator[str]:
    """They go over pages with their head."""
    n_more = len(table.lines[MOST_ROWS:])
    yield f"#heading(level: 2, {_text(read.title)})"
    if read.caption:
        yield f"#block(sticky: true)[#{_text(read.caption)}]"
    sides = ", ".join("right" if head.is_figure else "left" for head in read.heads)
    yield f"#table(columns: {len(read.heads)}, align: ({sides},), stroke: none, inset: 2.5pt,"
    heads = ", ".join(f"strong({_text(head.text)})" for head in read.heads)
    yield f"  table.hline(), table.header({heads}), table.hline(stroke: 0.4pt),"
    for row in read.cells:
        yield "  " + ", ".join(_cell(cell.brief, cell.marks) for cell in row) + ","
    yield "  table.hline())"
    for note in read.notes:
        yield f"#par[#text(size: 7pt)[{_raised(note.marks)}#{_text(note.text)}]]"
    if n_more:
        more = ngettext(
            "%(shown_n)s more row is in the files.",
            "%(shown_n)s more rows are in the files.",
            n_more,
        )
        told = more % {"shown_n": f"{n_more:,}"}
        yield f"#par[#text(size: 7pt)[#{_text(f'{told} tables/{table.key}.csv')}]]"


def _cell(text: str, marks: str) -> str:
    return f"[#{_text(text)}{_raised(marks)}]"


def _raised(marks: str) -> str:
    return f"#super({_text(marks)})" if marks else ""


def _text(text: str) -> str:
    """A string that Typst prints as it is: nothing in it is taken for a command."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
