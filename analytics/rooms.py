"""Every matter of the figures: what it is called, what is computed for it, and its tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analytics.agreement import tables as agreement
from analytics.agreement.curves import Curve
from analytics.calibration import tables as calibration
from analytics.figures.part import Part
from analytics.judges import tables as judges
from analytics.parts import PARTS
from analytics.plan import tables as plan
from analytics.plan.goals import goals
from analytics.present.naming import Naming
from analytics.present.tables import Table
from analytics.raters import tables as raters
from analytics.ratings.matrices import View
from analytics.routing import tables as routing
from analytics.routing.words import USUAL_ALPHA
from analytics.safety import tables as safety
from analytics.trust import tables as trust
from analytics.trust.policies import Held


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBasis:
    """What tables are made from: the reports of a part in the views that differ, the one in view
    first; `held` are the rules of the trust cards; `curves` are computed from the ratings;
    `choices` are those of the reader of a page."""

    reports: Mapping[View, Any]
    naming: Naming
    held: Held
    curves: Sequence[Curve] = ()
    choices: Mapping[str, str] = field(default_factory=dict)

    def share(self, name: str, usual: float) -> float:
        """A share that the reader has chosen; the usual one where none is, or no share."""
        try:
            share = float(self.choices.get(name, usual))
        except ValueError:
            return usual
        return share if 0 < share < 1 else usual

    @property
    def report(self) -> Any:
        return next(iter(self.reports.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    key: str
    title: Promise
    tables: Callable[[TableBasis], Iterator[Table]]

    @property
    def part(self) -> Part[Any]:
        return PARTS[self.key]


ROOMS: Mapping[str, Room] = {
    room.key: room
    for room in (
        Room(
            key="agreement",
            title=_("Agreement"),
            tables=lambda told: agreement.tables(
                list(told.reports.values()), told.naming, told.curves
            ),
        ),
        Room(
            key="judges",
            title=_("Judges"),
            tables=lambda told: judges.tables(told.report, told.naming),
        ),
        Room(
            key="safety",
            title=_("Safety"),
            tables=lambda told: safety.tables(told.report, told.naming),
        ),
        Room(
            key="trust",
            title=_("Trust"),
            tables=lambda told: trust.tables(told.report, told.naming, told.held),
        ),
        Room(
            key="raters",
            title=_("Raters"),
            tables=lambda told: raters.tables(told.report, told.naming),
        ),
        Room(
            key="calibration",
            title=_("Calibration"),
            tables=lambda told: calibration.tables(told.report, told.naming),
        ),
        Room(
            key="routing",
            title=_("Routing"),
            tables=lambda told: routing.tables(
                told.report, told.naming, alpha=told.share("alpha", USUAL_ALPHA)
            ),
        ),
        Room(
            key="plan",
            title=_("Plan"),
            tables=lambda told: plan.tables(told.report, told.naming, goals(told.choices)),
        ),
    )
}
