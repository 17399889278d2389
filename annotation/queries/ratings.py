"""What raters answered, as the rubric engine's answers."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from accounts.models.prepared import Prepared
from annotation.models import Assignment, Gold, Rater, Rating, SecondVote, Submission
from annotation.rubric.answers import Answer
from annotation.rubric.taxonomy import path_from_text
from annotation.rules.lifecycle import AssignmentState

Given = Mapping[str, Answer | None]


def answers_in_round(round_id: int, item_id: int) -> Mapping[int, Given]:
    """{rater id: {criterion: answer, or None where the rater gave no value}} of one item.

    What a rater gives when an item comes back unmarked is not among it.
    """
    given: dict[int, dict[str, Answer | None]] = {}
    rows = _IN_ROUND.all(round_id=round_id, item_id=item_id)
    for rater, criterion, label, score, unscored, path in rows:
        way = path_from_text(path)
        answer = Answer(criterion=criterion, label=label, score=score, path=way)
        given.setdefault(rater, {})[criterion] = None if unscored else answer
    return given


def submissions_in_round(round_id: int, item_id: int) -> Mapping[int, int]:
    """{rater id: their submission} of one item, without those of when it came back unmarked."""
    found = Submission.objects.filter(round=round_id, item=item_id, is_current=True, repeat=1)
    return dict(found.values_list("rater", "pk"))


def current_gold(item_id: int) -> Mapping[str, Gold]:
    """{criterion: the gold that an item has now}."""
    rows = [Gold(**dict(zip(_OF_GOLD, row, strict=True))) for row in _GOLD.all(item_id=item_id)]
    return {gold.criterion_key: gold for gold in rows}


def _in_round(round_id: int, item_id: int) -> QuerySet[Rating, Any]:
    return Rating.objects.filter(
        submission__round=round_id,
        submission__item=item_id,
        submission__is_current=True,
        submission__repeat=1,
    ).values_list("submission__rater", "criterion_key", "label", "score", "unscored", "path")


def _gold(item_id: int) -> QuerySet[Gold, Any]:
    return Gold.objects.filter(item=item_id, superseded_at=None).values_list(*_OF_GOLD)


_OF_GOLD = ("pk", "criterion_key", "label", "score", "path", "origin", "round_id")
# Asked for every third submission or so, so prepared.
_IN_ROUND, _GOLD = Prepared(_in_round), Prepared(_gold)


def second_votes(round_item_id: int) -> Mapping[int, Given]:
    """{rater id: {criterion: what they answer after the discussion}}; the newest vote counts."""
    votes: dict[int, dict[str, Answer | None]] = {}
    for one in SecondVote.objects.filter(round_item=round_item_id).order_by("pk"):
        answer = Answer(criterion=one.criterion_key, label=one.label, score=one.score)
        votes.setdefault(one.rater_id, {})[one.criterion_key] = answer
    return votes


def raters_of_item(item_id: int) -> set[int]:
    """Who rates or has rated an item, in whatever round."""
    standing = Assignment.objects.filter(item=item_id).exclude(state=AssignmentState.RELEASED)
    return set(standing.values_list("rater_id", flat=True))


def items_of_rater(rater_id: int) -> QuerySet[Assignment, Any]:
    """The same seen from a rater: the items that `raters_of_item` names them for."""
    standing = Assignment.objects.filter(rater=rater_id).exclude(state=AssignmentState.RELEASED)
    return standing.values("item")


def rater_of(account_id: int | None) -> int | None:
    """The rater that an account is, or None for one that never rates."""
    return Rater.objects.filter(user=account_id).values_list("pk", flat=True).first()
