"""Tables and charts as they leave for who sees no single raters: without what rests on few items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.utils.translation import gettext as _

from analytics.agreement.numbers import Report
from analytics.comparisons.kinds import Comparison
from analytics.comparisons.systems import SystemComparison
from analytics.measures import COUNTED
from analytics.present.charts.parts import Spec
from analytics.present.tables import Line, Plain, Table, Told, Value, bare, exact
from analytics.stats.estimates import Estimate
from analytics.stats.suppression import Sizes, small, suppressed
from annotation.rules.small_counts import LEAST_ITEMS, enough

FEWER, BESIDE = "fewer than k", "beside one of fewer than k"
"""What files say in the place of a cell that is small, and of one that would give it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    """Where something stands in a table, and how many items it is about."""

    line: int
    column: int
    size: int


def without_small_cells(whole: Table) -> Table:
    """The table with a reason in the place of what is about too few items, and of what, with a sum,
    would give it back."""
    left_out = dict(sorted(_left_out(whole)))  # of two reasons “fewer” comes last
    if not left_out:
        return whole
    return replace(
        whole,
        lines=tuple(
            replace(
                line,
                values=tuple(
                    _instead(reason) if (reason := left_out.get((number, place))) else value
                    for place, value in enumerate(line.values)
                ),
            )
            for number, line in enumerate(whole.lines)
        ),
        notes=(*whole.notes, _note()),
    )


def has_small_mark(spec: Spec) -> bool:
    """Whether a mark of a chart tells of few: `n` in its data says of how many items it tells, and
    `tells_of`, of a share, what it counts and leaves over."""
    return not enough(*_sizes_of_marks(spec))


def _sizes_of_marks(node: object) -> Iterator[int]:
    if isinstance(node, Mapping):
        if isinstance(n := node.get("n"), int):
            yield n
        yield from node.get("tells_of", ())
        yield from _sizes_of_marks(list(node.values()))
    elif isinstance(node, list):
        for one in node:
            yield from _sizes_of_marks(one)


def _left_out(whole: Table) -> Iterator[tuple[tuple[int, int], str]]:
    """((line, column), why), several times where a cell adds up with others in several ways."""
    yield from _fields_left_out(whole)
    for number, line in enumerate(whole.lines):
        for column in range(len(whole.columns)):
            if not _tells_of_enough(bare(line.values[column])):
                yield (number, column), FEWER
    for block in _blocks(whole):
        sizes = _sizes(block)
        few = small(sizes, LEAST_ITEMS)
        for row, column in np.argwhere(suppressed(sizes, LEAST_ITEMS)):
            if (cell := block.get((int(row), int(column)))) is not None:
                yield (cell.line, cell.column), FEWER if few[row, column] else BESIDE


def _fields_left_out(whole: Table) -> Iterator[tuple[tuple[int, int], str]]:
    """Of a line whose figures are made of a cross table of two answers all, where one of the counts is
    small: kappa and exact agreement give it back to who solves for whole numbers, as shares do."""
    fields = {place for place, column in enumerate(whole.columns) if column.is_field}
    for number, line in enumerate(whole.lines):
        counts = {place: _tally(line.values[place]) or 0 for place in fields}
        if enough(*counts.values(), *line.made_of):
            continue
        for place, value in enumerate(line.values):
            if place in fields or _is_made(bare(value)):
                is_few = not enough(counts.get(place, 0))
                yield (number, place), FEWER if is_few else BESIDE


def _is_made(value: Value) -> bool:
    """Whether a value is made of what is counted, and would give it back."""
    return isinstance(value, Estimate) or (value is not None and bool(value.tells_of))


def _tells_of_enough(value: Value) -> bool:
    """Whether a value gives no small count back; how many items an estimate rests on adds up with
    those beside it, and is looked at there."""
    if isinstance(value, Estimate):
        return _counts_enough(value)
    return value is None or enough(*value.tells_of)


def _counts_enough(found: Estimate) -> bool:
    """Whether a share gives no small count back: of the items that it counts, or of the others."""
    if found.statistic not in COUNTED or found.value is None:
        return True
    return enough(*found.counted)


def report_without_small_cells(made: Report) -> Report:
    """The same of a report that a program gets."""
    points = {line.key: line.points for line in made.criteria}
    return replace(
        made,
        comparisons=tuple(_comparison(one, points[one.criterion]) for one in made.comparisons),
        systems=tuple(_systems(one, points[one.criterion]) for one in made.systems),
    )


