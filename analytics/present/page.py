"""What all pages of figures share: the tables of their room, and the choices of their reader."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Protocol

from django.http import Http404

from analytics.present.grid import MOST_LINES, Grid, grid
from analytics.present.naming import Naming
from analytics.present.tables import Table, only
from analytics.present.words import Footnotes
from analytics.stats.estimates import Note
from annotation.queries.wording import said
from annotation.rubric.schema import Text


class NoSuchPage(Http404):
    """The address asks for something that the report does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One alternative of a switch."""

    key: str
    name: str
    is_current: bool


def choices(named: Iterable[tuple[str, object]], current: str) -> list[Choice]:
    """The alternatives of a switch, (key, name) each."""
    return [Choice(key=str(key), name=str(name), is_current=key == current) for key, name in named]


class NamedLine(Protocol):
    """A criterion as reports have it."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> Text: ...


def of_criteria(lines: Iterable[NamedLine], current: str) -> list[Choice]:
    """Which criterion is in view."""
    return choices(((line.key, said(line.name)) for line in lines), current)


@dataclass(frozen=True, kw_only=True)
class FiguresPage:
    """A page of the room `room`; what its figures refer to is said at its end."""

    room: ClassVar[str]
    naming: Naming
    footnotes: Footnotes = field(default_factory=Footnotes)

    @property
    def general_notes(self) -> Collection[Note]:
        """What holds for every figure: said once, above."""
        return ()

    def grid(self, table: Table, **chosen: str | Sequence[str]) -> Grid | None:
        """The lines about what is chosen, to be read on this page; None where there are none."""
        return self.grid_of(self.room, only(table, **chosen) if chosen else table)

    def grid_of(self, room: str, table: Table) -> Grid | None:
        """The same of a table of some room, which has its files; of very many lines the first."""
        if not table.lines:
            return None
        found = grid(
            replace(table, lines=table.lines[:MOST_LINES]),
            footnotes=self.footnotes,
            said_above=self.general_notes,
            address=partial(self._address, room),
        )
        return replace(found, n_more=len(table.lines[MOST_LINES:]))

    @property
    def asked(self) -> Mapping[str, str]:
        """What the reader has chosen, beside the lines, that its tables depend on."""
        return {}

    def _address(self, room: str, table: Table, kind: str) -> str:
        return self.naming.file(room, table, kind, self.asked)

    @property
    def said_footnotes(self) -> list[tuple[str, str]]:
        return self.footnotes.said()

    @property
    def intervals(self) -> list[str]:
        return self.footnotes.said_methods()


def shown(
    make: Callable[[Any, Naming], Table],
    by: Callable[[Any, Table], Grid | None] = FiguresPage.grid,
) -> cached_property[Grid | None]:
    """A table of a page, made of its report once it is asked for; `by` chooses the lines."""
    return cached_property(lambda page: by(page, make(page.report, page.naming)))
