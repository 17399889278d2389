"""When the ratings of one item and criterion need a decision."""

from collections.abc import Sequence

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Taxonomy


def differ(criterion: Criterion, answers: Sequence[Answer | None]) -> bool:
    """Do these ratings, one a rater, need a decision? None is a rating without a value.

    Labels differ as soon as there are two; scores once they lie `adjudicate_from_gap` apart. A
    rating without a value is nobody's agreement.
    """
    given = [answer for answer in answers if answer is not None]
    if len(given) < len(answers):
        return True
    if isinstance(criterion, Taxonomy):
        return len({answer.label for answer in given}) > 1
    scores = [answer.score for answer in given if answer.score is not None]
    return bool(scores) and max(scores) - min(scores) >= criterion.adjudicate_from_gap


def outcome_of(answers: Sequence[Answer | None]) -> Answer | None:
    """Return the answer all raters gave, or None where they gave more than one or none.

    Scores that are close enough not to `differ` are still not unanimous.
    """
    return answers[0] if len(set(answers)) == 1 else None
