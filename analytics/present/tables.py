"""Rows before they are tables: what each is about, and its figures with interval and n."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from django.utils.translation import gettext as _

from analytics.agreement.numbers import Report
from analytics.judges.page import short_name
from analytics.measures import NAMES
from analytics.present.typesetting import Cell, Table
from analytics.present.words import Footnotes, figure, method_names
from analytics.stats.estimates import Estimate
from annotation.queries.wording import said
from annotation.rubric.schema import Rubric

NOTHING = Cell("·")
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


class Plain(NamedTuple):
    """Something without an interval: as people read it, and as programs do."""

    text: str
    exact: object


Value: TypeAlias = Estimate | Plain | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """`key` is for programs, `head` for people; figures have `digits` after the point."""

    key: str
    head: str
    digits: int = 2
    is_words: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    about: tuple[Plain, ...]
    values: tuple[Value, ...]

    @property
    def estimates(self) -> list[Estimate]:
        return [value for value in self.values if isinstance(value, Estimate)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What criteria and raters are called: by people, and by programs."""

    report: Report
    rubric: Rubric

    def criterion(self, key: str) -> Plain:
        name = next((line.name for line in self.report.criteria if line.key == key), None)
        return Plain(said(name) if name else _("Every criterion"), key)

    def rater(self, number: int) -> Plain:
        rater = next(one for one in self.report.raters if one.id == number)
        return Plain(rater.name, rater.key)


def count(n: int) -> Plain:
    return Plain(f"{n:,}", n)


def by_judge() -> list[Column]:
    """A line is about a criterion and a judge."""
    return [Column(key="criterion", head=_("Criterion")), Column(key="judge", head=_("Judge"))]


def of_statistics(names: Iterable[str]) -> list[Column]:
    """A column each, by its short name."""
    return [Column(key=name, head=short_name(name)) for name in names]


def named(names: Iterable[str]) -> list[Column]:
    """A column each, by its full name."""
    return [Column(key=name, head=str(NAMES[name])) for name in names]


def table(
    key: str,
    title: str,
    caption: str,
    *,
    about: Sequence[Column],
    columns: Sequence[Column],
    lines: Iterable[Line],
    notes: Iterable[str] = (),
) -> Table:
    """A row a line; columns that no line fills are left out, and n stands last.

    For programs there is a row a figure: what the line is about, the column, the figure.
    """
    made = list(lines)
    filled = [
        place for place, _column in enumerate(columns) if any(line.values[place] for line in made)
    ]
    has_n = any(line.estimates for line in made)
    footnotes = Footnotes()
    rows = tuple(_row(line, columns, filled, footnotes, has_n=has_n) for line in made)
    return Table(
        key=key,
        title=title,
        caption=caption,
        head=(
            *(column.head for column in about),
            *(columns[place].head for place in filled),
            *([n_head()] if has_n else []),
        ),
        n_headings=len(about),
        of_words=tuple(
            at for at, place in enumerate(filled, start=len(about)) if columns[place].is_words
        ),
        rows=rows,
        notes=(*(Cell(note) for note in (*_intervals(made), *notes)), *letters(footnotes)),
        columns=(*(column.key for column in about), "column", *OF_ESTIMATE),
        values=tuple(
            (*(one.exact for one in line.about), column.key, *exact(value))
            for line in made
            for column, value in zip(columns, line.values, strict=True)
            if value is not None
        ),
    )


def cell(estimate: Estimate | None, footnotes: Footnotes, *, digits: int = 2) -> Cell:
    """A figure in one cell: its value, its interval, the letters of its notes."""
    if estimate is None:
        return NOTHING
    shown = figure(estimate, footnotes, digits=digits)
    return Cell(shown.brief, " ".join(shown.marks))


def n_head() -> str:
    return _("Items (pairs)")


def n_cell(estimate: Estimate | None) -> Cell:
    """On how many items a figure rests, and on how many pairs of ratings where that differs."""
    if estimate is None:
        return NOTHING
    pairs = "" if estimate.n_pairs == estimate.n_items else f" ({estimate.n_pairs:,})"
    return Cell(f"{estimate.n_items:,}{pairs}")


def letters(footnotes: Footnotes) -> list[Cell]:
    """Read last: the notes that cells have referred to."""
    return [Cell(note, letter) for letter, note in footnotes.said()]


def exact(value: Estimate | Plain) -> tuple[object, ...]:
    """What programs read, in the order of `OF_ESTIMATE`."""
    if isinstance(value, Plain):
        return "", value.exact, *[None] * (len(OF_ESTIMATE) - 2)
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


def intervals(estimates: Iterable[Estimate]) -> list[str]:
    """How the intervals of these were made; nothing where there are none."""
    methods = method_names({one.method for one in estimates if one.method})
    return [_("95 %% intervals: %(methods)s.") % {"methods": "; ".join(methods)}] if methods else []


def _intervals(lines: Iterable[Line]) -> list[str]:
    return intervals(one for line in lines for one in line.estimates)


def _row(
    line: Line,
    columns: Sequence[Column],
    filled: Sequence[int],
    footnotes: Footnotes,
    *,
    has_n: bool,
) -> tuple[Cell, ...]:
    cells = [_cell(line.values[place], columns[place], footnotes) for place in filled]
    largest = max(line.estimates, key=lambda one: one.n_items, default=None)
    n = [n_cell(largest)] if has_n else []
    return (*(Cell(one.text) for one in line.about), *cells, *n)


def _cell(value: Value, column: Column, footnotes: Footnotes) -> Cell:
    if isinstance(value, Plain):
        return Cell(value.text)
    return cell(value, footnotes, digits=column.digits)
