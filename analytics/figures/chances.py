"""Where items were drawn with unequal chances every figure is weighted, or says that it is not."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from analytics.ratings.matrices import Chances, StudyRatings
from analytics.stats.estimates import Estimate, Note, in_order

_SAID = {Chances.UNEQUAL: Note.NOT_WEIGHTED, Chances.NONE_OFF_LIST: Note.NO_CHANCE}
T = TypeVar("T")


def with_chances(study: StudyRatings, report: T) -> T:
    """A report, or a part of one, with the note on each of its figures that is not weighted."""
    note = _SAID.get(study.chances)
    if note is None:
        return report
    told: T = _told(report, note)
    return told


def _told(value: Any, note: Note) -> Any:
    if isinstance(value, Estimate):
        return _noted(value, note)
    if is_dataclass(value) and not isinstance(value, type):
        old = {field.name: getattr(value, field.name) for field in fields(value)}
        new = {name: _told(one, note) for name, one in old.items()}
        changed = {name: one for name, one in new.items() if one is not old[name]}
        return replace(value, **changed) if changed else value
    if isinstance(value, Mapping):
        return {key: _told(one, note) for key, one in value.items()}
    if isinstance(value, tuple) and type(value) is tuple:
        told = tuple(_told(one, note) for one in value)
        is_new = any(one is not old for one, old in zip(told, value, strict=True))
        return told if is_new else value  # what tells nothing stays itself, and what holds it
    return value


def _noted(estimate: Estimate, note: Note) -> Estimate:
    if estimate.value is None or Note.WEIGHTED in estimate.notes:
        return estimate
    return replace(estimate, notes=in_order({*estimate.notes, note}))
