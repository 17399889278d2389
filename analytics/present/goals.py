"""A number that a reader may type: shown as it was typed, used where it makes sense."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The number, under its `name` in the address; `problem` says why the usual one is used."""

    name: str
    label: str
    typed: str
    value: float
    problem: str


def goal(
    choices: Mapping[str, str], name: str, label: str, usual: float, low: float, high: float
) -> Goal:
    """The reader's number from `low` to `high`, or the usual one."""
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
