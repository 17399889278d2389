"""Decide what the ratings of one item come to: agreed or not, and the gold that follows."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from accounts.models.prepared import preparing_cursor
from annotation.actions.moving import move_or_stay
from annotation.models import Gold, GoldOrigin, RoundItem
from annotation.queries.ratings import answers_in_round, current_gold
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Rubric
from annotation.rubric.taxonomy import path_as_text
from annotation.rules.disagreement import differ, outcome_of
from annotation.rules.lifecycle import ItemState

_STORE = """
INSERT INTO annotation_gold (item_id, criterion_key, label, score, path, origin, round_id, decided_at)
SELECT %(item)s, given.*, %(origin)s, %(round)s, %(at)s
FROM unnest(
    %(criteria)s::text[], %(labels)s::text[], %(scores)s::smallint[], %(paths)s::text[]
) AS given
"""


def settle(round_item: RoundItem, rubric: Rubric, *, at: datetime) -> None:
    """Work out a fully rated item anew. The caller holds the lock on its row.

    Gold that was mixed in stays what it is, whatever is answered.
    """
    if round_item.is_gold:
        move_or_stay(round_item, ItemState.AGREED)
        return
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


def keep_consensus(
    round_item: RoundItem,
    rubric: Rubric,
    votes: Sequence[Mapping[str, Answer | None]],
    *,
    at: datetime,
) -> None:
    """Keep what all raters answer after a discussion. The caller holds the lock on the item."""
    outcomes = {
        criterion.key: outcome_of([one.get(criterion.key) for one in votes])
        for criterion in rubric.criteria
    }
    _keep_gold(round_item, outcomes, at=at, origin=GoldOrigin.CONSENSUS)


def _keep_gold(
    round_item: RoundItem,
    outcomes: Mapping[str, Answer | None],
    *,
    at: datetime,
    origin: GoldOrigin = GoldOrigin.UNANIMOUS,
) -> None:
    """Replace earlier gold by what this round's raters all say; imported gold stays."""
    current = current_gold(round_item.item_id)
    outdated = [
        gold
        for key, outcome in outcomes.items()
        if (gold := current.get(key)) and _is_outdated(gold, outcome, round_item.round_id)
    ]
    supersede(outdated, at=at)
    agreed = [
        outcome
        for key, outcome in outcomes.items()
        if outcome and (key not in current or current[key] in outdated)
    ]
    if agreed:
        _store(round_item, agreed, at=at, origin=origin)


def _store(
    round_item: RoundItem, agreed: Sequence[Answer], *, at: datetime, origin: GoldOrigin
) -> None:
    with preparing_cursor() as cursor:
        cursor.execute(
            _STORE,
            {
                "item": round_item.item_id,
                "round": round_item.round_id,
                "at": at,
                "origin": origin.value,
                "criteria": [answer.criterion for answer in agreed],
                "labels": [answer.label for answer in agreed],
                "scores": [answer.score for answer in agreed],
                "paths": [path_as_text(answer.path) for answer in agreed],
            },
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
    told = (outcome.label, outcome.score, path_as_text(outcome.path))
    is_same = (gold.label, gold.score, gold.path) == told
    return not (is_same and gold.round_id == round_id)
