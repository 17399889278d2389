"""What an account has to rate, and what it has rated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Subquery

from accounts.access import Access
from annotation.models import Adjudication, Assignment, Gold, Item, Rating, RoundItem, Seat
from annotation.queries.wording import said, speaker_name, worded, worded_reason
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion
from annotation.rules.correcting import reason_not_to_correct
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState

DONE_ON_A_PAGE = 50


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
    n_submitted: int
    n_assigned: int

    @property
    def number(self) -> int:
        return self.n_submitted + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One item that an account has rated: its answers, and the decision once it may be seen."""

    assignment: Assignment
    submission_id: int
    submitted_at: datetime
    comment: str
    answers: Mapping[str, Answer]
    cannot_judge: Mapping[str, str]
    fixed_because: str | None
    gold: Mapping[str, Answer]
    decision: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DonePage:
    """Some of what an account has rated, in words, and which page of it this is."""

    done: list[tuple[Done, list["Line"]]]
    page: Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One criterion of an item that was rated: what was given and, once it may be seen, the gold."""

    criterion: str
    given: str
    gold: str
    is_other: bool


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
    waiting = (
        _with_item(Assignment.objects.owed_by(access))
        .filter(round__study=study_id, round__state=RoundState.OPEN, state=AssignmentState.OPEN)
        .order_by("deferrals", "round__number", "position")
        .first()
    )
    return _as_work(waiting) if waiting else None


def work_on(access: Access, assignment_id: int) -> Work:
    """The item of one assignment of the account, to be shown once more; NotYours."""
    assignment = _with_item(Assignment.objects.owed_by(access)).filter(pk=assignment_id).first()
    if assignment is None:
        raise NotYours
    return _as_work(assignment)


def assignment_for(access: Access, assignment_id: int) -> Assignment:
    """An assignment of the account, with its round; NotYours."""
    owed = Assignment.objects.owed_by(access).select_related("round")
    assignment = owed.filter(pk=assignment_id).first()
    if assignment is None:
        raise NotYours
    return assignment


def done_by(access: Access, study_id: int, *, page: int) -> DonePage:
    """A page of what an account has submitted in a study, newest first."""
    assignments = _submitted(access).filter(round__study=study_id).order_by("-submitted_at", "-pk")
    found = Paginator(assignments, DONE_ON_A_PAGE).get_page(page)
    return DonePage(done=[(done, lines_of(done)) for done in _as_done(list(found))], page=found)


def done_for(access: Access, assignment_id: int) -> tuple[Done, Shown]:
    """One item that the account has rated; NotYours."""
    found = list(_submitted(access).filter(pk=assignment_id).select_related("item__dialogue"))
    if not found:
        raise NotYours
    return _as_done(found)[0], shown(found[0].item)


def _with_item(assignments):
    seat = Seat.objects.filter(round=OuterRef("round"), rater=OuterRef("rater"))
    return assignments.select_related("round", "item__dialogue").annotate(
        n_submitted=Subquery(seat.values("n_submitted")),
        n_assigned=Subquery(seat.values("n_assigned")),
    )


def _as_work(assignment: Assignment) -> Work:
    return Work(
        assignment=assignment,
        item=shown(assignment.item),
        n_submitted=assignment.n_submitted,
        n_assigned=assignment.n_assigned,
    )


def _submitted(access: Access):
    state = RoundItem.objects.filter(round=OuterRef("round"), item=OuterRef("item"))
    # An earlier round's decision stays hidden while the item is rated again independently.
    in_open_round = RoundItem.objects.filter(item=OuterRef("item")).exclude(
        round__state=RoundState.CLOSED
    )
    return (
        Assignment.objects.owed_by(access)
        .filter(state=AssignmentState.SUBMITTED, submissions__is_current=True)
        .select_related("round")
        .annotate(
            submission_id=F("submissions"),
            submitted_at=F("submissions__submitted_at"),
            comment=F("submissions__comment"),
            item_state=Subquery(state.values("state")),
            is_revealed=~Exists(in_open_round),
        )
    )


def _as_done(assignments: Sequence[Assignment]) -> list[Done]:
    ratings: dict[int, list[Rating]] = {}
    for rating in Rating.objects.filter(
        submission__in=[assignment.submission_id for assignment in assignments]
    ):
        ratings.setdefault(rating.submission_id, []).append(rating)
    revealed = [one for one in assignments if one.is_revealed]
    gold = _gold_of(revealed)
    decisions = _decisions_of(revealed)
    return [
        Done(
            assignment=assignment,
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
            gold=gold.get(assignment.item_id, {}) if assignment.is_revealed else {},
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


def lines_of(done: Done) -> list[Line]:
    """One's answers to an item in words, beside its gold where that may be seen."""
    return [
        Line(
            criterion=said(criterion.name),
            given=_worded(criterion, done),
            gold=worded(criterion, gold) if (gold := done.gold.get(criterion.key)) else "",
            is_other=gold is not None and gold != done.answers.get(criterion.key),
        )
        for criterion in done.assignment.round.rubric.criteria
    ]


def _worded(criterion: Criterion, done: Done) -> str:
    if answer := done.answers.get(criterion.key):
        return worded(criterion, answer)
    return worded_reason(done.cannot_judge[criterion.key])
