"""Decide items whose raters disagree."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions.moving import move_one
from annotation.actions.settling import supersede
from annotation.actions.studies import note_change
from annotation.models import Adjudication, Gold, GoldOrigin, Membership, RoundItem
from annotation.queries.ratings import answers_in_round, rater_of, raters_of_item
from annotation.rubric.answers import Answer, Problem, read
from annotation.rubric.schema import Criterion
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.disagreement import differ
from annotation.rules.eligibility import reason_not_to_adjudicate
from annotation.rules.lifecycle import ITEM_MOVES, ItemState, problem_with_move
from annotation.rules.remarks import problem_with_reason, tidied


class CannotAdjudicate(Exception):
    """A sentence that says why the item is not this account's to decide now."""


class Undecided(Exception):
    """What the decision lacks: `problems` name the criteria, `about_reason` says the rest."""

    def __init__(self, problems: Sequence[Problem], *, about_reason: Sentence | None) -> None:
        self.problems = tuple(problems)
        self.about_reason = about_reason
        super().__init__(*problems)


@transaction.atomic
def decide(
    *,
    study_id: int,
    round_item_id: int,
    values: Mapping[str, object],
    reason: str,
    by: User,
    at: datetime,
) -> Adjudication:
    """Give the criteria in conflict their values, {criterion: raw value}, and say why."""
    round_item = (
        RoundItem.objects.select_for_update(of=("self",))
        .select_related("round")
        .filter(pk=round_item_id, round__study=study_id)
        .first()
    )
    if round_item is None:
        raise CannotAdjudicate(sentence("The study has no such case."))
    rating_round = round_item.round
    given = answers_in_round(rating_round.pk, round_item.item_id)
    refusal = reason_not_to_adjudicate(
        raters_of_item(round_item.item_id), rater_of(by.pk), _roles(by, rating_round.study_id)
    ) or problem_with_move(ITEM_MOVES, ItemState(round_item.state), ItemState.ADJUDICATED)
    if refusal:
        raise CannotAdjudicate(refusal)
    reason = tidied(reason)
    answers = _read(
        [
            criterion
            for criterion in rating_round.rubric.criteria
            if differ(criterion, [answers.get(criterion.key) for answers in given.values()])
        ],
        values,
        reason,
    )
    adjudication = Adjudication.objects.create(
        round=rating_round,
        item_id=round_item.item_id,
        decided_by=by,
        decided_at=at,
        reason=reason,
    )
    _give_gold(adjudication, answers)
    move_one(round_item, ItemState.ADJUDICATED)
    events.record(
        "item.adjudicated",
        subject=f"round_item:{round_item.pk}",
        by=by,
        at=at,
        facts={"adjudication": adjudication.pk, "criteria": len(answers)},
    )
    note_change(study_id=rating_round.study_id)
    return adjudication


def _read(criteria: Sequence[Criterion], values: Mapping[str, object], reason: str) -> list[Answer]:
    results = [read(criterion, values.get(criterion.key)) for criterion in criteria]
    problems = [result for result in results if isinstance(result, Problem)]
    about_reason = problem_with_reason(reason)
    if problems or about_reason:
        raise Undecided(problems, about_reason=about_reason)
    return [result for result in results if isinstance(result, Answer)]


def _give_gold(adjudication: Adjudication, answers: Sequence[Answer]) -> None:
    earlier = Gold.objects.filter(
        item=adjudication.item_id,
        criterion_key__in=[answer.criterion for answer in answers],
        superseded_at=None,
    )
    supersede(list(earlier), at=adjudication.decided_at)
    Gold.objects.bulk_create(
        Gold(
            item_id=adjudication.item_id,
            criterion_key=answer.criterion,
            label=answer.label,
            score=answer.score,
            origin=GoldOrigin.ADJUDICATED,
            round_id=adjudication.round_id,
            adjudication=adjudication,
            decided_at=adjudication.decided_at,
        )
        for answer in answers
    )


def _roles(user: User, study_id: int) -> list[str]:
    membership = Membership.objects.filter(user=user, study=study_id).first()
    return membership.roles if membership else []
