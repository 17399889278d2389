"""From a figure to its items: those of a whole comparison, or of one cell of its table."""

from functools import partial

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from accounts.punctuation import labelled, listed
from analytics.agreement.behind import with_all_of
from analytics.agreement.numbers import Report
from analytics.comparisons.behind import ratings_behind
from analytics.comparisons.kinds import Comparison, Kind
from analytics.present.listing import ItemList, ListAsked
from analytics.present.page import NoSuchPage
from analytics.present.places import (
    PANELS,
    ComparisonPlace,
    comparison_at,
    criterion_line,
)
from analytics.present.viewing import Side
from analytics.present.words import items, point_names, who
from analytics.ratings.matrices import Matrix
from analytics.stats.scales import Floats
from annotation.queries.wording import said


def is_of_a_judge(kind: str) -> bool:
    """Whether a kind of comparison tells what a judge answered."""
    return kind not in (Kind.HUMANS, Kind.HUMAN_PAIR)


def behind(asked: ListAsked, *, report: Report, place: ComparisonPlace) -> ItemList:
    """The items of a comparison, or of the cell at two of its points, of a panel at one that
    somebody gave; NoSuchPage."""
    comparison = comparison_at(report, place)
    line = criterion_line(report, place.criterion)
    points = point_names(asked.study.rubric, line.key, line.points)
    names = dict(zip(line.points, points, strict=True))
    cell = _point(asked.choices.get("row"), names), _point(asked.choices.get("column"), names)
    is_whole = cell == (None, None)
    if comparison.kind in PANELS and cell[1] is not None:
        raise NoSuchPage
    table = with_all_of(comparison, asked.table(place.criterion))
    values = ratings_behind(asked.study, table, comparison)
    found = {
        int(asked.study.items[at]): _both_sides(comparison, table, values[at], names)
        for at in np.flatnonzero(_chosen(comparison, values, *cell))
    }
    first, second = _side_names(comparison, report)
    cell_name = listed(
        labelled(side, names[point])
        for side, point in zip((first, second), cell, strict=True)
        if point is not None
    )
    address = partial(asked.address, "agreement_comparison_items", *place)
    all_items = Side(
        name=_("All items of this comparison"),
        address=address(row=None, column=None),
        is_current=False,
    )
    return ItemList(
        title=who(comparison, report),
        says=f"{said(line.name)} · {items(len(found))}",
        back=asked.address("agreement_comparison", *place, row=None, column=None),
        back_to=who(comparison, report),
        cases=asked.cases(found, first, second),
        beside=()
        if is_whole
        else (all_items, Side(name=cell_name, address=address(), is_current=True)),
    )


def _point(asked: str | None, names: dict[float, str]) -> float | None:
    if asked is None:
        return None
    point = next((point for point in names if f"{point:g}" == asked), None)
    if point is None:
        raise NoSuchPage
    return point


def _chosen(
    comparison: Comparison, values: Floats, first: float | None, second: float | None
) -> npt.NDArray[np.bool_]:
    """Which items, (n,), count in the comparison and lie in the cell."""
    chosen = np.asarray(~np.isnan(values).all(axis=1))
    if comparison.kind in PANELS:
        given = (~np.isnan(values)).sum(axis=1)
        return chosen if first is None else (given > 1) & (values == first).any(axis=1)
    if first is not None:
        chosen &= (values[:, :-1] == first).any(axis=1)
    return chosen if second is None else chosen & (values[:, -1] == second)


def _both_sides(
    comparison: Comparison, table: Matrix, given: Floats, names: dict[float, str]
) -> tuple[str, str]:
    """What either side gave an item; of a panel all values, and whether they are the same."""
    known = {rater.id: rater.name for rater in table.raters}
    values = [names.get(value, f"{value:g}") for value in given.tolist()]
    if comparison.kind in PANELS:
        present = given[~np.isnan(given)]
        same = _("the same") if np.unique(present).size == 1 else _("different")
        several = comparison.kind is Kind.HUMANS
        labels = [known[one] for one in comparison.raters] if several else [""] * given.size
        return _listed(labels, values, given), same
    if comparison.kind is not Kind.JUDGE_HUMANS or given.size == 2:
        return values[0], values[-1]
    labels = [known[one] for one in comparison.raters[:-1]]
    return _listed(labels, values[:-1], given[:-1]), values[-1]


def _listed(labels: list[str], values: list[str], given: Floats) -> str:
    """“Ruth 3, Rolf 4”, without those who gave nothing."""
    pairs = zip(labels, values, np.isnan(given).tolist(), strict=True)
    return listed(f"{label} {value}".strip() for label, value, is_none in pairs if not is_none)


def _side_names(comparison: Comparison, report: Report) -> tuple[str, str]:
    names = {rater.id: rater.name for rater in report.raters}
    last = names[comparison.raters[-1]]
    match comparison.kind:
        case Kind.HUMANS | Kind.JUDGE_REPEATS:
            return _("Ratings"), _("They are")
        case Kind.JUDGE_GOLD:
            return _("Gold"), last
        case Kind.JUDGE_HUMANS:
            return _("People"), last
        case _:
            return names[comparison.raters[0]], last
