"""What an account has to rate next.

These are the statements between one item and the next, so they are prepared.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeAlias

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from accounts.access import Access, Standing
from accounts.models.prepared import Prepared
from annotation.models import Assignment, Care, Draft, DraftForm, Rater, RoundItem, Seat
from annotation.models.rounds import AssignmentQuerySet
from annotation.models.rubrics import content_of
from annotation.queries.items import ItemShown, shown
from annotation.rubric.schema import Rubric
from annotation.rules.lifecycle import AssignmentState, RoundState

MOST_HELD = 9  # eight that a page has fetched, and the one that is being submitted
NOT_HELD = 0  # no assignment has this id

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
    n_rated: int = 0  # who had rated the item when this was looked up

    @property
    def may_complete(self) -> bool:
        """Whether the item will probably be fully rated with this."""
        return self.n_rated + 1 >= self.raters_per_item

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
    has_draft: bool
    n_before: int  # what the account holds in the round and will have rated before this

    @property
    def number(self) -> int:
        return self.n_submitted + self.n_before + 1

    def once_taken(self, owed: Owed) -> "Work":
        """The same when `owed` is rated, which was held when this was looked up."""
        if owed.round_id != self.owed.round_id:
            return self
        return replace(self, n_submitted=self.n_submitted + 1, n_before=self.n_before - 1)


def next_work(
    access: Access, study_id: int, held: Sequence[int] = (), *, today: datetime | None = None
) -> Work | None:
    """The item that an account rates next in a study, or None when nothing is left.

    `held`: the assignments that its page has fetched already, at most `MOST_HELD`. Since `today`
    began an account gets no more heavy items than its study allows; then only others are left.
    """
    if not access.may_enter:
        return None
    asked = {"user_id": access.user_id, "study_id": study_id} | _places(held)
    row = (_BEYOND if held else _NEXT).first(**(asked if held else _but_places(asked)))
    if row and today and _is_too_much(row, access.user_id, held, today):
        row = _LIGHT.first(**asked)
    return _as_work(row) if row else None


def still_open(access: Access, held: Sequence[int]) -> list[int]:
    """Those of the assignments that a page holds which have not been rated since it asked."""
    open_ones = Assignment.objects.filter(
        pk__in=held[:MOST_HELD], rater__user=access.user_id, state=AssignmentState.OPEN
    )
    return list(open_ones.values_list("pk", flat=True))


def _places(held: Sequence[int]) -> dict[str, int]:
    held = held[:MOST_HELD]
    places = (*held, *(NOT_HELD,) * (MOST_HELD - len(held)))
    return {f"held_{place}": one for place, one in enumerate(places)}


def _but_places(asked: dict[str, int | None]) -> dict[str, int | None]:
    return {name: value for name, value in asked.items() if not name.startswith("held_")}


def _is_too_much(row: Row, user_id: int | None, held: Sequence[int], today: datetime) -> bool:
    """Whether this heavy item would be one more than the study allows a day."""
    content_note, most = row[len(OWED) + 3], row[-1]
    if not content_note or most is None:
        return False
    heavy = Assignment.objects.filter(rater__user=user_id).exclude(item__content_note="")
    rated = heavy.filter(submissions__is_current=True, submissions__submitted_at__gte=today)
    n_held = heavy.filter(pk__in=held, state=AssignmentState.OPEN).count()
    return rated.count() + n_held >= int(most)


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
    Subquery(
        RoundItem.objects.filter(round=OuterRef("round"), item=OuterRef("item")).values(
            "n_submitted"
        )
    ),
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


def _with_item(assignments: QuerySet[Assignment], held: Sequence[int] = ()) -> Rows:
    """`held` counts while it is open: what was on its way may have been taken since its page asked."""
    before = Assignment.objects.filter(
        pk__in=held, rater=OuterRef("rater"), round=OuterRef("round"), state=AssignmentState.OPEN
    )
    n_before = before.order_by().values("round").annotate(n=Count("pk")).values("n")
    seat = Seat.objects.filter(round=OuterRef("round"), rater=OuterRef("rater"))
    draft = Draft.objects.filter(assignment=OuterRef("pk"), form=DraftForm.RATING)
    return assignments.values_list(
        *OWED,
        *SHOWN,
        Subquery(seat.values("n_submitted")),
        Subquery(seat.values("n_assigned")),
        Exists(draft),
        Coalesce(Subquery(n_before), 0) if held else Value(0),
        Subquery(Care.objects.filter(study=OuterRef("round__study")).values("most_a_day")),
    )


def _next(user_id: int, study_id: int) -> Rows:
    return _first(user_id, study_id, held=())


def _beyond(
    user_id: int,
    study_id: int,
    held_0: int,
    held_1: int,
    held_2: int,
    held_3: int,
    held_4: int,
    held_5: int,
    held_6: int,
    held_7: int,
    held_8: int,
) -> Rows:
    held = (held_0, held_1, held_2, held_3, held_4, held_5, held_6, held_7, held_8)
    return _first(user_id, study_id, held=held)


def _light(
    user_id: int,
    study_id: int,
    held_0: int,
    held_1: int,
    held_2: int,
    held_3: int,
    held_4: int,
    held_5: int,
    held_6: int,
    held_7: int,
    held_8: int,
) -> Rows:
    held = (held_0, held_1, held_2, held_3, held_4, held_5, held_6, held_7, held_8)
    return _first(user_id, study_id, held=held, is_light=True)


def _first(user_id: int, study_id: int, *, held: Sequence[int], is_light: bool = False) -> Rows:
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
    if held:
        first = first.exclude(pk__in=held)
    if is_light:
        first = first.filter(item__content_note="")
    return _with_item(_owed_by(user_id).filter(pk=Subquery(first.values("pk")[:1])), held)


def _again(user_id: int, assignment_id: int) -> Rows:
    return _with_item(_owed_by(user_id).filter(pk=assignment_id))


def _one(user_id: int, assignment_id: int) -> Rows:
    return _owed_by(user_id).filter(pk=assignment_id).values_list(*OWED)


_NEXT, _BEYOND, _LIGHT = Prepared(_next), Prepared(_beyond), Prepared(_light)
_AGAIN, _ONE = Prepared(_again), Prepared(_one)


def _as_owed(row: Row) -> Owed:
    return Owed(**dict(zip(Owed.__slots__, row, strict=True)))


def _as_work(row: Row) -> Work:
    turns, reply, speaker, content_note, n_submitted, n_assigned, has_draft, n_before, _most = row[
        len(OWED) :
    ]
    return Work(
        owed=_as_owed(row[: len(OWED)]),
        item=shown(json.loads(turns), reply, speaker, content_note),
        n_submitted=n_submitted,
        n_assigned=n_assigned,
        has_draft=has_draft,
        n_before=n_before,
    )
