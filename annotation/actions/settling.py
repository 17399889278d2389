"""Decide what the ratings of one item come to: agreed or not, and the gold that follows."""

from collections.abc import Mapping
from datetime import datetime

from annotation.actions.moving import move_or_stay
from annotation.models import Gold, GoldOrigin, RoundItem
from annotation.queries.ratings import answers_in_round
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Rubric
from annotation.rules.disagreement import differ, outcome_of
from annotation.rules.lifecycle import ItemState


def settle(round_item: RoundItem, rubric: Rubric, *, at: datetime) -> None:
    """Work out a fully rated item anew. The caller holds the lock on its row."""
    given = answers_in_round(round_item.round_id, round_item.item_id)
    by_criterion = {
        criterion.key: [answers.get(criterion.key) for answers in given.values()]
        for criterion in rubric.criteria
    }
    disagree = any(differ(criterion, by_criterion[criterion.key]) for criterion in rubric.criteria)
    move_or_stay(round_item, ItemState.DISAGREED if disagree else ItemState.AGREED)
    _keep_gold(
        round_item, {key: outcome_of(answers) for key, answers in by_criterion.items()}, at=at
    )


def _keep_gold(
    round_item: RoundItem, outcomes: Mapping[str, Answer | None], *, at: datetime
) -> None:
    """Replace earlier gold by what this round's raters all say; imported gold stays."""
    current = {
        gold.criterion_key: gold
        for gold in Gold.objects.filter(item=round_item.item_id, superseded_at=None)
    }
    outdated = [
        gold
        for key, outcome in outcomes.items()
        if (gold := current.get(key)) and _is_outdated(gold, outcome, round_item.round_id)
    ]
    supersede(outdated, at=at)
    Gold.objects.bulk_create(
        Gold(
            item_id=round_item.item_id,
            criterion_key=key,
            label=outcome.label,
            score=outcome.score,
            origin=GoldOrigin.UNANIMOUS,
            round_id=round_item.round_id,
            decided_at=at,
        )
        for key, outcome in outcomes.items()
        if outcome and (key not in current or current[key] in outdated)
    )


def supersede(gold: list[Gold], *, at: datetime) -> None:
    """Retire gold; it is kept as it was."""
    if gold:
        Gold.objects.filter(pk__in=[one.pk for one in gold]).update(superseded_at=at)


def _is_outdated(gold: Gold, outcome: Answer | None, round_id: int) -> bool:
    if gold.origin == GoldOrigin.IMPORTED:
        return False
    if outcome is None:
        return gold.round_id == round_id
    is_same = (gold.label, gold.score) == (outcome.label, outcome.score)
    return not (is_same and gold.round_id == round_id)
