"""When a round may close, and when the next one may open after it."""

import math
from dataclasses import dataclass
from enum import StrEnum

from annotation.rubric.sentences import Sentence, sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a round is, in items."""

    items: int
    fully_rated: int
    awaiting_adjudication: int
    in_discussion: int = 0
    differing: int = 0


class GateVerdict(StrEnum):
    """How the Fleiss kappa of a round compares with its gate."""

    PASSED = "passed"
    BELOW = "below"
    UNDEFINED = "undefined"


def reason_to_stay_open(progress: Progress, *, to_a_rater: bool = False) -> Sentence | None:
    """Say what a round still waits for, or None when it may close.

    Who rates in it is told no numbers. By those of the items on which raters differ they would see
    with each correction whether the others had answered that, and by those of the items that are
    rated which of theirs was a hidden repeat.
    """
    if progress.items == 0:
        return sentence("The round has no items.")
    missing = progress.items - progress.fully_rated
    if missing and to_a_rater:
        return sentence("Items of this round still need ratings.")
    if missing:
        return sentence(
            "Items that still need ratings: {missing} of {items}.",
            missing=missing,
            items=progress.items,
        )
    if progress.awaiting_adjudication and to_a_rater:
        return sentence("Items of this round still await adjudication.")
    if progress.awaiting_adjudication:
        return sentence(
            "Items that await adjudication: {awaiting}.", awaiting=progress.awaiting_adjudication
        )
    return None


def gate_verdict(kappa: float | None, gate: float) -> GateVerdict:
    """Compare a round's Fleiss kappa, None or NaN where it has none, with its gate."""
    if kappa is None or math.isnan(kappa):
        return GateVerdict.UNDEFINED
    return GateVerdict.PASSED if kappa >= gate else GateVerdict.BELOW


def reason_not_to_open_next(
    previous: GateVerdict | None, override_reason: str, *, same_items: bool
) -> Sentence | None:
    """Say why no round may follow one with this verdict (None: there is none), or None.

    A round that did not pass is followed by an independent re-review over the `same_items`, or
    by another round for which somebody has written down a reason.
    """
    if previous in (None, GateVerdict.PASSED) or same_items or override_reason.strip():
        return None
    if previous == GateVerdict.BELOW:
        return sentence(
            "The last round stayed below its gate: have the same items rated again"
            " independently, or write down why to go on without that."
        )
    return sentence(
        "The agreement of the last round is undefined: have the same items rated again"
        " independently, or write down why to go on without that."
    )
