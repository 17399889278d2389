"""What a report contains, for whoever leafs through it: methods, tables in short, figures."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import TypeAdapter

from analytics.present.grid import KINDS, Download, Grid, GridCell, GridNote, GridRow, Head, grid
from analytics.present.tables import Table
from analytics.report.methods import Paragraph

FILE = "contents.json"
WRITTEN = ("csv", "tex", "md")  # kinds of files of a table
_MOST_ROWS = 15


class Short(NamedTuple):
    """Words or a rounded number, and the letters of the notes that go with it."""

    text: str
    marks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InShort:
    """A table with its first rows, `n_more` others left out."""

    key: str
    title: str
    caption: str
    head: tuple[str, ...]
    n_headings: int
    rows: tuple[tuple[Short, ...], ...]
    n_more: int
    notes: tuple[Short, ...]
    of_words: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure; `caption` says in words what it shows. A report that names no `kinds` of files
    was written when there were three."""

    key: str
    title: str
    caption: str
    kinds: tuple[str, ...] = ("svg", "png", "pdf")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartInShort:
    key: str
    title: str
    tables: tuple[InShort, ...]
    figures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All of it. `policy` and its sum: of the trust cards; `seeds`, `versions` by what has them."""

    methods: tuple[Paragraph, ...]
    references: tuple[str, ...]
    parts: tuple[PartInShort, ...]
    policy: str
    policy_sha256: str
    seeds: Mapping[str, int]
    versions: Mapping[str, str]


def in_short(tables: Iterable[Table]) -> tuple[InShort, ...]:
    """Tables as a page shows them."""
    return tuple(_in_short(table.key, grid(table)) for table in tables)


def _in_short(key: str, read: Grid) -> InShort:
    return InShort(
        key=key,
        title=read.title,
        caption=read.caption,
        head=tuple(head.text for head in read.heads),
        n_headings=read.n_headings,
        rows=tuple(
            tuple(Short(cell.brief, cell.marks) for cell in row) for row in read.cells[:_MOST_ROWS]
        ),
        n_more=max(len(read.rows) - _MOST_ROWS, 0),
        notes=tuple(Short(note.text, note.marks) for note in read.notes),
        of_words=tuple(
            place
            for place, head in enumerate(read.heads)
            if place >= read.n_headings and not head.is_figure
        ),
    )


def to_read(kept: InShort, address: Callable[[str], str] | None) -> Grid:
    """What is kept of a table, as a page shows it; `address` says where its files are."""
    heads = tuple(
        Head(text=text, is_figure=place >= kept.n_headings and place not in kept.of_words)
        for place, text in enumerate(kept.head)
    )
    rows = [
        tuple(
            GridCell(head=head, text=cell.text, letters=cell.marks)
            for head, cell in zip(heads, row, strict=True)
        )
        for row in kept.rows
    ]
    return Grid(
        id=kept.key,
        title=kept.title,
        caption=kept.caption,
        heads=heads,
        n_headings=kept.n_headings,
        rows=tuple(
            GridRow(about=row[: kept.n_headings], cells=row[kept.n_headings :]) for row in rows
        ),
        notes=tuple(GridNote(text=note.text, marks=note.marks) for note in kept.notes),
        files=tuple(
            Download(name=KINDS[kind], address=address(f"tables/{kept.key}.{kind}"))
            for kind in WRITTEN
        )
        if address
        else (),
        n_more=kept.n_more,
    )


def as_json(contents: Contents) -> bytes:
    return _FORM.dump_json(contents, indent=1) + b"\n"


def from_json(content: bytes) -> Contents:
    return _FORM.validate_json(content)


_FORM = TypeAdapter(Contents)
