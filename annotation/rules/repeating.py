"""Which items come back to their rater, unmarked, and how far behind the first time."""

from collections.abc import Sequence
from typing import NamedTuple

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.shuffling import shuffled

MOST_PERCENT = 20
USUAL_PERCENT = 5
LEAST_BETWEEN = 10
FIRST, AGAIN = 1, 2


class Turn(NamedTuple):
    """A place in a rater's order: an item for the first time, or again."""

    item: int
    repeat: int


def reason_not_to_repeat(percent: int, fewest_items: int) -> Sentence | None:
    """Say why `percent` of each rater's items, `fewest_items` or more, cannot come back, or None."""
    if percent == 0:
        return None
    if not 0 < percent <= MOST_PERCENT:
        return sentence(
            "Hidden repeats: between 0 and {most} percent of the items.", most=MOST_PERCENT
        )
    if fewest_items <= LEAST_BETWEEN:
        return sentence(
            "Hidden repeats need more than {between} items a rater, so that nobody remembers what "
            "they answered. Here somebody has {items}: take more items, or no repeats.",
            between=LEAST_BETWEEN,
            items=fewest_items,
        )
    return None


def usual_percent(fewest_items: int) -> int:
    """How many of each rater's items come back where nobody says: the usual ones, or none where
    somebody would remember what they answered."""
    return 0 if reason_not_to_repeat(USUAL_PERCENT, fewest_items) else USUAL_PERCENT


def with_repeats(items: Sequence[int], percent: int, *, seed: str) -> list[Turn]:
    """Let `percent` of a rater's `items`, rounded up, come back; the same seed gives the same.

    The seed holds a secret of the study: from ids alone a rater could work out which come back.
    Between the two times lie at least half of the items, and `LEAST_BETWEEN`, so only early items
    come back. Where they come back cannot be told from where they were first.
    """
    n, between = len(items), max((len(items) + 1) // 2, LEAST_BETWEEN)
    wanted = -(-percent * n // 100)
    chosen = shuffled(range(max(n - between, 0)), seed)[:wanted]
    behind: dict[int, list[int]] = {}
    for first in chosen:
        place = shuffled(range(first + between, n), f"{seed}:{first}")[0]
        behind.setdefault(place, []).append(items[first])
    turns: list[Turn] = []
    for place, item in enumerate(items):
        turns.append(Turn(item, FIRST))
        turns += [Turn(again, AGAIN) for again in behind.get(place, ())]
    return turns
