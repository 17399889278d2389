"""Whose ratings a reader may see, and under which cover."""

from collections.abc import Collection, Iterable

from annotation.rules.lifecycle import RoundState
from annotation.rules.shuffling import shuffled


def may_show(owner: int, reader: int | None, roles: Collection[str], state: RoundState) -> bool:
    """May `reader` see a rating by `owner` with its author's name?

    Both are rater ids; a reader who never rates has None. `roles` are the reader's in the study.
    One's own rating always; those of others once the round is closed, to the study's team. An
    adjudicator sees them earlier, without names, in the `blinded_order`.
    """
    if owner == reader:
        return True
    return bool(roles) and state == RoundState.CLOSED


def blinded_order(
    rater_ids: Iterable[int], item_id: int, reader_id: int, *, secret: str
) -> tuple[int, ...]:
    """Put an item's raters in the order in which `reader_id` sees them as Rater A, B, C.

    The order is the same at every visit, and another one for another item or reader, so that a
    letter does not give a rater away. Without the study's `secret` it could be worked out from
    ids, which stand in addresses.
    """
    return shuffled(rater_ids, f"{secret}:{item_id}:{reader_id}")
