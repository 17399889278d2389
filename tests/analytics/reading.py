"""Pages as people read them: their words, and their tables cell by cell."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

VOID = {"br", "img", "input", "hr", "meta", "link", "wbr"}


def text_of(response) -> str:
    """The words of a page without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@dataclass
class CellRead:
    """What a cell says, and what it is sorted by."""

    text: str = ""
    order: str = ""
    link: str = ""
    classes: str = ""
    is_heading: bool = False


@dataclass
class TableRead:
    """A table with where its files are: {kind of file: address}."""

    id: str
    title: str = ""
    heads: list[str] = field(default_factory=list)
    rows: list[list[CellRead]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    def row(self, *about: str) -> dict[str, CellRead]:
        """The one row with these headings, by the heads of its columns."""
        (found,) = (
            row
            for row in self.rows
            if all(cell.text.startswith(text) for cell, text in zip(row, about, strict=False))
        )
        return dict(zip(self.heads, found, strict=True))

    def column(self, head: str) -> list[str]:
        place = self.heads.index(head)
        return [row[place].text for row in self.rows]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[TableRead] = []
        self.files: dict[str, str] = {}
        self.title = ""
        self.inside: list[str] = []
        self.cell: CellRead | None = None
        self.is_title = False
        self.is_read = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag not in VOID:
            self.inside.append(tag)
        if tag in {"h2", "h3"} and given.get("id", "").startswith("table-"):
            self.title, self.is_title, self.files = "", True, {}
        elif tag == "a" and "download" in given and self.cell is None:
            self.files[_kind_of(given["href"])] = given["href"]
        elif tag == "table":
            is_lights = "lights" in given.get("class", "").split()
            self.is_read = is_lights or given.get("data-behaviour") == "sort"
            if self.is_read:
                self.tables.append(
                    TableRead(id=given["id"], title=self.title.strip(), files=dict(self.files))
                )
        elif tag in ("th", "td") and self.is_read:
            self.cell = CellRead(
                order=given.get("data-order", ""),
                classes=given.get("class", ""),
                is_heading=tag == "th",
            )
        elif tag == "tr" and "tbody" in self.inside and self.is_read:
            self.tables[-1].rows.append([])
        elif tag == "a" and self.cell is not None:
            self.cell.link = given.get("href", "")
        elif tag == "br" and self.cell is not None:
            self.cell.text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            while self.inside.pop() != tag:
                continue
        if tag in {"h2", "h3"}:
            self.is_title = False
        if tag in ("th", "td") and self.cell is not None:
            self.cell.text = " ".join(self.cell.text.split())
            if "thead" in self.inside:
                self.tables[-1].heads.append(self.cell.text)
            else:
                self.tables[-1].rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.is_title:
            self.title += data
        if self.cell is not None and "sup" not in self.inside and "svg" not in self.inside:
            self.cell.text += data + " "


def _kind_of(address: str) -> str:
    """By its end, or `as` a page hands it out."""
    place = urlsplit(address)
    return parse_qs(place.query).get("as", [place.path.rpartition(".")[2]])[0]


def tables_in(html: str) -> list[TableRead]:
    """Every table of figures on a page, in its order."""
    reader = _Reader()
    reader.feed(html)
    return reader.tables


def table_in(html: str, id_: str) -> TableRead:
    """The table with this id, or the lines of it that are chosen."""
    return next(one for one in tables_in(html) if one.id == id_ or one.id.startswith(f"{id_}-"))
