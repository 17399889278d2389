"""What an account has rated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias, TypedDict, cast

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext

from accounts.access import Access
from annotation.models import (
    Adjudication,
    Assignment,
    Dispute,
    Gold,
    Rating,
    RoundItem,
    Submission,
    TeamRole,
)
from annotation.queries.ambiguities import AmbiguityShown, brought_to, shown_of
from annotation.queries.items import ItemShown, shown
from annotation.queries.wording import said, worded, worded_reason
from annotation.queries.work import NotYourWork, Owed
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion
from annotation.rubric.taxonomy import path_from_text
from annotation.rules.correcting import reason_not_to_correct
from annotation.rules.deciding import CODES, DecidedBy
from annotation.rules.lifecycle import AssignmentState, ItemState, RoundState, RoundStep
from annotation.rules.visibility import Author, Given, Reader, phase_of, reason_to_withhold

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

DONE_ON_A_PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One item that an account has rated: its answers, and the decision once it may be seen.

    While the round is open these are the last that were given, afterwards those that count;
    `changed_too_late_at`: when others came that do not.
    """

    owed: Owed
    submission_id: int
    submitted_at: datetime
    changed_too_late_at: datetime | None
    comment: str
    answers: Mapping[str, Answer]
    cannot_judge: Mapping[str, str]
    fixed_because: str | None
    gold: Mapping[str, Answer]
    decision: str | None
    came_from: str
    ambiguous: frozenset[str]
    brought: tuple[AmbiguityShown, ...]
    dispute: Dispute | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DonePage:
    """Some of what an account has rated, in words, and which page of it this is."""

    done: list[tuple[Done, list["DoneLine"]]]
    page: "Page[Submitted]"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneLine:
    """One criterion of an item that was rated: what was given and, once it may be seen, the gold."""

    criterion: str
    given: str
    gold: str
    is_other: bool
    is_ambiguous: bool


class _OfSubmission(TypedDict):
    """What `_submitted` looks up beside an assignment."""

    submission_id: int
    submitted_at: datetime
    changed_too_late_at: datetime | None
    comment: str
    is_rated_now: bool


Submitted: TypeAlias = "WithAnnotations[Assignment, _OfSubmission]"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneWanted:
    """What somebody looks for in their work: `words` of the reply or their comment."""

    words: str = ""
    state: str = ""


CHANGEABLE, FIXED = "changeable", "fixed"
STILL_CHANGEABLE = Q(
    round__state=RoundState.OPEN,
    round__step__in=[
        step.value for step in RoundStep if not reason_not_to_correct(RoundState.OPEN, step)
    ],
)
SHOWN = Q(round__state=RoundState.OPEN, submissions__superseded_by=None) | Q(
    ~Q(round__state=RoundState.OPEN), submissions__is_current=True
)


def done_by(
    access: Access, study_id: int, *, page: str, wanted: DoneWanted | None = None
) -> DonePage:
    """A page of what an account has submitted in a study, newest first."""
    wanted = wanted or DoneWanted()
    assignments = submitted_in(access, study_id).order_by("-submitted_at", "-pk")
    if wanted.words:
        assignments = assignments.filter(
            Q(comment__icontains=wanted.words) | Q(item__reply__icontains=wanted.words)
        )
    if wanted.state in {CHANGEABLE, FIXED}:
        is_so = STILL_CHANGEABLE if wanted.state == CHANGEABLE else ~STILL_CHANGEABLE
        assignments = assignments.filter(is_so)
    found = Paginator(assignments, DONE_ON_A_PAGE).get_page(page)
    return DonePage(done=[(done, lines_of(done)) for done in as_done(list(found))], page=found)


def done_for(access: Access, assignment_id: int) -> tuple[Done, ItemShown]:
    """One item that the account has rated; NotYourWork."""
    found = list(_submitted(access).filter(pk=assignment_id).select_related("item__dialogue"))
    if not found:
        raise NotYourWork
    item = found[0].item
    mine = Dispute.objects.filter(
        round_item__round=found[0].round_id, round_item__item=item.pk, rater=found[0].rater_id
    ).first()
    return replace(as_done(found)[0], dispute=mine), shown(
        item.dialogue.turns, item.reply, item.reply_speaker, item.content_note
    )


def was_cancelled(access: Access, assignment_id: int) -> bool:
    """Whether the account had this assignment in a round that was cancelled."""
    owed = Assignment.objects.owed_by(access).filter(pk=assignment_id)
    return owed.filter(round__state=RoundState.CANCELLED).exists()


def submitted_in(access: Access, study_id: int) -> "QuerySet[Submitted]":
    """What an account has submitted in a study."""
    return _submitted(access).filter(round__study=study_id)


