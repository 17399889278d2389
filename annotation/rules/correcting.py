"""Until when a rater may correct what they submitted."""

from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import ItemState, RoundState


def reason_not_to_correct(round_state: RoundState, item_state: ItemState) -> str | None:
    """Say why a submission can no longer be corrected, or None when it can."""
    if round_state is not RoundState.OPEN:
        return sentence("The round is closed: its answers can no longer be changed.")
    if item_state is ItemState.ADJUDICATED:
        return sentence("The item has been decided: its answers can no longer be changed.")
    return None
