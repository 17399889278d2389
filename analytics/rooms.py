"""Every matter of the figures: what it is called, what is computed for it, and its tables."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analytics.agreement import tables as agreement
from analytics.calibration import tables as calibration
from analytics.figures.part import Part
from analytics.judges import tables as judges
from analytics.parts import PARTS
from analytics.plan import tables as plan
from analytics.present.basis import TableBasis
from analytics.present.tables import Table
from analytics.raters import tables as raters
from analytics.routing import tables as routing
from analytics.safety import tables as safety
from analytics.trust import tables as trust
from annotation.rules.granting import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One matter; its tables speak of the parts `beside` it too. One that `certifies` is about the
    whole study and never about a slice. `action`: what who sees it does."""

    key: str
    title: Promise
    tables: Callable[[TableBasis], Iterator[Table]]
    beside: tuple[str, ...] = ()
    certifies: bool = False
    action: Action = Action.SEE_FIGURES

    @property
    def part(self) -> Part[Any]:
        return PARTS[self.key]


ROOMS: Mapping[str, Room] = {
    room.key: room
    for room in (
        Room(key="agreement", title=_("Agreement"), tables=agreement.tables),
        Room(key="judges", title=_("Judges"), tables=judges.tables),
        Room(key="safety", title=_("Safety"), tables=safety.tables),
        Room(key="trust", title=_("Trust"), tables=trust.tables, certifies=True),
        Room(key="raters", title=_("Raters"), tables=raters.tables, action=Action.SEE_RATERS),
        Room(key="calibration", title=_("Calibration"), tables=calibration.tables),
        Room(
            key="routing",
            title=_("Routing"),
            tables=routing.tables,
            beside=("trust",),
            certifies=True,
        ),
        Room(key="plan", title=_("Plan"), tables=plan.tables),
    )
}
