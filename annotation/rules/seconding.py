"""When a second adjudicator decides an item as well, and who may decide it then."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from annotation.rubric.answers import Answer
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.deciding import value_of
from annotation.rules.lifecycle import ItemState
from annotation.rules.protocol import OnSplit, Protocol

Given = Mapping[str, Answer | None]


def needs_second(
    protocol: Protocol, given: Sequence[Given], decided: Mapping[str, str], *, is_drawn: bool
) -> bool:
    """Whether the protocol has a decision made twice.

    `given`: what each rater answered; `decided`: {criterion: the value that it is to have};
    `is_drawn`: whether the item is in the random share.
    """
    return (
        is_drawn
        or (protocol.second_overruling and _overrules(given, decided))
        or bool(set(protocol.second_values) & _chosen(given, decided))
    )


def reason_not_to_second(
    state: ItemState,
    protocol: Protocol,
    by: int,
    decided_by: Collection[int],
    *,
    is_anyone_left: bool = True,
) -> Sentence | None:
    """Say why this account does not decide an item now that others have decided it, or None.

    `is_anyone_left`: whether one of those who decided it may still adjudicate; if not, nobody is
    there to talk.
    """
    if state is ItemState.SPLIT and protocol.on_split == OnSplit.TALK and is_anyone_left:
        if by in decided_by:
            return None
        return sentence("The two adjudicators who differ on this item decide it together.")
    if by in decided_by:
        return sentence("You have decided this item; another adjudicator decides it as well.")
    return None


def _overrules(given: Sequence[Given], decided: Mapping[str, str]) -> bool:
    return any(
        value != most
        for key, value in decided.items()
        if (most := _of_most(given, key)) is not None
    )


def _of_most(given: Sequence[Given], criterion: str) -> str | None:
    """What more than half of all raters answered, or None."""
    answers = [answer for one in given if (answer := one.get(criterion)) is not None]
    counted = Counter(map(value_of, answers)).most_common(1)
    return counted[0][0] if counted and 2 * counted[0][1] > len(given) else None


def _chosen(given: Sequence[Given], decided: Mapping[str, str]) -> set[str]:
    """All that was answered or decided, as a protocol names it."""
    answered = {
        f"{key}:{value_of(answer)}" for one in given for key, answer in one.items() if answer
    }
    return answered | {f"{key}:{value}" for key, value in decided.items()}
