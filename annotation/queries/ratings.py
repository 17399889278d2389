"""What raters answered, as the rubric engine's answers."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.models import Assignment, Rater, Rating
from annotation.rubric.answers import Answer
from annotation.rules.lifecycle import AssignmentState

Given = Mapping[str, Answer | None]


def answers_in_round(round_id: int, item_id: int) -> Mapping[int, Given]:
    """{rater id: {criterion: answer, or None where the rater gave no value}} of one item.

    What a rater gives when an item comes back unmarked is not among it.
    """
    rows = Rating.objects.filter(
        submission__round=round_id,
        submission__item=item_id,
        submission__is_current=True,
        submission__repeat=1,
    ).values_list("submission__rater", "criterion_key", "label", "score", "unscored")
    given: dict[int, dict[str, Answer | None]] = {}
    for rater, criterion, label, score, unscored in rows:
        answer = None if unscored else Answer(criterion=criterion, label=label, score=score)
        given.setdefault(rater, {})[criterion] = answer
    return given


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