def _submitted(access: Access) -> "QuerySet[Submitted]":
    in_open_round = RoundItem.objects.filter(item=OuterRef("item"), round__state=RoundState.OPEN)
    in_re_review = RoundItem.objects.filter(
        round=OuterRef("round"),
        item=OuterRef("item"),
        state=ItemState.REVIEWED,
        round__state=RoundState.OPEN,
    )
    too_late = Submission.objects.filter(
        assignment=OuterRef("pk"), submitted_at__gt=OuterRef("submissions__submitted_at")
    ).order_by("-submitted_at")
    found = (
        Assignment.objects.owed_by(access)
        .filter(
            # What is rated again is rated without a look at what one gave before.
            ~Exists(in_re_review),
            SHOWN,
            state=AssignmentState.SUBMITTED,
        )
        .select_related("round")
        .annotate(
            submission_id=F("submissions"),
            submitted_at=F("submissions__submitted_at"),
            changed_too_late_at=Subquery(too_late.values("submitted_at")[:1]),
            comment=F("submissions__comment"),
            is_rated_now=Exists(in_open_round),
        )
    )
    return cast("QuerySet[Submitted]", found)  # of what is annotated, mypy knows the names only


def as_done(assignments: "Sequence[Submitted]") -> list[Done]:
    """The same with answers, and what was decided where that may be seen."""
    ratings: dict[int, list[Rating]] = {}
    for rating in Rating.objects.filter(
        submission__in=[assignment.submission_id for assignment in assignments]
    ):
        ratings.setdefault(rating.submission_id, []).append(rating)
    revealed = [one for one in assignments if _tells_gold(one)]
    gold = _gold_of(revealed)
    decisions = _decisions_of(revealed)
    brought = brought_to([one.item_id for one in revealed])
    return [
        Done(
            owed=_owed(assignment),
            submission_id=assignment.submission_id,
            submitted_at=assignment.submitted_at,
            changed_too_late_at=assignment.changed_too_late_at,
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
                RoundState(assignment.round.state), RoundStep(assignment.round.step)
            ),
            gold=gold.get(assignment.item_id, {}),
            decision=decision.reason if decision else None,
            came_from=said(CODES[DecidedBy(decision.code)]) if decision else "",
            ambiguous=frozenset(decision.ambiguous if decision else ()),
            brought=shown_of(assignment.round.rubric, brought.get(assignment.item_id, {})),
        )
        for assignment in assignments
        for decision in [decisions.get((assignment.round_id, assignment.item_id))]
    ]


def _tells_gold(assignment: "Submitted") -> bool:
    """Whether what was decided on an item is told to its rater."""
    rater = Reader(rater=assignment.rater_id, roles=frozenset({TeamRole.ANNOTATOR}))
    phase = phase_of(assignment.round.state, is_rated_now=assignment.is_rated_now)
    return reason_to_withhold(rater, Given(author=Author.GOLD, phase=phase)) is None


def _owed(assignment: Assignment) -> Owed:
    rating_round = assignment.round
    return Owed(
        assignment_id=assignment.pk,
        round_id=rating_round.pk,
        round_number=rating_round.number,
        position=assignment.position,
        item_id=assignment.item_id,
        rater_id=assignment.rater_id,
        study_id=rating_round.study_id,
        rubric_version_id=rating_round.rubric_version_id,
        raters_per_item=rating_round.raters_per_item,
    )


def _gold_of(assignments: Sequence[Assignment]) -> dict[int, dict[str, Answer]]:
    gold: dict[int, dict[str, Answer]] = {}
    for one in Gold.objects.filter(
        item__in=[assignment.item_id for assignment in assignments], superseded_at=None
    ):
        gold.setdefault(one.item_id, {})[one.criterion_key] = _answer(one)
    return gold


def _decisions_of(assignments: Sequence[Assignment]) -> dict[tuple[int, int], Adjudication]:
    """The decision that stands of each item in its round."""
    rows = Adjudication.objects.filter(
        round__in={assignment.round_id for assignment in assignments},
        item__in=[assignment.item_id for assignment in assignments],
        superseded_by=None,
    )
    return {(row.round_id, row.item_id): row for row in rows}


def _answer(value: Rating | Gold) -> Answer:
    path = path_from_text(value.path) if isinstance(value, Rating) else ()
    return Answer(criterion=value.criterion_key, label=value.label, score=value.score, path=path)


def lines_of(done: Done) -> list[DoneLine]:
    """One's answers to an item in words, beside its gold where that may be seen."""
    return [
        DoneLine(
            criterion=said(criterion.name),
            given=_worded(criterion, done),
            gold=worded(criterion, gold) if (gold := done.gold.get(criterion.key)) else "",
            is_other=gold is not None and gold != done.answers.get(criterion.key),
            is_ambiguous=criterion.key in done.ambiguous,
        )
        for criterion in done.owed.rubric.criteria
    ]


def _worded(criterion: Criterion, done: Done) -> str:
    """What was given; a change of the rubric has left neither value nor reason where the criterion is
    to be rated again."""
    if answer := done.answers.get(criterion.key):
        return worded(criterion, answer)
    if reason := done.cannot_judge.get(criterion.key):
        return worded_reason(reason)
    return gettext("to be rated again under another edition of the rubric")
