"""What raters answered, as the rubric engine's answers."""

from collections.abc import Mapping

from annotation.models import Assignment, Rating
from annotation.rubric.answers import Answer
from annotation.rules.lifecycle import AssignmentState

Given = Mapping[str, Answer | None]


def answers_in_round(round_id: int, item_id: int) -> dict[int, Given]:
    """{rater id: {criterion: answer, or None where the rater gave no value}} of one item."""
    rows = Rating.objects.filter(
        submission__round=round_id, submission__item=item_id, submission__is_current=True
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
