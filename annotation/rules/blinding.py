"""Whose ratings a reader may see, and under which cover."""

import hashlib
from collections.abc import Collection, Iterable

from annotation.rules.lifecycle import RoundState


def may_show(owner: int, reader: int | None, roles: Collection[str], state: RoundState) -> bool:
    """May `reader` see a rating by `owner` with its author's name?

    Both are rater ids; a reader who never rates has None. `roles` are the reader's in the study.
    One's own rating always; those of others once the round is closed, to the study's team. An
    adjudicator sees them earlier, without names, in the `blinded_order`.
    """
    if owner == reader:
        return True
    return bool(roles) and state is RoundState.CLOSED


def blinded_order(rater_ids: Iterable[int], item_id: int, reader_id: int) -> tuple[int, ...]:
    """Put an item's raters in the order in which `reader_id` sees them as Rater A, B, C.

    The order is the same at every visit, and another one for another item or reader, so that a
    letter does not give a rater away.
    """

    def place(rater_id: int) -> bytes:
        return hashlib.sha256(f"{item_id}:{reader_id}:{rater_id}".encode()).digest()

    return tuple(sorted(rater_ids, key=place))
