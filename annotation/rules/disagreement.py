"""When the ratings of one item and criterion need a decision."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, takewhile

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Taxonomy
from annotation.rubric.taxonomy import Path, path_to, problem_with


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


def parting_node(
    walk: Taxonomy | None, answers: Sequence[Answer | None], *, about: str | None = None
) -> int | None:
    """The first node (0-based) at which two of these ways through a taxonomy part, or None.

    `about` is a scale that the walk gives a value to: then only the questions about it count.
    """
    if walk is None:
        return None
    ways = {way for answer in answers if answer and (way := way_of(walk, answer))}
    dimensions = {node.key: node.dimension for node in walk.nodes}
    if about is not None:
        ways = {tuple(step for step in way if dimensions[step[0]] == about) for way in ways}
    places = {node.key: place for place, node in enumerate(walk.nodes)}
    return min(
        (
            places[one[depth][0]]
            for one, other in permutations(ways, 2)
            if (depth := _parting(one, other)) < len(one)
        ),
        default=None,
    )


def way_of(walk: Taxonomy, answer: Answer) -> Path:
    """The way to a label: the one that was taken, or else the only one there is in a list; () where
    it is not known, or of another edition."""
    if answer.path:
        return () if problem_with(walk, answer.path) else answer.path
    if walk.is_graph or answer.label not in {label.key for label in walk.labels}:
        return ()
    return path_to(walk, answer.label)


def _parting(one: Path, other: Path) -> int:
    """The step at which a way is no longer the other one; its length where it never is."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _pair in alike)


def outcome_of(answers: Sequence[Answer | None]) -> Answer | None:
    """Return the answer all raters gave, or None where they gave more than one or none.

    Scores that are close enough not to `differ` are still not unanimous. Where ways to one label
    differ, it has none.
    """
    if len(set(answers)) != 1 or answers[0] is None:
        return None
    same_way = len({answer.path for answer in answers if answer}) == 1
    return answers[0] if same_way else replace(answers[0], path=())
