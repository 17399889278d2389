"""When the ratings of one item and criterion need a decision."""

from collections.abc import Sequence
from itertools import combinations

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Taxonomy
from annotation.rubric.taxonomy import depth_of_divergence


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


def gap_between(criterion: Criterion, answers: Sequence[Answer | None]) -> int | None:
    """How many points lie between the highest and the lowest of these ratings; None for labels."""
    if isinstance(criterion, Taxonomy):
        return None
    scores = [answer.score for answer in answers if answer and answer.score is not None]
    return max(scores) - min(scores) if scores else None


def parting_node(criterion: Criterion, answers: Sequence[Answer | None]) -> int | None:
    """The first node (0-based) at which the ways to two of these labels part, or None."""
    if not isinstance(criterion, Taxonomy):
        return None
    known = {label.key for label in criterion.labels}  # others are of a later edition
    labels = sorted({answer.label for answer in answers if answer and answer.label in known})
    depths = (depth_of_divergence(criterion, a, b) for a, b in combinations(labels, 2))
    return min((depth for depth in depths if depth is not None), default=None)


def outcome_of(answers: Sequence[Answer | None]) -> Answer | None:
    """Return the answer all raters gave, or None where they gave more than one or none.

    Scores that are close enough not to `differ` are still not unanimous.
    """
    return answers[0] if len(set(answers)) == 1 else None