def left_out_of_card(
    figures: Sequence[Estimate | None], made_of: Sequence[int] = ()
) -> Mapping[int, str]:
    """{place: why} of the figures of a trust card; of two answers they are `made_of` the counts of one
    cross table."""
    told = {place: one for place, one in enumerate(figures) if one and one.value is not None}
    few = {
        place: FEWER
        for place, one in told.items()
        if not (enough(one.n_items) and _counts_enough(one))
    }
    if not enough(*made_of):
        return dict.fromkeys(told, BESIDE) | few
    return few


def _note() -> str:
    return _(
        "Figures that rest on fewer than %(k)s items are left out (“%(fewer)s”), and so are "
        "those from which they could be worked out (“%(beside)s”)."
    ) % {"k": LEAST_ITEMS, "fewer": FEWER, "beside": BESIDE}


def _instead(reason: str) -> Plain:
    words = {FEWER: _("fewer than %(k)s") % {"k": LEAST_ITEMS}, BESIDE: _("left out")}
    return Plain(words[reason], reason)


Block = Mapping[tuple[int, int], _Cell]


def _blocks(whole: Table) -> Iterator[Block]:
    """What adds up: the counts of a cross table, and each column of estimates along each thing that
    lines are about."""
    tallies = [place for place, column in enumerate(whole.columns) if column.is_tally]
    for lines in _alike(whole, len(whole.about) - 1):
        yield {
            (row, place): _Cell(line=number, column=column, size=size)
            for row, number in enumerate(lines)
            for place, column in enumerate(tallies)
            if (size := _tally(whole.lines[number].values[column])) is not None
        }
    for about in range(len(whole.about)):
        for lines in _alike(whole, about):
            for column in range(len(whole.columns)):
                yield {
                    (row, 0): _Cell(line=number, column=column, size=found.n_items)
                    for row, number in enumerate(lines)
                    if (found := _estimate(whole.lines[number], column)) is not None
                }


def _alike(whole: Table, about: int) -> list[list[int]]:
    """Lines that differ in this one thing that they are about."""
    found: dict[tuple[object, ...], list[int]] = {}
    for number, line in enumerate(whole.lines):
        rest = tuple(str(exact(one)[1]) for place, one in enumerate(line.about) if place != about)
        found.setdefault(rest, []).append(number)
    return list(found.values())


def _tally(told: Told) -> int | None:
    value = bare(told)
    if isinstance(value, Plain) and isinstance(value.exact, int):
        return value.exact
    return None


def _estimate(line: Line, column: int) -> Estimate | None:
    value = bare(line.values[column])
    return value if isinstance(value, Estimate) and value.value is not None else None


def _sizes(block: Block) -> Sizes:
    """Rows x columns; 0 where nothing stands."""
    shape = [1 + max((place[axis] for place in block), default=-1) for axis in (0, 1)]
    sizes = np.zeros(shape, dtype=np.int64)
    for place, cell in block.items():
        sizes[place] = cell.size
    return sizes


def _comparison(one: Comparison, points: Sequence[float]) -> Comparison:
    """A table of counts of which one cell is small stays here whole, and of two answers with it the
    figures that are made of it."""
    counts = np.asarray(one.table if one.table else [[0]], dtype=np.int64)
    return replace(
        one,
        estimates=_of_enough(one.estimates) if enough(*one.made_of(points)) else {},
        table=None if small(counts, LEAST_ITEMS).any() else one.table,
    )


def _systems(one: SystemComparison, points: Sequence[float]) -> SystemComparison:
    """Without the means of a generator of few replies, and of the next, which would give it back."""
    sizes = [_least_told(n, means, points) for n, means in zip(one.n_pairs, one.means, strict=True)]
    out = suppressed(np.asarray([sizes], dtype=np.int64).T, LEAST_ITEMS)[:, 0]
    kept = np.flatnonzero(~out)
    names = {one.systems[place] for place in kept}
    return replace(
        one,
        systems=tuple(one.systems[place] for place in kept),
        means=tuple(one.means[place] for place in kept),
        n_pairs=tuple(one.n_pairs[place] for place in kept),
        estimates=_of_enough(one.estimates),
        without={
            key: {name: value for name, value in found.items() if name in names}
            for key, found in one.without.items()
        },
    )


def _least_told(n: int, means: Sequence[float], points: Sequence[float]) -> int:
    """The least that two means over `n` items tell of: of two answers a mean tells how often each was
    given."""
    if len(points) != 2:
        return n
    low, high = points
    often = [round(n * (mean - low) / (high - low)) for mean in means]
    return min([n, *(count for k in often for count in (k, n - k) if count)])


def _of_enough(estimates: Mapping[str, Estimate]) -> Mapping[str, Estimate]:
    return {name: found for name, found in estimates.items() if enough(found.n_items)}
