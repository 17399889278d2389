"""Who may object to a decision, and when."""

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.lifecycle import ItemState, RoundState


def reason_not_to_dispute(
    round_state: RoundState, item_state: ItemState, *, is_again: bool
) -> Sentence | None:
    """Say why a rater cannot object to what was decided on an item, or None."""
    if round_state is not RoundState.CLOSED:
        return sentence("Decisions are told, and may be disputed, once the round is closed.")
    if item_state is not ItemState.ADJUDICATED:
        return sentence("Nobody decided this item: its raters agreed.")
    if is_again:
        return sentence("You have disputed this decision already.")
    return None
