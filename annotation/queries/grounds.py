"""What raters said beside their values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import RatingGrounds
from annotation.queries.wording import said, worded
from annotation.rubric.answers import Answer, read
from annotation.rubric.grounds import CONFIDENCES, Grounds, Passage
from annotation.rubric.schema import Criterion, Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundsShown:
    """What one rater said beside the value of one criterion, in words; `who` stands for a rater
    whose name is not told. `quotes` are (number of the turn, words)."""

    who: str
    criterion: str
    confidence: str
    defensible: tuple[str, ...]
    quotes: tuple[tuple[int, str], ...]
    unverified: tuple[str, ...]
    rationale: str


def grounds_of(submissions: Collection[int]) -> dict[int, list[Grounds]]:
    """{submission: what was said beside its values}, of those where anything was."""
    found: dict[int, list[Grounds]] = {}
    for row in RatingGrounds.objects.filter(submission__in=submissions).order_by("pk"):
        found.setdefault(row.submission_id, []).append(
            Grounds(
                criterion=row.criterion_key,
                confidence=row.confidence,
                defensible=tuple(row.defensible),
                evidence=tuple(map(Passage.from_text, row.evidence)),
                unverified=tuple(row.unverified),
                rationale=row.rationale,
            )
        )
    return found


def grounds_shown(
    rubric: Rubric, submissions: Mapping[int, str], texts: Sequence[str]
) -> tuple[GroundsShown, ...]:
    """What was said in {submission: who} about an item with these texts, by criterion."""
    found = grounds_of(submissions)
    given = [(who, one) for pk, who in submissions.items() for one in found.get(pk, ())]
    return tuple(
        _in_words(criterion, who, one, texts)
        for criterion in rubric.asked
        for who, one in given
        if one.criterion == criterion.key
    )


def _in_words(
    criterion: Criterion, who: str, grounds: Grounds, texts: Sequence[str]
) -> GroundsShown:
    others = (read(criterion, value) for value in grounds.defensible)
    return GroundsShown(
        who=who,
        criterion=said(criterion.name),
        confidence=said(CONFIDENCES[grounds.confidence]) if grounds.confidence else "",
        defensible=tuple(worded(criterion, one) for one in others if isinstance(one, Answer)),
        quotes=tuple((one.turn, one.quoted(texts)) for one in grounds.evidence),
        unverified=grounds.unverified,
        rationale=grounds.rationale,
    )
