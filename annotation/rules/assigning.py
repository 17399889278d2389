"""Who rates what in a round."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.shuffling import shuffled


class ItemSeats(NamedTuple):
    """One rater on one item; slots of an item count from 1."""

    item: int
    slot: int
    rater: int


def reason_not_to_spread(raters: Sequence[int], k: int) -> Sentence | None:
    """Say why items cannot have `k` different raters each, or None when they can."""
    if k < 1:
        return sentence("Every item needs at least one rater.")
    if len(set(raters)) < len(raters):
        return sentence("A rater is named twice.")
    if k > len(raters):
        return sentence(
            "Raters an item: {k}. The panel has only {raters}.",
            k=k,
            raters=len(raters),
        )
    return None


def spread(
    items: Sequence[int], raters: Sequence[int], k: int, *, seed: int = 0
) -> list[ItemSeats]:
    """Give every item `k` different raters; the same seed gives the same places.

    Loads differ by one item at most. Raters who have shared few items are put together first, so
    that every two of them come to overlap. ValueError where `reason_not_to_spread` has a reason.
    """
    if reason := reason_not_to_spread(raters, k):
        raise ValueError(reason)
    loads = Counter(dict.fromkeys(raters, 0))
    shared: Counter[frozenset[int]] = Counter()
    places: list[ItemSeats] = []
    for position, item in enumerate(items):
        group = _next_group(shuffled(raters, f"{seed}:{position}"), loads, shared, k)
        places += [ItemSeats(item, slot, rater) for slot, rater in enumerate(group, start=1)]
        loads.update(group)
        shared.update(map(frozenset, combinations(group, 2)))
    return places


def _next_group(
    queue: Sequence[int], loads: Counter[int], shared: Counter[frozenset[int]], k: int
) -> list[int]:
    group: list[int] = []

    def cost(rater: int) -> tuple[int, int]:
        return loads[rater], sum(shared[frozenset((rater, other))] for other in group)

    while len(group) < k:
        group.append(min((rater for rater in queue if rater not in group), key=cost))
    return group
