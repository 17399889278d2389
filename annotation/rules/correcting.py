"""Until when a rater may correct what they submitted, and until when a correction counts."""

from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import ItemState, RoundState, RoundStep

DECIDED = frozenset({ItemState.SECOND, ItemState.SPLIT, ItemState.ADJUDICATED})


def reason_not_to_correct(
    round_state: RoundState, step: RoundStep = RoundStep.RATING
) -> str | None:
    """Say why a submission can no longer be corrected, or None when it can.

    What became of the item does not matter: only where raters differ somebody decides, so that an
    answer which alone could no longer be changed would tell its rater that another differed.
    """
    if round_state is RoundState.CANCELLED:
        return sentence("The round was cancelled.")
    if round_state is not RoundState.OPEN:
        return sentence("The round is closed: its answers can no longer be changed.")
    if step is not RoundStep.RATING:
        return sentence("The rating has ended: agreement is computed from these answers.")
    return None


def counts(item_state: ItemState, *, repeat: int) -> bool:
    """Whether a correction takes the place of what it corrects.

    Not once somebody has decided on what stood there: it is kept beside it, and the rater is told
    when the round closes. Nobody decides on a hidden repeat.
    """
    return repeat > 1 or item_state not in DECIDED
