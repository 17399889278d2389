"""What a reader plans for: a width, how well misses are known, and which share of them is ruled out."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics.present.goals import Goal, goal


@dataclass(frozen=True, slots=True, kw_only=True)
class Goals:
    """A width of intervals, a reach of sensitivity, and a rate of misses, all in units of 1."""

    width: Goal
    reach: Goal
    miss: Goal

    @property
    def all(self) -> tuple[Goal, ...]:
        return self.width, self.reach, self.miss


def goals(choices: Mapping[str, str]) -> Goals:
    """The reader's numbers, or the usual ones."""
    return Goals(
        width=goal(choices, "width", _("Width of the interval"), 0.2, 0.02, 1.0),
        reach=goal(choices, "reach", _("Sensitivity, plus or minus"), 0.1, 0.01, 0.5),
        miss=goal(choices, "miss", _("Share of misses to rule out"), 0.05, 0.001, 0.5),
    )
