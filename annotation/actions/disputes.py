"""Object to a decision, and answer an objection."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import Dispute, RoundItem
from annotation.queries.ratings import rater_of
from annotation.queries.work import Owed
from annotation.rubric.sentences import sentence
from annotation.rules.disputing import reason_not_to_dispute
from annotation.rules.lifecycle import ItemState, RoundState
from annotation.rules.remarks import problem_with_comment, tidied


class CannotDispute(Exception):
    """A sentence that says why it was not taken."""


@transaction.atomic
def dispute(*, owed: Owed, text: str, by: User, at: datetime) -> Dispute:
    """Object to what was decided on an item that one has rated."""
    round_item = (
        RoundItem.objects.select_for_update(of=("self",))
        .select_related("round")
        .get(round=owed.round_id, item=owed.item_id)
    )
    known = round_item.disputes.filter(rater=owed.rater_id)
    refusal = reason_not_to_dispute(
        RoundState(round_item.round.state),
        ItemState(round_item.state),
        is_again=known.exists(),
    )
    made = Dispute(round_item=round_item, rater_id=owed.rater_id, text=_read(text, refusal))
    made.raised_at = at
    made.save()
    events.record(
        "decision.disputed",
        subject=f"round_item:{round_item.pk}",
        by=by,
        at=at,
        facts={"dispute": made.pk},
    )
    return made


@transaction.atomic
def answer(*, study_id: int, dispute_id: int, text: str, by: User, at: datetime) -> Dispute:
    """Say what comes of an objection; the decision itself is made anew, or stands."""
    made = (
        Dispute.objects.select_for_update(of=("self",))
        .filter(pk=dispute_id, round_item__round__study=study_id, answered_at=None)
        .first()
    )
    if made is None:
        raise CannotDispute(sentence("This dispute is answered already."))
    refusal = None
    if made.rater_id == rater_of(by.pk):
        refusal = sentence("Somebody else answers what you disputed.")
    made.answer, made.answered_at, made.answered_by = _read(text, refusal), at, by
    made.save(update_fields=["answer", "answered_at", "answered_by"])
    events.record(
        "decision.dispute_answered",
        subject=f"round_item:{made.round_item_id}",
        by=by,
        at=at,
        facts={"dispute": made.pk},
    )
    return made


def _read(text: str, refusal: str | None) -> str:
    text = tidied(text)
    problem = refusal or problem_with_comment(text)
    if not text:
        problem = problem or sentence("Write something first.")
    if problem:
        raise CannotDispute(problem)
    return text
