"""Cancel a round that should not have been opened. Nothing that was answered in it is deleted."""

from datetime import datetime

from django.db import transaction
from django.db.models import F

from accounts.models import User
from annotation.actions import drafts, recording
from annotation.actions.moving import move, move_one
from annotation.actions.settling import supersede
from annotation.models import Adjudication, Assignment, Gold, Round, RoundItem, Seat
from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import (
    ROUND_MOVES,
    AssignmentState,
    ItemState,
    RoundState,
    problem_with_move,
)
from annotation.rules.remarks import problem_with_reason, tidied


class CannotCancel(Exception):
    """A sentence that says why the round goes on."""


@transaction.atomic
def cancel(*, round_id: int, reason: str, by: User, at: datetime) -> Round:
    """End a round for nothing: its items may be in another one, and what was answered in it is
    kept, but is in no figure and on no list of anybody's work."""
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    reason = tidied(reason)
    refusal = (
        problem_with_move(ROUND_MOVES, RoundState(rating_round.state), RoundState.CANCELLED)
        or _reason_to_wait(rating_round)
        or problem_with_reason(reason)
    )
    if refusal:
        raise CannotCancel(refusal)
    # Whoever submits holds the row of the item: from here on nobody does.
    list(RoundItem.objects.select_for_update().filter(round=round_id).order_by("pk"))
    with recording.change(study_id=rating_round.study_id) as change:
        move_one(
            rating_round, RoundState.CANCELLED, closed_at=at, closed_by=by, cancel_reason=reason
        )
        answered = rating_round.submissions.filter(is_current=True)
        n_answers = change.withdraw(answered.values_list("pk", flat=True))
        n_released = _release(round_id)
        _give_gold_back(round_id, at=at)
        _give_items_back(rating_round)
        drafts.forget(round=rating_round)
        change.record(
            "round.cancelled",
            subject=f"round:{round_id}",
            by=by,
            at=at,
            facts={"submissions": n_answers, "assignments": n_released},
        )
    return rating_round


def _release(round_id: int) -> int:
    owed = Assignment.objects.filter(round=round_id, state=AssignmentState.OPEN)
    n_released = move(owed, AssignmentState.RELEASED)
    Seat.objects.filter(round=round_id).update(n_assigned=F("n_submitted"))
    return n_released


def _reason_to_wait(rating_round: Round) -> str | None:
    again = rating_round.re_reviews.filter(state=RoundState.OPEN).first()
    if again is None:
        return None
    return sentence("Round {number} is its re-review: cancel that first.", number=again.number)


def _give_gold_back(round_id: int, *, at: datetime) -> None:
    """What the round made gold no longer is; what it took the place of, or found ambiguous, is gold
    again, where none was brought since."""
    made = Gold.objects.filter(round=round_id)
    supersede(list(made.filter(superseded_at=None)), at=at)
    decided = set(made.values_list("item", "criterion_key", "decided_at")) | {
        (one.item_id, criterion, one.decided_at)
        for one in Adjudication.objects.filter(round=round_id)
        for criterion in one.ambiguous
    }
    of_items = Gold.objects.filter(item__in=RoundItem.objects.filter(round=round_id).values("item"))
    retired = of_items.filter(superseded_at__isnull=False).exclude(round=round_id)
    before = {
        (one.item_id, one.criterion_key): one.pk
        for one in retired.order_by("superseded_at")
        if (one.item_id, one.criterion_key, one.superseded_at) in decided
    }
    brought = set(of_items.filter(superseded_at=None).values_list("item_id", "criterion_key"))
    back = [pk for place, pk in before.items() if place not in brought]
    Gold.objects.filter(pk__in=back).update(superseded_at=None)


def _give_items_back(rating_round: Round) -> None:
    """The items of a re-review are once more what the round before differs on."""
    if rating_round.re_review_of_id is None:
        return
    before = RoundItem.objects.filter(
        round=rating_round.re_review_of_id,
        round__state=RoundState.OPEN,
        item__in=rating_round.round_items.values("item"),
        state=ItemState.REVIEWED,
    )
    move(before, ItemState.DISAGREED)
