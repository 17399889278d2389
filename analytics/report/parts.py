"""The tables of a report, part by part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analytics.agreement.curves import Curve
from analytics.present.naming import of_raters
from analytics.present.tables import OF_ESTIMATE, Records, Table, exact
from analytics.ratings.matrices import PLAIN, RELEASED, View
from analytics.report.numbers import Made, estimates
from analytics.rooms import ROOMS, TableBasis
from analytics.trust.policies import Held
from annotation.rubric.schema import Rubric

_VIEW_KEYS = {
    PLAIN: "plain",
    View(with_off_scale=True): "with off-scale values",
    View(with_quarantined=True): "with quarantined items",
    RELEASED: "as released",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """What a report says of one matter; `tables` that would be empty are not among them."""

    key: str
    title: str
    tables: tuple[Table, ...]


def parts(
    made: Made, views: Sequence[View], rubric: Rubric, curves: Sequence[Curve], held: Held
) -> list[ReportPart]:
    """Every part that has a table; figures are without what is doubtful, unless a title says so."""
    naming = of_raters(rubric, made["agreement"][PLAIN].raters)
    found = []
    for room in ROOMS.values():
        reports = {view: made[room.key][view] for view in views if view in made[room.key]}
        told = TableBasis(reports=reports, naming=naming, held=held, curves=curves)
        if tables := tuple(table for table in room.tables(told) if table.lines):
            found.append(ReportPart(key=room.key, title=str(room.title), tables=tables))
    return found


def every_figure(made: Made, views: Iterable[View]) -> Records:
    """All estimates of all parts in all views."""
    names = {rater.id: rater.key for rater in made["agreement"][PLAIN].raters}
    shown = list(views)
    return Records(
        columns=("part", "values", "where", *OF_ESTIMATE),
        values=tuple(
            (key, _VIEW_KEYS[view], where, *exact(one))
            for key, reports in made.items()
            for view in shown
            for where, one in estimates(reports[view], names)
        ),
    )
