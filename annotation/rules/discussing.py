"""Who takes part in the discussion of an item, and what it comes to."""

from collections.abc import Collection, Mapping, Sequence

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.disagreement import differ

Votes = Mapping[str, Answer | None]


def may_moderate(rater_ids: Collection[int], candidate: int | None, roles: Collection[str]) -> bool:
    """An adjudicator or coordinator who has not rated the item leads its discussion."""
    return candidate not in rater_ids and bool({"adjudicator", "coordinator"} & set(roles))


def reason_not_to_take_part(
    rater_ids: Collection[int], candidate: int | None, roles: Collection[str]
) -> Sentence | None:
    """Say why somebody neither reads nor writes in the discussion of an item, or None."""
    rates = candidate in rater_ids and "annotator" in roles
    if rates or may_moderate(rater_ids, candidate, roles):
        return None
    return sentence("Only the raters of an item and who leads the discussion take part in it.")


def votes_now(independent: Mapping[int, Votes], again: Mapping[int, Votes]) -> Mapping[int, Votes]:
    """{rater: {criterion: answer}} after the discussion: who has not voted again stands by it."""
    return {rater: {**votes, **again.get(rater, {})} for rater, votes in independent.items()}


def is_settled(rubric: Rubric, votes: Collection[Votes]) -> bool:
    """Whether the votes leave nothing to decide."""
    return not any(
        differ(criterion, _column(votes, criterion.key)) for criterion in rubric.criteria
    )


def _column(votes: Collection[Votes], criterion: str) -> Sequence[Answer | None]:
    return [one.get(criterion) for one in votes]
