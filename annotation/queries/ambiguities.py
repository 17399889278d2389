"""What came in as truly ambiguous: of which criteria of an item, and how its raters answered."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db.models import F

from annotation.models import Adjudication, BroughtAmbiguity
from annotation.queries.wording import said, worded, worded_reason
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Rubric, Taxonomy
from annotation.rules.completeness import CannotJudge
from annotation.rules.lifecycle import RoundState


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguityShown:
    """A criterion on which an item came in as ambiguous; `spread`: (answer, how many gave it)."""

    criterion: str
    spread: tuple[tuple[str, int], ...]


def brought_to(items: Collection[int]) -> Mapping[int, Mapping[str, str]]:
    """{item: {criterion: its distribution}} of what has got no gold since."""
    found: dict[int, dict[str, str]] = {}
    rows = (
        BroughtAmbiguity.objects.filter(item__in=items)
        .exclude(pk__in=_decided_since(items))
        .values_list("item_id", "criterion_key", "distribution")
    )
    for item, criterion, distribution in rows:
        found.setdefault(item, {})[criterion] = distribution
    return found


def decided_ambiguous(items: Collection[int]) -> set[tuple[int, str]]:
    """(item, criterion) of what a standing decision of a round that counts found ambiguous."""
    standing = Adjudication.objects.filter(item__in=items, superseded_by=None)
    counting = standing.exclude(round__state=RoundState.CANCELLED)
    return {
        (item, criterion)
        for item, criteria in counting.values_list("item", "ambiguous")
        for criterion in criteria
    }


def shown_of(rubric: Rubric, brought: Mapping[str, str]) -> tuple[AmbiguityShown, ...]:
    """The same of one item, {criterion: distribution}, in words and in the rubric's order."""
    return tuple(
        AmbiguityShown(
            criterion=said(criterion.name), spread=spread_of(criterion, brought[criterion.key])
        )
        for criterion in rubric.criteria
        if criterion.key in brought
    )


def spread_of(criterion: Criterion, distribution: str) -> tuple[tuple[str, int], ...]:
    """(answer in words, how many gave it) of "value:count value:count"; what is none is left out."""
    parts = (part.rpartition(":") for part in distribution.split())
    return tuple(
        (_in_words(criterion, value), int(count))
        for value, _colon, count in parts
        if value and count.isdecimal()
    )


def _in_words(criterion: Criterion, value: str) -> str:
    if value in set(CannotJudge):
        return worded_reason(value)
    if isinstance(criterion, Taxonomy):
        return worded(criterion, Answer(criterion=criterion.key, label=value))
    if value.lstrip("-").isdecimal():
        return worded(criterion, Answer(criterion=criterion.key, score=int(value)))
    return value


def _decided_since(items: Collection[int]) -> list[int]:
    """Rows of criteria that have gold now: then the item is ambiguous no more."""
    rows = BroughtAmbiguity.objects.filter(
        item__in=items,
        item__gold__superseded_at=None,
        item__gold__criterion_key=F("criterion_key"),
    )
    return list(rows.values_list("pk", flat=True))
