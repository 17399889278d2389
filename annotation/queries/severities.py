"""Levels of severity as pages show them: by words, a shape and a colour."""

from dataclasses import dataclass

from annotation.queries.wording import said
from annotation.rubric.schema import Scale, Walked

WORST_RANK = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SeverityShown:
    """A level of a scale; `rank` tells its mark apart, from 0 where nothing is wrong to 3 for the
    worst level."""

    value: int
    words: str
    rank: int


def severity_shown(scale: Scale, walked: Walked, value: int) -> SeverityShown:
    """A level in words; its rank rises with the share of the way from clear to the worst level."""
    anchors = {point.value: said(point.anchor) for point in scale.points}
    worst = scale.values[-1] if walked.worst_is_highest else scale.values[0]
    span, beyond = worst - walked.clear, value - walked.clear
    share = beyond / span if span else 0
    rank = 0 if share <= 0 else min(WORST_RANK, 1 + int(share * WORST_RANK - 1e-9))
    return SeverityShown(value=value, words=anchors[value], rank=rank)
