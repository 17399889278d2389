"""The one choice that a marked text comes to, or why it comes to none.

Said once or more, and nothing else said: that. Two said: the one that the text calls its last
word, or neither. A choice at the beginning stands only as long as no other is named behind it
but to be dismissed. A text that says of itself that it is not sure has not said anything.
"""

import re
from collections.abc import Sequence

from judging.parsing.stances import (
    MARK,
    MOST_MENTIONS,
    Cues,
    Mention,
    Stance,
    is_unsure,
    mentions,
    said_marks,
)
from judging.parsing.written import WrittenAnswer, declines, reason_for_silence, refuses
from judging.rules.outcomes import Outcome
from judging.rules.questions import Unreadable


def verdict_of(text: str, cues: Cues, written: WrittenAnswer) -> int | Unreadable:
    """Return the number of the choice that a text gives."""
    if len(re.findall(MARK, text)) > MOST_MENTIONS:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    text = text.replace("e.g.", "such as")
    found = mentions(text, cues)
    said = said_marks(found, Stance.SAID)
    leads = any(one.leads and one.stance is Stance.SAID for one in found)
    if declines(text) and not any(one.is_final for one in found) and (refuses(text) or not said):
        return Unreadable(reason=Outcome.REFUSED)
    if not said:
        return Unreadable(reason=_reason(found, text, written))
    if is_unsure(text):
        return Unreadable(reason=Outcome.HEDGED)
    if written.was_cut_off and not leads and not _is_followed(found, text):
        return Unreadable(reason=Outcome.TRUNCATED)
    return _one_of(found, said)


def _one_of(found: Sequence[Mention], said: set[int]) -> int | Unreadable:
    final = {one.choice for one in found if one.is_final}
    if len(said) > 1:
        last = found[-1]
        is_last_word = len(final) == 1 and last.is_final
        return last.choice if is_last_word else Unreadable(reason=Outcome.AMBIGUOUS)
    choice = next(iter(said))
    where = [one.start for one in found if one.choice == choice and one.stance is Stance.SAID]
    others = [one for one in found if one.choice != choice]
    if any(one.stance is Stance.JOINED for one in found):
        is_late = all(one.start < where[-1] for one in found if one.stance is Stance.JOINED)
        is_picked = choice in final or any(one.is_chosen for one in found if one.choice == choice)
        if not (is_late and is_picked):
            return Unreadable(reason=Outcome.AMBIGUOUS)
    if any(one.leads and one.stance is Stance.NAMED for one in others) and choice not in final:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    if any(one.start > where[-1] and _disturbs(one) for one in others):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    own = [one for one in found if one.choice == choice and one.start > where[0]]
    if any(one.stance in {Stance.DENIED, Stance.DOUBTED} for one in own):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    return choice


def _disturbs(other: Mention) -> bool:
    return other.stance not in {Stance.DENIED, Stance.QUOTED}


def _is_followed(found: Sequence[Mention], text: str) -> bool:
    """Say whether words follow what was said last, so that it was said to its end."""
    last = max(one.start for one in found if one.stance is Stance.SAID)
    return bool(text[last + 1 :].strip())


def _reason(found: Sequence[Mention], text: str, written: WrittenAnswer) -> Outcome:
    stances = {one.stance for one in found}
    named = said_marks(found, Stance.NAMED, Stance.DOUBTED, Stance.JOINED)
    silence = reason_for_silence(written)
    if silence is Outcome.TRUNCATED:
        return silence
    if Stance.JOINED in stances or len(named) > 1:
        return Outcome.AMBIGUOUS
    if Stance.DOUBTED in stances or is_unsure(text):
        return Outcome.HEDGED
    if stances == {Stance.QUOTED}:
        return Outcome.QUOTED
    return silence
