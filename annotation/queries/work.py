"""What an account has to rate next.

These are the statements between one item and the next, so they are prepared.
"""

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db.models import F, OuterRef, QuerySet, Subquery

from accounts.access import Access, Standing
from accounts.models.prepared import Prepared
from annotation.models import Assignment, Rater, Seat
from annotation.models.rounds import AssignmentQuerySet
from annotation.models.rubrics import content_of
from annotation.queries.items import ItemShown, shown
from annotation.rubric.schema import Rubric
from annotation.rules.lifecycle import AssignmentState, RoundState

Row: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = QuerySet[Assignment, Row]


class NotYourWork(Exception):
    """The account has no such assignment; to it, the assignment does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """An assignment of the account that asked for it: nobody else can hold it."""

    assignment_id: int
    round_id: int
    round_number: int
    position: int
    item_id: int
    rater_id: int
    study_id: int
    rubric_version_id: int
    raters_per_item: int

    @property
    def rubric(self) -> Rubric:
        return content_of(self.rubric_version_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One item that an account is to rate, and how far it is in the round."""

    owed: Owed
    item: ItemShown
    n_submitted: int
    n_assigned: int

    @property
    def number(self) -> int:
        return self.n_submitted + 1


def next_work(access: Access, study_id: int) -> Work | None:
    """The item that an account rates next in a study, or None when nothing is left."""
    if not access.may_enter:
        return None
    row = _NEXT.first(user_id=access.user_id, study_id=study_id)
    return _as_work(row) if row else None


def work_on(access: Access, assignment_id: int) -> Work:
    """The item of one assignment of the account, to be shown once more; NotYourWork."""
    return _as_work(_row(_AGAIN, access, assignment_id))


def owed(access: Access, assignment_id: int) -> Owed:
    """An assignment of the account; NotYourWork."""
    return _as_owed(_row(_ONE, access, assignment_id))


def _row(statement: Prepared, access: Access, assignment_id: int) -> Row:
    row = None
    if access.may_enter:
        row = statement.first(user_id=access.user_id, assignment_id=assignment_id)
    if row is None:
        raise NotYourWork
    return row


# In the order in which `Owed` names them.
OWED = (
    "pk",
    "round_id",
    "round__number",
    "position",
    "item_id",
    "rater_id",
    "round__study_id",
    "round__rubric_version_id",
    "round__raters_per_item",
)
SHOWN = (
    "item__dialogue__turns",
    "item__reply",
    "item__reply_speaker",
    "item__content_note",
)


def _owed_by(user_id: int) -> AssignmentQuerySet:
    access = Access(user_id=user_id, standing=Standing.APPROVED, missing=())
    return Assignment.objects.owed_by(access)


def _with_item(assignments: QuerySet[Assignment]) -> Rows:
    seat = Seat.objects.filter(round=OuterRef("round"), rater=OuterRef("rater"))
    return assignments.values_list(
        *OWED, *SHOWN, Subquery(seat.values("n_submitted")), Subquery(seat.values("n_assigned"))
    )


def _next(user_id: int, study_id: int) -> Rows:
    """One step down the index of open assignments, however many there are."""
    rater = Rater.objects.filter(user=user_id)
    seat = Seat.objects.filter(
        rater__user=user_id,
        round__study=study_id,
        round__state=RoundState.OPEN,
        n_submitted__lt=F("n_assigned"),
    )
    first = Assignment.objects.filter(
        rater=Subquery(rater.values("pk")[:1]),
        round=Subquery(seat.order_by("round__number").values("round")[:1]),
        state=AssignmentState.OPEN,
    ).order_by("deferrals", "position")
    return _with_item(_owed_by(user_id).filter(pk=Subquery(first.values("pk")[:1])))


def _again(user_id: int, assignment_id: int) -> Rows:
    return _with_item(_owed_by(user_id).filter(pk=assignment_id))


def _one(user_id: int, assignment_id: int) -> Rows:
    return _owed_by(user_id).filter(pk=assignment_id).values_list(*OWED)


_NEXT, _AGAIN, _ONE = Prepared(_next), Prepared(_again), Prepared(_one)


def _as_owed(row: Row) -> Owed:
    return Owed(**dict(zip(Owed.__slots__, row, strict=True)))


def _as_work(row: Row) -> Work:
    turns, reply, speaker, content_note, n_submitted, n_assigned = row[len(OWED) :]
    return Work(
        owed=_as_owed(row[: len(OWED)]),
        item=shown(json.loads(turns), reply, speaker, content_note),
        n_submitted=n_submitted,
        n_assigned=n_assigned,
    )
