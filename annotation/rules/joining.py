"""How much of what others still owe somebody takes over who joins a panel in the middle."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple


class Owing(NamedTuple):
    """An item that a rater has not rated yet."""

    item: int
    rater: int


def even_shares(
    owed: Mapping[int, Owing], newcomers: Sequence[int], *, taken: Collection[tuple[int, int]]
) -> dict[int, int]:
    """{assignment: the newcomer who takes it over}, until all owe as much, give or take one.

    It is taken from whoever owes most, in the order in which `owed` has it, and what newcomers owe
    already is a part of their share. `taken` are the pairs
    (item, rater) that are no more to be had, so nobody gets an item twice.
    """
    load = Counter(one.rater for one in owed.values())
    of_rater: dict[int, list[int]] = {}
    for assignment, one in owed.items():
        if one.rater not in newcomers:
            of_rater.setdefault(one.rater, []).append(assignment)
    gone, shares = set(taken), dict[int, int]()
    least = {newcomer: load[newcomer] for newcomer in newcomers}
    while donors := sorted(of_rater, key=lambda rater: (-load[rater], rater)):
        donor = donors[0]
        if load[donor] - min(least.values()) <= 1:
            return shares
        found = _one_to_move(of_rater[donor], owed, least, gone)
        if found is None:
            del of_rater[donor]
            continue
        pk, newcomer = found
        of_rater[donor].remove(pk)
        load[donor] -= 1
        least[newcomer] += 1
        gone.add((owed[pk].item, newcomer))
        shares[pk] = newcomer
    return shares


def _one_to_move(
    assignments: Sequence[int],
    owed: Mapping[int, Owing],
    least: Mapping[int, int],
    gone: Collection[tuple[int, int]],
) -> tuple[int, int] | None:
    for newcomer in sorted(least, key=lambda one: (least[one], one)):
        for pk in assignments:
            if (owed[pk].item, newcomer) not in gone:
                return pk, newcomer
    return None
