"""Discuss an item on which raters differ: say something, vote again, end it."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions import drafts
from annotation.actions.moving import move_one
from annotation.actions.settling import keep_consensus
from annotation.actions.studies import note_change
from annotation.models import DiscussionRemark, DraftForm, Membership, RoundItem, SecondVote
from annotation.queries.ratings import answers_in_round, rater_of, second_votes
from annotation.rubric.answers import Answer, Problem, read
from annotation.rubric.sentences import sentence
from annotation.rules.discussing import (
    is_settled,
    may_moderate,
    reason_not_to_take_part,
    votes_now,
)
from annotation.rules.lifecycle import ItemState, RoundState
from annotation.rules.remarks import problem_with_comment, tidied


class CannotDiscuss(Exception):
    """A sentence that says why it was not taken."""


@transaction.atomic
def say(*, study_id: int, round_item_id: int, text: str, by: User, at: datetime) -> None:
    """Add to the discussion of an item, for all who take part in it; what was just said by the same
    person was sent again, and is said once."""
    round_item = _discussed(study_id, round_item_id, by)
    text = tidied(text)
    if not text:
        raise CannotDiscuss(sentence("Write something first."))
    if problem := problem_with_comment(text):
        raise CannotDiscuss(problem)
    drafts.forget(round_item=round_item, form=DraftForm.REMARK, user=by)
    last = DiscussionRemark.objects.filter(round_item=round_item).order_by("pk").last()
    if last is not None and (last.author_id, last.text) == (by.pk, text):
        return
    remark = DiscussionRemark.objects.create(
        round_item=round_item, author=by, text=text, written_at=at
    )
    events.record(
        "discussion.remarked",
        subject=f"round_item:{round_item.pk}",
        by=by,
        at=at,
        facts={"remark": remark.pk},
    )


@transaction.atomic
def vote_again(
    *, study_id: int, round_item_id: int, values: Mapping[str, object], by: User, at: datetime
) -> None:
    """Say what one answers now, {criterion: raw value}; the independent answers stay as they are."""
    round_item = _discussed(study_id, round_item_id, by)
    given = answers_in_round(round_item.round_id, round_item.item_id)
    rater = rater_of(by.pk)
    if rater is None or rater not in given:
        raise CannotDiscuss(sentence("Only the raters of an item vote on it."))
    rubric = round_item.round.rubric
    if unknown := sorted(values.keys() - {one.key for one in rubric.criteria}):
        raise CannotDiscuss(sentence("The rubric has no criterion “{key}”.", key=unknown[0]))
    results = [read(rubric.criterion(key), raw) for key, raw in values.items()]
    if problems := [one.sentence for one in results if isinstance(one, Problem)]:
        raise CannotDiscuss(problems[0])
    answers = [one for one in results if isinstance(one, Answer)]
    SecondVote.objects.bulk_create(
        SecondVote(
            round_item=round_item,
            rater_id=rater,
            criterion_key=answer.criterion,
            label=answer.label,
            score=answer.score,
            given_at=at,
        )
        for answer in answers
    )
    events.record(
        "discussion.voted",
        subject=f"round_item:{round_item.pk}",
        by=by,
        at=at,
        facts={"criteria": len(answers)},
    )


@transaction.atomic
def end(*, study_id: int, round_item_id: int, by: User, at: datetime) -> ItemState:
    """End a discussion: what all agree on now is gold, anything else waits for an adjudicator."""
    round_item = _discussed(study_id, round_item_id, by)
    given = answers_in_round(round_item.round_id, round_item.item_id)
    if not may_moderate(given, rater_of(by.pk), _roles(by, study_id)):
        raise CannotDiscuss(sentence("Only who leads the discussion ends it."))
    votes = votes_now(given, second_votes(round_item.pk))
    rubric = round_item.round.rubric
    settled = is_settled(rubric, votes.values())
    if settled:
        keep_consensus(round_item, rubric, list(votes.values()), at=at)
    outcome = ItemState.CONSENSUS if settled else ItemState.DISAGREED
    move_one(round_item, outcome)
    drafts.forget(round_item=round_item)
    events.record(
        "discussion.ended",
        subject=f"round_item:{round_item.pk}",
        by=by,
        at=at,
        facts={"outcome": outcome.value},
    )
    note_change(study_id=study_id)
    return outcome


def _discussed(study_id: int, round_item_id: int, by: User) -> RoundItem:
    """A round item under discussion, locked, in which this account takes part."""
    items = RoundItem.objects.select_for_update(of=("self",))
    round_item = items.filter(pk=round_item_id, round__study=study_id).first()
    if round_item is None or (round_item.state, round_item.round.state) != (
        ItemState.DISCUSSED,
        RoundState.OPEN,
    ):
        raise CannotDiscuss(sentence("This item is not being discussed."))
    given = answers_in_round(round_item.round_id, round_item.item_id)
    if reason := reason_not_to_take_part(given, rater_of(by.pk), _roles(by, study_id)):
        raise CannotDiscuss(reason)
    return round_item


def _roles(user: User, study_id: int) -> list[str]:
    membership = Membership.objects.filter(user=user, study=study_id).first()
    return membership.roles if membership else []
