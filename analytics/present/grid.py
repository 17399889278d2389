"""A table as people read it: rounded, with its intervals in words and its notes under letters."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts.punctuation import in_turn
from analytics.present.glossary import Entry, entry_of, spoken_of
from analytics.present.tables import Column, Dressed, Line, Plain, Range, Table, Told, bare, exact
from analytics.present.words import Figure, Footnotes, figure, method_names
from analytics.stats.estimates import Estimate, Note

NOTHING = "·"
MOST_LINES = 100  # of a table; a row is 2 kB of a page
KINDS = {"csv": "CSV", "tex": "LaTeX", "md": "Markdown", "json": "JSON"}  # of files


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a column; figures stand to the right, words to the left. `entry` of the glossary
    explains it."""

    text: str
    is_figure: bool
    help: str = ""
    entry: Entry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A figure, or words, below the `head` of its column; by `order` the column is sorted."""

    head: Head
    text: str
    figure: Figure | None = None
    letters: str = ""
    order: str = ""
    link: str = ""
    small: str = ""
    badge: str = ""
    shade: int | None = None
    is_outlined: bool = False
    drawing: SafeString | None = None

    @property
    def brief(self) -> str:
        """Value and interval on one line."""
        return self.figure.brief if self.figure else self.text

    @property
    def marks(self) -> str:
        """The letters of its notes."""
        return " ".join(self.figure.marks) if self.figure else self.letters

    @property
    def is_empty(self) -> bool:
        return self.figure is None and self.text == NOTHING

    @property
    def classes(self) -> str:
        """How a page sets it."""
        shown = {
            "number": self.head.is_figure,
            "does-not-apply": self.is_empty,
            f"shade shade--{self.shade}": self.shade is not None,
            "shade--same": self.is_outlined,
        }
        return " ".join(name for name, is_so in shown.items() if is_so)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """`about` are headings of the row."""

    about: tuple[GridCell, ...]
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridNote:
    """A sentence below a table, under a letter if cells refer to it."""

    text: str
    marks: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """The same table as a file."""

    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table to be read. `id` tells it from the others of a page; `n_more` rows are left out; its page
    hands out the `table` itself where that has no `files` elsewhere."""

    id: str
    title: str
    caption: str
    heads: tuple[Head, ...]
    n_headings: int
    rows: tuple[GridRow, ...]
    notes: tuple[GridNote, ...]
    files: tuple[Download, ...] = ()
    n_more: int = 0
    table: Table | None = None

    @property
    def is_sorted(self) -> bool:
        """Whether a reader may sort it: not what is only a part of it."""
        return not self.n_more and any(cell.order for row in self.cells for cell in row)

    @property
    def unexplained(self) -> list[Entry]:
        """What explains the symbols that stand in its cells and heads and have no mark there."""
        heads = {head.entry for head in self.heads}
        words = [head.text for head in self.heads if head.entry is None]
        words += [text for row in self.cells for cell in row for text in (cell.text, cell.small)]
        return [entry for entry in spoken_of(words) if entry not in heads]

    @property
    def cells(self) -> list[tuple[GridCell, ...]]:
        """Row by row, headings first."""
        return [(*row.about, *row.cells) for row in self.rows]


def grid(
    of: Table,
    *,
    footnotes: Footnotes | None = None,
    said_above: Collection[Note] = (),
    address: Callable[[Table, str], str] | None = None,
    by_page: bool = False,
) -> Grid:
    """Columns that no line fills are left out, and n stands last.

    Notes and methods go to the `footnotes` of a page, where there are some, else below the table.
    `address` says where the file of a table of some kind is; of one that goes `by_page` its page does.
    """
    own = Footnotes() if footnotes is None else footnotes
    filled = of.filled
    about = [Head(text=column.head, is_figure=False, help=column.help) for column in of.about]
    heads = [
        Head(
            text=column.head,
            is_figure=not column.is_words,
            help=column.help,
            entry=entry_of(column.key),
        )
        for column in map(of.columns.__getitem__, filled)
    ]
    size = Head(text=_("Items (pairs)"), is_figure=True, entry=entry_of("n"))
    has_n = of.counts and any(line.estimates for line in of.lines)
    rows = tuple(
        GridRow(
            about=tuple(_words(one, head) for one, head in zip(line.about, about, strict=True)),
            cells=(
                *(
                    _cell(line.values[place], head, of.columns[place], own, said_above)
                    for place, head in zip(filled, heads, strict=True)
                ),
                *([_size(line, size)] if has_n else []),
            ),
        )
        for line in of.lines
    )
    below = [GridNote(text=note) for note in of.notes]
    if footnotes is None:
        below = [*_intervals(own), *below, *_letters(own)]
    return Grid(
        id="-".join((of.key, *(value for _key, value in of.chosen))).replace(" ", "-"),
        title=of.title,
        caption=of.caption,
        heads=(*about, *heads, *([size] if has_n else [])),
        n_headings=len(about),
        rows=rows,
        notes=tuple(below),
        files=tuple(Download(name=name, address=address(of, kind)) for kind, name in KINDS.items())
        if address
        else (),
        table=of if by_page else None,
    )


def size_of(estimate: Estimate) -> str:
    """On how many items a figure rests, and on how many pairs of ratings where that differs."""
    pairs = "" if estimate.n_pairs == estimate.n_items else f" ({estimate.n_pairs:,})"
    return f"{estimate.n_items:,}{pairs}"


def _cell(
    told: Told, head: Head, column: Column, footnotes: Footnotes, said_above: Collection[Note]
) -> GridCell:
    value = bare(told)
    if not isinstance(value, Estimate):
        return _words(told, head)
    shown = figure(value, footnotes, digits=column.digits, said_above=said_above)
    return _dressed(told, head, text=shown.brief, shown=shown)


def _words(told: Told, head: Head) -> GridCell:
    value = bare(told)
    return _dressed(told, head, text=value.text if isinstance(value, Plain) else NOTHING)


def _dressed(told: Told, head: Head, *, text: str, shown: Figure | None = None) -> GridCell:
    dress = told if isinstance(told, Dressed) else Dressed(value=None)
    return GridCell(
        head=head,
        text=text,
        figure=shown,
        order=_order(told),
        link=dress.link,
        small=dress.small,
        badge=dress.badge,
        shade=dress.shade,
        is_outlined=dress.is_outlined,
        drawing=dress.drawing,
    )


def _order(told: Told) -> str:
    """What a column is sorted by: a range by its lower end first."""
    value = bare(told)
    if isinstance(value, Plain) and isinstance(value.exact, Range):
        return " ".join(map(repr, value.exact))
    order = exact(told)[1]
    return "" if order is None else str(order)


def _size(line: Line, head: Head) -> GridCell:
    largest = max(line.estimates, key=lambda one: one.n_items, default=None)
    if largest is None:
        return GridCell(head=head, text=NOTHING)
    return GridCell(head=head, text=size_of(largest), order=str(largest.n_items))


def _intervals(footnotes: Footnotes) -> Iterable[GridNote]:
    """How the intervals were made; nothing where there are none."""
    if methods := method_names(footnotes.methods):
        yield GridNote(text=_("95 %% intervals: %(methods)s.") % {"methods": in_turn(methods)})


def _letters(footnotes: Footnotes) -> Iterable[GridNote]:
    """Read last: the notes that cells have referred to."""
    return (GridNote(text=note, marks=letter) for letter, note in footnotes.said())
