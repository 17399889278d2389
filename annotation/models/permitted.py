"""The decision of `annotation.rules.granting` in SQL: which rows a person may have for an action."""

from datetime import datetime

from django.db.models import Exists, Expression, OuterRef, Q
from django.db.models.functions import Now

from annotation.models.grants import BrokenGlass, Grant, GrantQuerySet
from annotation.models.splits import OpenItem
from annotation.models.studies import Membership
from annotation.rules.granting import NEEDS, Action, DataLevel

# Of the database: a worker whose clock is wrong opens nothing.
NOW = Now()
Moment = datetime | Expression
Person = int | OuterRef | None


def permitted(action: Action, person: Person, *, study: str, at: Moment = NOW) -> Q:
    """Rows whose study, at this path, lets a person with these roles and grants do that."""
    has_role = Exists(
        Membership.objects.filter(
            study=OuterRef(study), user=person, roles__overlap=sorted(NEEDS[action].roles)
        )
    )
    levels = sorted(NEEDS[action].levels)
    granted = [holds(level, person, study=study, at=at) for level in levels]
    return Q(has_role, *(granted or [has_any(person, study=study, at=at)]))


def has_any(person: Person, *, study: str, at: Moment = NOW) -> Exists:
    """Rows of whose data set anything is granted to a person."""
    return Exists(_grants(person, study=study, at=at))


def holds(level: DataLevel, person: Person, *, study: str, at: Moment = NOW) -> Exists:
    """Rows of whose data set this level is granted to a person."""
    return Exists(_grants(person, study=study, at=at).filter(level=level.value))


def holds_split(person: Person, *, study: str, item: str, at: Moment = NOW) -> Q:
    """Rows whose item, at this path, is in a split that is granted to a person."""
    is_open = Exists(OpenItem.objects.filter(item=OuterRef(item)))
    return Q(is_open, holds(DataLevel.OPEN_SPLIT, person, study=study, at=at)) | (
        Q(holds(DataLevel.RESTRICTED_SPLIT, person, study=study, at=at)) & ~Q(is_open)
    )


def has_broken_glass(person: Person, *, study: str, at: Moment = NOW) -> Exists:
    """Rows for whose data set a person has broken the glass."""
    return Exists(
        BrokenGlass.objects.filter(
            data_set=OuterRef(f"{study}__data_set"), person=person, since__lte=at, until__gt=at
        )
    )


def _grants(person: Person, *, study: str, at: Moment) -> GrantQuerySet:
    return Grant.objects.in_force(at).filter(data_set=OuterRef(f"{study}__data_set"), person=person)
