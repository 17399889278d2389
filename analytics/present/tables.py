"""A table is data, written once: pages, files, the report and the API are renderings of it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from analytics.measures import NAMES
from analytics.present.words import number, short_name
from analytics.stats.ceiling import SMALLER_IS_BETTER
from analytics.stats.estimates import Estimate

OF_ESTIMATE = (
    "statistic",
    "value",
    "low",
    "high",
    "n_items",
    "n_pairs",
    "n_clusters",
    "n_raters",
    "method",
    "notes",
)


class Range(NamedTuple):
    """The least and the greatest of several values."""

    low: float
    high: float


class Plain(NamedTuple):
    """Something without an interval: as people read it, and as programs do. `tells_of`: counts of
    items that it would give back; it leaves where none of them is small."""

    text: str
    exact: object
    tells_of: tuple[int, ...] = ()


Value: TypeAlias = Estimate | Plain | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dressed:
    """A value with what a page adds to it; files leave all of that out.

    `link` leads to what is behind it, `small` stands below it line by line, `badge` is a kind
    of badge around its words, `shade` from 0 to 5 colours its cell, which may be outlined,
    `drawing` stands beside it.
    """

    value: Value
    link: str = ""
    small: str = ""
    badge: str = ""
    shade: int | None = None
    is_outlined: bool = False
    drawing: SafeString | None = None


Told: TypeAlias = Value | Dressed


@dataclass(frozen=True, slots=True)
class Column:
    """`key` is for programs, `head` for people, `help` says in a sentence what stands below.

    Figures have `digits` after the point. One of a cross table `is_tally`: how many items fall there; where a line is a cross table by itself, and its
    figures are made of that, each of its counts `is_field`.
    """

    key: str
    head: str
    _: KW_ONLY
    digits: int = 2
    is_words: bool = False
    is_tally: bool = False
    is_field: bool = False
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What it is about, and a value a column. `made_of`: the counts of the cross table of two answers
    that its figures are made of, where these are not columns."""

    about: tuple[Plain | Dressed, ...]
    values: tuple[Told, ...]
    made_of: tuple[int, ...] = ()

    @property
    def estimates(self) -> list[Estimate]:
        return [one for one in map(bare, self.values) if isinstance(one, Estimate)]


class Records(NamedTuple):
    """What programs read: a row a figure, with every digit."""

    columns: tuple[str, ...]
    values: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table. `caption` says what it shows and by which method; `about` heads what a line is
    about, `columns` its values; `notes` stand below.

    `counts`: on how many items each line rests is told last, where its columns do not tell it.
    `chosen`: what `only` has left of a larger one. One `is_for_screen` that nobody would print:
    a report has it as a file for programs.
    """

    key: str
    title: str
    caption: str = ""
    about: tuple[Column, ...]
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    counts: bool = True
    chosen: tuple[tuple[str, str], ...] = ()
    is_for_screen: bool = False

    @property
    def filled(self) -> list[int]:
        """The places of the columns that a line fills."""
        return [
            place
            for place, _column in enumerate(self.columns)
            if any(bare(line.values[place]) is not None for line in self.lines)
        ]


def table(
    key: str,
    title: str,
    caption: str,
    *,
    about: Iterable[Column],
    columns: Iterable[Column],
    lines: Iterable[Line],
    notes: Iterable[str] = (),
    counts: bool = True,
    is_for_screen: bool = False,
) -> Table:
    """A table of what is told one by one."""
    return Table(
        key=key,
        title=title,
        caption=caption,
        about=tuple(about),
        columns=tuple(columns),
        lines=tuple(lines),
        notes=tuple(notes),
        counts=counts,
        is_for_screen=is_for_screen,
    )


def only(whole: Table, **wanted: str | Sequence[str]) -> Table:
    """The lines about what is wanted, {key of a column of `about`: as programs read it, or several
    of these}; a column that would say the same in each line is left out."""
    places = {column.key: place for place, column in enumerate(whole.about)}
    asked = {places[key]: value for key, value in wanted.items()}

    def kept(those: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            one for place, one in enumerate(those) if not isinstance(asked.get(place), str)
        )

    return replace(
        whole,
        about=kept(whole.about),
        lines=tuple(
            replace(line, about=kept(line.about))
            for line in whole.lines
            if all(
                str(exact(line.about[place])[1]) in _several(value)
                for place, value in asked.items()
            )
        ),
        chosen=(
            *whole.chosen,
            *((key, one) for key, value in wanted.items() for one in _several(value)),
        ),
    )


def _several(wanted: str | Sequence[str]) -> Sequence[str]:
    return [wanted] if isinstance(wanted, str) else wanted


def records(of: Table) -> Records:
    """A row a figure: what the line is about, the column, the figure."""
    return Records(
        columns=(*(column.key for column in of.about), "column", *OF_ESTIMATE),
        values=tuple(
            (*(exact(one)[1] for one in line.about), column.key, *exact(value))
            for line in of.lines
            for column, value in zip(of.columns, line.values, strict=True)
            if bare(value) is not None
        ),
    )


def bare(told: Told) -> Value:
    """The value alone."""
    return told.value if isinstance(told, Dressed) else told


def exact(told: Told) -> tuple[object, ...]:
    """What programs read, in the order of `OF_ESTIMATE`."""
    value = bare(told)
    if not isinstance(value, Estimate):
        known = value and value.exact
        limits = (None, *known) if isinstance(known, Range) else (known, None, None)
        return "", *limits, *[None] * (len(OF_ESTIMATE) - 4)
    return (
        value.statistic,
        value.value,
        value.low,
        value.high,
        value.n_items,
        value.n_pairs,
        value.n_clusters,
        value.n_raters,
        value.method,
        "; ".join(note.value for note in value.notes),
    )


def count(n: int, tells_of: tuple[int, ...] = ()) -> Plain:
    """A whole number, exact and without an interval."""
    return Plain(f"{n:,}", n, tells_of)


def between(values: Iterable[float | None], statistic: str) -> Plain | None:
    """The least and the greatest of them."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    limits = Range(min(known), max(known))
    low, high = (number(one, statistic) for one in limits)
    return Plain(_("%(low)s to %(high)s") % {"low": low, "high": high}, limits)


def shade(estimate: Estimate) -> int:
    """How strongly a cell is coloured, by a value between 0 and 1; distances are not."""
    if estimate.value is None or estimate.statistic in SMALLER_IS_BETTER:
        return 0
    return min(5, max(0, math.ceil(5 * estimate.value)))


def by_judge() -> list[Column]:
    """A line is about a criterion and a judge."""
    return [Column("criterion", _("Criterion")), Column("judge", _("Judge"))]


def of_statistics(names: Iterable[str]) -> list[Column]:
    """A column each, by its short name; the full one explains it."""
    return [Column(name, short_name(name), help=str(NAMES[name])) for name in names]


def named(names: Iterable[str]) -> list[Column]:
    """A column each, by its full name."""
    return [Column(name, str(NAMES[name])) for name in names]
