"""Who has copies of which releases, until when, and what they stated about them.

Worked out from what left, what is granted and what was stated: nothing has to run for a copy to be
due.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from django.db.models import Max, QuerySet
from django.utils.timezone import localdate

from accounts.access import Access
from accounts.models import Event, User
from accounts.queries import NotYours
from analytics.models import CopyStatement, Export
from annotation.models import DataSet, Grant
from annotation.rules.granting import GrantStage

PATIENCE = timedelta(days=14)  # after which a copy that is due is late


class CopyState(StrEnum):
    """How it stands with a copy."""

    HELD = "held"
    DUE = "due"
    LATE = "late"
    REFUSED = "refused"
    DESTROYED = "destroyed"


OWED = frozenset({CopyState.DUE, CopyState.LATE, CopyState.REFUSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCopy:
    """A release that its recipient fetched: when last, and on which day it is to be destroyed, which
    comes sooner where what is in it is not granted any more. `statement`: the newest about it."""

    export: Export
    fetched_at: datetime
    due: date
    state: CopyState
    statement: CopyStatement | None

    @property
    def release(self) -> str:
        return str(self.export.manifest["release"])

    @property
    def is_owed(self) -> bool:
        return self.state in OWED

    @property
    def is_over(self) -> bool:
        return self.state is CopyState.DESTROYED


def copies_of(person: User, *, at: datetime) -> list[HeldCopy]:
    """What somebody fetched, the newest first."""
    return _copies(Export.objects.filter(exported_by=person), at=at)


def copies_of_data_set(data_set: DataSet, *, at: datetime) -> list[HeldCopy]:
    """What anybody fetched of a data set, what is owed first."""
    found = _copies(Export.objects.filter(study__data_set=data_set), at=at)
    return sorted(found, key=lambda one: (not one.is_owed, one.due))


def all_copies(*, at: datetime) -> list[HeldCopy]:
    return _copies(Export.objects.all(), at=at)


def statement_for(access: Access, statement_id: int) -> CopyStatement:
    """A statement, for who made it and for who governs; NotYours."""
    found = CopyStatement.objects.filter(pk=statement_id).first()
    if found is None or not (found.person_id == access.user_id or access.may_decide_requests):
        raise NotYours
    return found


def _copies(exports: QuerySet[Export], *, at: datetime) -> list[HeldCopy]:
    known = exports.select_related("study__data_set", "exported_by").order_by("-pk")
    found = list(known)
    fetched = _fetched(found)
    found = [one for one in found if one.pk in fetched]
    ends = _ends(found)
    stated = _stated(found)
    return [_copy(one, fetched[one.pk], ends, stated.get(one.pk), at=at) for one in found]


def _copy(
    export: Export,
    fetched_at: datetime,
    ends: Mapping[tuple[int, int, str], datetime],
    statement: CopyStatement | None,
    *,
    at: datetime,
) -> HeldCopy:
    if statement and statement.signed_at < fetched_at.replace(microsecond=0):
        statement = None  # it was fetched once more
    due = date.fromisoformat(export.manifest["destroy_by"])
    for level in export.manifest.get("data_set", {}).get("levels", ()):
        end = ends.get((export.exported_by_id, export.study.data_set_id, level))
        if end is not None and end <= at:
            due = min(due, localdate(end))
    state = _state(due, statement, today=localdate(at))
    return HeldCopy(export=export, fetched_at=fetched_at, due=due, state=state, statement=statement)


def _state(due: date, statement: CopyStatement | None, *, today: date) -> CopyState:
    if statement:
        return CopyState.DESTROYED if statement.is_destroyed else CopyState.REFUSED
    if today < due:
        return CopyState.HELD
    return CopyState.LATE if due + PATIENCE <= today else CopyState.DUE


def _fetched(exports: Sequence[Export]) -> dict[int, datetime]:
    """When each of them left last; those that never did are not in it."""
    left = Event.objects.filter(
        verb="export.downloaded", subject__in={f"study:{one.study_id}" for one in exports}
    )
    return dict(left.values_list("facts__export").annotate(Max("at")).order_by())


def _ends(exports: Iterable[Export]) -> dict[tuple[int, int, str], datetime]:
    """{(account, data set, level): when the last grant of it ends or ended}."""
    people = {one.exported_by_id for one in exports}
    granted = Grant.objects.filter(person__in=people, stage=GrantStage.APPROVED)
    ends: dict[tuple[int, int, str], datetime] = {}
    rows = granted.values_list("person", "data_set", "level", "until", "revoked_at")
    for person, data_set, level, *moments in rows:
        end = min(moment for moment in moments if moment is not None)
        place = (person, data_set, level)
        ends[place] = max(end, ends.get(place, end))
    return ends


def _stated(exports: Collection[Export]) -> dict[int, CopyStatement]:
    """The newest statement about each of them by who has it."""
    recipients = {one.pk: one.exported_by_id for one in exports}
    rows = CopyStatement.objects.filter(exports__overlap=list(recipients)).order_by("pk")
    return {
        export: one
        for one in rows
        for export in one.exports
        if recipients.get(export) == one.person_id
    }
