"""What an account has to rate, and what it has rated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Subquery

from accounts.access import Access
from annotation.models import Adjudication, Assignment, Gold, Item, Rating, RoundItem, Seat
from annotation.models.rubrics import content_of
from annotation.queries.wording import speaker_name
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Rubric
from annotation.rules.correcting import reason_not_to_correct
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState


class NotYours(Exception):
    """The account has no such assignment; to it, the assignment does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One utterance, with its speaker's name."""

    number: int
    speaker: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An item as a rater reads it: nothing tells who or what wrote the reply."""

    turns: tuple[Turn, ...]
    reply: str | None
    content_note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One item that an account is to rate, and how far it is in the round."""

    assignment: Assignment
    item: Shown
    rubric: Rubric
    round_number: int
    n_submitted: int
    n_assigned: int

    @property
    def number(self) -> int:
        return self.n_submitted + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One item that an account has rated: its answers, and the decision once it may be seen."""

    assignment: Assignment
    rubric: Rubric
    submission_id: int
    submitted_at: datetime
    comment: str
    answers: Mapping[str, Answer]
    cannot_judge: Mapping[str, str]
    fixed_because: str | None
    gold: Mapping[str, Answer]
    decision: str | None


def shown(item: Item) -> Shown:
    """Lay an item out; its dialogue must be loaded."""
    turns = tuple(
        Turn(
            number=number,
            speaker=turn["speaker"],
            name=speaker_name(turn["speaker"]),
            text=turn["text"],
        )
        for number, turn in enumerate(item.dialogue.turns, start=1)
    )
    return Shown(turns=turns, reply=item.reply, content_note=item.content_note)


def next_work(access: Access, study_id: int) -> Work | None:
    """The item that an account rates next in a study, or None when nothing is left."""
    seat = Seat.objects.filter(round=OuterRef("round"), rater=OuterRef("rater"))
    waiting = (
        Assignment.objects.owed_by(access)
        .filter(
            round__study=study_id, round__state=RoundState.OPEN, state=AssignmentState.OPEN
        )
        .select_related("round", "item__dialogue")
        .annotate(
            n_submitted=Subquery(seat.values("n_submitted")),
            n_assigned=Subquery(seat.values("n_assigned")),
        )
        .order_by("deferrals", "round__number", "position")
        .first()
    )
    if waiting is None:
        return None
    return Work(
        assignment=waiting,
        item=shown(waiting.item),
        rubric=content_of(waiting.round.rubric_version_id),
        round_number=waiting.round.number,
        n_submitted=waiting.n_submitted,
        n_assigned=waiting.n_assigned,
    )


def assignment_for(access: Access, study_key: str, assignment_id: int) -> Assignment:
    """An assignment of the account in a study, with its round; NotYours."""
    owed = Assignment.objects.owed_by(access).filter(round__study__key=study_key)
    assignment = owed.select_related("round").filter(pk=assignment_id).first()
    if assignment is None:
        raise NotYours
    return assignment


def done_by(access: Access, study_id: int) -> "list[Done]":
    """All that an account has submitted in a study, newest first."""
    assignments = _submitted(access).filter(round__study=study_id)
    return _as_done(list(assignments.order_by("-submissions__submitted_at")))


def done_for(access: Access, study_key: str, assignment_id: int) -> tuple[Done, Shown]:
    """One item that the account has rated; NotYours."""
    found = list(
        _submitted(access)
        .filter(round__study__key=study_key, pk=assignment_id)
        .select_related("item__dialogue")
    )
    if not found:
        raise NotYours
    return _as_done(found)[0], shown(found[0].item)


def _submitted(access: Access):
    state = RoundItem.objects.filter(round=OuterRef("round"), item=OuterRef("item"))
    return (
        Assignment.objects.owed_by(access)
        .filter(state=AssignmentState.SUBMITTED, submissions__is_current=True)
        .select_related("round")
        .annotate(
            submission_id=F("submissions"),
            submitted_at=F("submissions__submitted_at"),
            comment=F("submissions__comment"),
            item_state=Subquery(state.values("state")),
        )
    )


def _as_done(assignments: Sequence[Assignment]) -> list[Done]:
    ratings: dict[int, list[Rating]] = {}
    for rating in Rating.objects.filter(
        submission__in=[assignment.submission_id for assignment in assignments]
    ):
        ratings.setdefault(rating.submission_id, []).append(rating)
    closed = [one for one in assignments if one.round.state == RoundState.CLOSED]
    gold = _gold_of(closed)
    decisions = _decisions_of(closed)
    return [
        Done(
            assignment=assignment,
            rubric=content_of(assignment.round.rubric_version_id),
            submission_id=assignment.submission_id,
            submitted_at=assignment.submitted_at,
            comment=assignment.comment,
            answers={
                rating.criterion_key: _answer(rating)
                for rating in ratings.get(assignment.submission_id, [])
                if not rating.unscored
            },
            cannot_judge={
                rating.criterion_key: rating.unscored
                for rating in ratings.get(assignment.submission_id, [])
                if rating.unscored
            },
            fixed_because=reason_not_to_correct(
                RoundState(assignment.round.state), ItemState(assignment.item_state)
            ),
            gold=gold.get(assignment.item_id, {}) if assignment in closed else {},
            decision=decisions.get((assignment.round_id, assignment.item_id)),
        )
        for assignment in assignments
    ]


def _gold_of(assignments: Sequence[Assignment]) -> dict[int, dict[str, Answer]]:
    gold: dict[int, dict[str, Answer]] = {}
    for one in Gold.objects.filter(
        item__in=[assignment.item_id for assignment in assignments], superseded_at=None
    ):
        gold.setdefault(one.item_id, {})[one.criterion_key] = _answer(one)
    return gold


def _decisions_of(assignments: Sequence[Assignment]) -> dict[tuple[int, int], str]:
    rows = Adjudication.objects.filter(
        round__in={assignment.round_id for assignment in assignments},
        item__in=[assignment.item_id for assignment in assignments],
    )
    return {(row.round_id, row.item_id): row.reason for row in rows}


def _answer(value: Rating | Gold) -> Answer:
    return Answer(criterion=value.criterion_key, label=value.label, score=value.score)
