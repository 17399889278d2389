"""Until when a rater may correct what they submitted."""

from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import ItemState, RoundState, RoundStep


def reason_not_to_correct(
    round_state: RoundState, item_state: ItemState, step: RoundStep = RoundStep.RATING
) -> str | None:
    """Say why a submission can no longer be corrected, or None when it can.

    Where a gate looks first, all items are fixed at once: which one was decided does not tell.
    """
    if round_state is RoundState.CANCELLED:
        return sentence("The round was cancelled.")
    if round_state is not RoundState.OPEN:
        return sentence("The round is closed: its answers can no longer be changed.")
    if step is not RoundStep.RATING:
        return sentence("The rating has ended: agreement is computed from these answers.")
    if item_state in {ItemState.SECOND, ItemState.SPLIT, ItemState.ADJUDICATED}:
        return sentence("The item has been decided: its answers can no longer be changed.")
    return None
