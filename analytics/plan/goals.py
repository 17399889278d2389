"""What a reader plans for: a width, how well misses are known, and which share of them is ruled out."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A number that a reader may choose: shown as it was typed, used where it makes sense."""

    name: str
    label: str
    typed: str
    value: float
    problem: str


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
        width=_goal(choices, "width", _("Width of the interval"), 0.2, 0.02, 1.0),
        reach=_goal(choices, "reach", _("Sensitivity, plus or minus"), 0.1, 0.01, 0.5),
        miss=_goal(choices, "miss", _("Share of misses to rule out"), 0.05, 0.001, 0.5),
    )


def _goal(
    choices: Mapping[str, str], name: str, label: str, usual: float, low: float, high: float
) -> Goal:
    typed = choices.get(name, "").strip()
    value = _number(typed) if typed else usual
    problem = ""
    if value is None or not low <= value <= high:
        problem = _("%(label)s: give a number from %(low)s to %(high)s, with a point.") % {
            "label": label,
            "low": f"{low:g}",
            "high": f"{high:g}",
        }
        value = usual
    return Goal(name=name, label=label, typed=typed or f"{usual:g}", value=value, problem=problem)


def _number(typed: str) -> float | None:
    try:
        return float(typed)
    except ValueError:
        return None
