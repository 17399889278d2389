"""What a report contains, for whoever leafs through it: methods, tables in short, figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from analytics.present.typesetting import Cell, Table
from analytics.report.methods import Paragraph

FILE = "contents.json"
_MOST_ROWS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class InShort:
    """A table with its first rows, `n_more` others left out."""

    key: str
    title: str
    caption: str
    head: tuple[str, ...]
    n_headings: int
    rows: tuple[tuple[Cell, ...], ...]
    n_more: int
    notes: tuple[Cell, ...]
    of_words: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure; `caption` says in words what it shows."""

    key: str
    title: str
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    key: str
    title: str
    tables: tuple[InShort, ...]
    figures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All of it. `policy` and its sum: of the trust cards; `seeds`, `versions` by what has them."""

    methods: tuple[Paragraph, ...]
    references: tuple[str, ...]
    parts: tuple[Part, ...]
    policy: str
    policy_sha256: str
    seeds: Mapping[str, int]
    versions: Mapping[str, str]


def in_short(tables: Sequence[Table]) -> tuple[InShort, ...]:
    """Tables as a page shows them."""
    return tuple(
        InShort(
            key=table.key,
            title=table.title,
            caption=table.caption,
            head=table.head,
            n_headings=table.n_headings,
            rows=table.rows[:_MOST_ROWS],
            n_more=max(len(table.rows) - _MOST_ROWS, 0),
            notes=table.notes,
            of_words=table.of_words,
        )
        for table in tables
    )


def as_json(contents: Contents) -> bytes:
    return _FORM.dump_json(contents, indent=1) + b"\n"


def from_json(content: bytes) -> Contents:
    """What `as_json` wrote."""
    return _FORM.validate_json(content)


_FORM = TypeAdapter(Contents)
