"""The tables of a report, part by part."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analytics.agreement import tables as agreement
from analytics.calibration import tables as calibration
from analytics.judges import tables as judges
from analytics.plan import tables as plan
from analytics.present.tables import OF_ESTIMATE, Naming, exact
from analytics.present.typesetting import Table
from analytics.raters import tables as raters
from analytics.ratings.matrices import PLAIN, RELEASED, View
from analytics.report.curves import Curve
from analytics.report.numbers import Made, estimates
from analytics.routing import tables as routing
from analytics.safety import tables as safety
from analytics.trust import tables as trust
from analytics.trust.policies import Held
from annotation.rubric.schema import Rubric

TITLES: Mapping[str, Promise] = {
    "agreement": _("Agreement"),
    "judges": _("Judges"),
    "safety": _("Safety"),
    "trust": _("Trust"),
    "raters": _("Raters"),
    "calibration": _("Calibration"),
    "routing": _("Routing"),
    "plan": _("Plan"),
}
_VIEW_KEYS = {
    PLAIN: "plain",
    View(with_off_scale=True): "with off-scale values",
    View(with_quarantined=True): "with quarantined items",
    RELEASED: "as released",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a report says of one matter; `tables` that would be empty are not among them."""

    key: str
    title: str
    tables: tuple[Table, ...]


def parts(
    made: Made, views: Sequence[View], rubric: Rubric, curves: Sequence[Curve], held: Held
) -> list[Part]:
    """Every part that has a table; figures are without what is doubtful, unless a title says so."""
    naming = Naming(report=made["agreement"][PLAIN], rubric=rubric)
    plain = {key: reports[PLAIN] for key, reports in made.items()}
    found: dict[str, Iterator[Table]] = {
        "agreement": agreement.tables([made["agreement"][view] for view in views], rubric, curves),
        "judges": judges.tables(plain["judges"], naming),
        "safety": safety.tables(plain["safety"], naming),
        "trust": trust.tables(plain["trust"], naming, held),
        "raters": raters.tables(plain["raters"], naming),
        "calibration": calibration.tables(plain["calibration"], naming),
        "routing": routing.tables(plain["routing"], naming),
        "plan": plan.tables(plain["plan"], naming),
    }
    filled = {key: tuple(table for table in tables if table.rows) for key, tables in found.items()}
    return [
        Part(key=key, title=str(title), tables=filled[key])
        for key, title in TITLES.items()
        if filled[key]
    ]


def every_figure(made: Made, views: Iterable[View]) -> Table:
    """All estimates of all parts in all views: for programs, with no words of its own."""
    names = {rater.id: rater.key for rater in made["agreement"][PLAIN].raters}
    shown = list(views)
    return Table(
        key="every_figure",
        title="",
        head=(),
        rows=(),
        columns=("part", "values", "where", *OF_ESTIMATE),
        values=tuple(
            (key, _VIEW_KEYS[view], where, *exact(one))
            for key, reports in made.items()
            for view in shown
            for where, one in estimates(reports[view], names)
        ),
    )
