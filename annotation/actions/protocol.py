"""Lead a round through its protocol: end its rating, open its re-review, hand on what is left."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation import queue
from annotation.actions import audits, repeats
from annotation.actions.moving import move
from annotation.models import Round, RoundItem, Study
from annotation.queries.rounds import progress_of
from annotation.rubric.sentences import sentence
from annotation.rules.closing import GateVerdict
from annotation.rules.lifecycle import (
    STEP_MOVES,
    ItemState,
    RoundState,
    RoundStep,
    problem_with_move,
)
from annotation.rules.protocol import (
    Protocol,
    as_data,
    problem_with_protocol,
    reason_not_to_end_rating,
    step_after_gate,
)


class CannotGoOn(Exception):
    """A sentence that says why the round stays at its step."""


@transaction.atomic
def agree(*, study_id: int, protocol: Protocol, by: User, at: datetime) -> Study:
    """Fix by which protocol the next rounds of a study go; those that are open keep theirs."""
    study = Study.objects.select_for_update().get(pk=study_id)
    if reason := problem_with_protocol(protocol):
        raise CannotGoOn(reason)
    study.protocol = as_data(protocol)
    study.save(update_fields=["protocol"])
    events.record(
        "study.protocol_agreed",
        subject=f"study:{study_id}",
        by=by,
        at=at,
        facts={"protocol": study.protocol},
    )
    return study


@transaction.atomic
def end_rating(*, round_id: int, by: User, at: datetime) -> Round:
    """Fix the independent answers of a round, all of which are in; its gate looks at them next."""
    rating_round = Round.objects.select_for_update(no_key=True).get(pk=round_id)
    progress = progress_of(round_id)
    reason = reason_not_to_end_rating(
        rating_round.rules,
        RoundState(rating_round.state),
        RoundStep(rating_round.step),
        n_missing=progress.items - progress.fully_rated,
    )
    if reason:
        raise CannotGoOn(reason)
    _go_to(rating_round, RoundStep.GATE)
    events.record(
        "round.rating_ended",
        subject=f"round:{round_id}",
        by=by,
        at=at,
        facts={"lapsed_repeats": repeats.release(round_id)},
    )
    queue.report_on_round(round_id=round_id)
    return rating_round


def after_gate(rating_round: Round, verdict: GateVerdict, *, at: datetime) -> None:
    """Take the step that the verdict asks for. The caller holds the lock on the round."""
    if (rating_round.state, rating_round.step) != (RoundState.OPEN, RoundStep.GATE):
        return
    differing = RoundItem.objects.filter(round=rating_round, state=ItemState.DISAGREED)
    protocol = rating_round.rules
    following = step_after_gate(protocol, verdict, n_differing=differing.count())
    _go_to(rating_round, following)
    if following is RoundStep.DECIDING:
        audits.draw(rating_round, at=at)
    if following is RoundStep.DECIDING and protocol.discussion:
        move(differing, ItemState.DISCUSSED)
    events.record(
        "round.gate_looked",
        subject=f"round:{rating_round.pk}",
        by=None,
        at=at,
        facts={"verdict": verdict.value, "step": following.value},
    )


def items_to_review(rating_round: Round) -> Sequence[int]:
    """The items of a round that are to be rated again, which from now on belong to its re-review.

    CannotGoOn where the round is not at that step, or its re-review is open already.
    """
    if rating_round.step != RoundStep.RE_REVIEW or rating_round.state != RoundState.OPEN:
        raise CannotGoOn(sentence("This round has no re-review to open."))
    differing = RoundItem.objects.filter(round=rating_round, state=ItemState.DISAGREED)
    items = list(differing.order_by("position").values_list("item_id", flat=True))
    if not items:
        raise CannotGoOn(sentence("The re-review of this round is open already."))
    move(differing, ItemState.REVIEWED)
    return items


def _go_to(rating_round: Round, step: RoundStep) -> None:
    """Take a step of an open round by the table of the lifecycle, or CannotGoOn."""
    reason = (
        problem_with_move(STEP_MOVES, RoundStep(rating_round.step), step)
        if rating_round.state == RoundState.OPEN
        else sentence("The round is closed.")
    )
    if reason:
        raise CannotGoOn(reason)
    rating_round.step = step.value
    rating_round.save(update_fields=["step"])
