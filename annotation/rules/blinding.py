"""Under which cover an adjudicator sees who answered what."""

from collections.abc import Iterable

from annotation.rules.shuffling import shuffled


def blinded_order(
    rater_ids: Iterable[int], item_id: int, reader_id: int | None, *, secret: str
) -> tuple[int, ...]:
    """Put an item's raters in the order in which `reader_id` sees them as Rater A, B, C.

    The order is the same at every visit, and another one for another item or reader, so that a
    letter does not give a rater away. Without the study's `secret` it could be worked out from
    ids, which stand in addresses.
    """
    return shuffled(rater_ids, f"{secret}:{item_id}:{reader_id}")
