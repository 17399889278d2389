"""Deciding an item on which raters differ: what decided it, and when it may be decided anew."""

from collections.abc import Mapping
from enum import StrEnum

from annotation.rubric.answers import Answer
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.lifecycle import ItemState, RoundState

AMBIGUOUS = "~"
"""What is chosen for a criterion on which reasonable people differ; no rubric has it as a key."""


class DecidedBy(StrEnum):
    """What a disagreement came from, in the eyes of who decided it."""

    RUBRIC = "rubric"
    TEXT = "text"
    CONTEXT = "context"
    SLIP = "slip"
    OTHER = "other"


CODES: Mapping[DecidedBy, Sentence] = {
    DecidedBy.RUBRIC: sentence("a gap in the rubric"),
    DecidedBy.TEXT: sentence("an ambiguous text"),
    DecidedBy.CONTEXT: sentence("knowledge that the item does not hold"),
    DecidedBy.SLIP: sentence("a slip"),
    DecidedBy.OTHER: sentence("something else"),
}


def value_of(answer: Answer) -> str:
    """An answer as it is sent with a decision, and as a protocol names it."""
    return answer.label if answer.label is not None else str(answer.score)


def problem_with_code(code: str) -> Sentence | None:
    """Say that nobody chose what a disagreement came from, or None."""
    if code in set(DecidedBy):
        return None
    return sentence("Choose where the disagreement came from.")


def reason_not_to_revise(
    round_state: RoundState,
    item_state: ItemState,
    *,
    is_rated_later: bool,
    has_other_rubric: bool = False,
    is_decided_by_two: bool = False,
) -> Sentence | None:
    """Say why a decision is not made anew, or None. A closed round takes it too: disputes come
    when its raters have been told."""
    if round_state is RoundState.CANCELLED:
        return sentence("The round was cancelled.")
    if item_state is not ItemState.ADJUDICATED:
        return sentence("This item has not been decided yet.")
    if is_decided_by_two:
        return sentence("Two adjudicators have decided this item: one alone does not do it anew.")
    if has_other_rubric:
        return sentence(
            "The rubric has changed since: have the item rated again under the new one."
        )
    if is_rated_later:
        return sentence("This item is in a later round; it is decided there.")
    return None
