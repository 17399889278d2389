"""Which of the items that all raters agree on are decided as well, to see how far that is right."""

import math
from collections.abc import Mapping, Sequence

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.disagreement import differ
from annotation.rules.shuffling import shuffled

Z = 1.959964  # of a 95 % interval


def drawn(agreed: Sequence[int], percent: int, *, seed: str) -> tuple[int, ...]:
    """So many percent of the items, rounded up; the same seed gives the same."""
    return shuffled(agreed, seed)[: -(-percent * len(agreed) // 100)]


def asked_alike(
    items: Sequence[int], in_conflict: Sequence[Sequence[str]], every: Sequence[str], *, seed: str
) -> dict[int, list[str]]:
    """{item: the criteria to decide}: each is asked about what some item that raters differ on is,
    so that nobody can tell it from one; about all where there is none to be like."""
    return {
        item: list(in_conflict[shuffled(range(len(in_conflict)), f"{seed}:{item}")[0]])
        if in_conflict
        else list(every)
        for item in items
    }


def is_overturned(
    criteria: Sequence[Criterion],
    given: Sequence[Mapping[str, Answer | None]],
    decided: Mapping[str, Answer],
) -> bool:
    """Whether a decision is as far from what raters agree on as raters must not be from each other.

    A criterion that was called ambiguous is not in `decided`, and is overturned.
    """
    return any(
        differ(one, [*(answers.get(one.key) for answers in given), decided.get(one.key)])
        for one in criteria
    )


def share(k: int, n: int) -> tuple[float, float, float]:
    """k of n in percent, with a 95 % interval: Wilson (1927)."""
    middle, wide = k / n + Z * Z / (2 * n), Z * math.sqrt(k * (n - k) / n**3 + (Z / (2 * n)) ** 2)
    low, high = (middle - wide) / (1 + Z * Z / n), (middle + wide) / (1 + Z * Z / n)
    return 100 * k / n, 100 * max(low, 0.0), 100 * min(high, 1.0)


def said_of(round_number: int, *, audited: int, overturned: int) -> Sentence:
    """What an audit found."""
    percent, low, high = share(overturned, audited)
    return sentence(
        "Round {number}: of {audited} items that were drawn from those on which all raters agree, "
        "an adjudicator who did not know it decided {overturned} otherwise: {percent} percent, 95 "
        "percent interval {low} to {high}.",
        number=round_number,
        audited=audited,
        overturned=overturned,
        percent=f"{percent:.1f}",
        low=f"{low:.1f}",
        high=f"{high:.1f}",
    )
