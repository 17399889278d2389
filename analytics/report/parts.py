"""The tables of a report, part by part."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.pairs import tables as pairs_tables
from analytics.pairs.numbers import PairsCompared
from analytics.present.basis import TableBasis
from analytics.present.naming import of_raters
from analytics.present.tables import OF_ESTIMATE, Records, Table, exact
from analytics.ratings.matrices import PLAIN, RELEASED, StudyRatings, View
from analytics.report.numbers import Made, estimates
from analytics.rooms import ROOMS
from analytics.trust.policies import Held
from annotation.queries.rounds import RoundStatus

_VIEW_KEYS = {
    PLAIN: "plain",
    View(with_off_scale=True): "with off-scale values",
    View(with_quarantined=True): "with quarantined items",
    RELEASED: "as released",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """What a report says of one matter; `tables` that would be empty are not among them. Those
    that nobody would print are not in `printed`."""

    key: str
    title: str
    tables: tuple[Table, ...]

    @property
    def printed(self) -> tuple[Table, ...]:
        return tuple(table for table in self.tables if not table.is_for_screen)


def parts(
    made: Made,
    views: Sequence[View],
    ratings: StudyRatings,
    held: Held,
    pairs: Sequence[PairsCompared] = (),
    rounds: Sequence[RoundStatus] = (),
) -> list[ReportPart]:
    """Every part that has a table; figures are without what is doubtful, unless a title says so."""
    naming = of_raters(ratings.rubric, made["agreement"][PLAIN].raters)
    found = []
    for room in ROOMS.values():
        reports = {view: made[room.key][view] for view in views if view in made[room.key]}
        basis = TableBasis(
            reports=reports,
            naming=naming,
            held=held,
            read=lambda: ratings,
            rounds=rounds,
            beside={key: made[key][PLAIN] for key in room.beside},
        )
        if tables := tuple(table for table in room.tables(basis) if table.lines):
            found.append(ReportPart(key=room.key, title=str(room.title), tables=tables))
    if pairs:
        compared = tuple(pairs_tables.tables(pairs, naming))
        found.append(ReportPart(key="pairs", title=_("Pairs of replies"), tables=compared))
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
