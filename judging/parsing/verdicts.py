"""The one choice that a marked text comes to, or why it comes to none.

Said once or more, and nothing else said: that. Two said: the one that the text calls its last
word, or neither. A choice at the beginning stands only as long as no other is named behind it
but to be dismissed. A text that says of itself that it is not sure has not said anything.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from judging.parsing.quotations import reports, without_quotes_told
from judging.parsing.stances import (
    MARK,
    MOST_MENTIONS,
    Cues,
    Mention,
    Stance,
    breaks_off_anew,
    is_unsure,
    mentions,
    said_marks,
)
from judging.parsing.written import WrittenAnswer, declines, reason_for_silence, refuses
from judging.rules.outcomes import Outcome
from judging.rules.questions import Unreadable

_FROM_TO = re.compile(
    rf"(?P<lead>\b(?:revis|chang|correct|adjust|rais|lower|mov|updat)\w*\b[^.\n]{{0,40}}?)\bfrom (?:an? )?{MARK} to (?:an? )?(?P<last>{MARK})"
    rf"|[从由]\s*{MARK}\s*分?\s*(?P<turn>(?:改|调|修正|更正|提高|降)[为成到至]*)\s*(?P<last_of_turn>{MARK})",
    re.IGNORECASE,
)
_INSERTED = re.compile(  # what may stand between commas in an own verdict: "the score, then, is"
    r",\s*(?:then|therefore|thus|(?:in|to) my (?:opinion|view|reading|mind|judge?ment|assessment)|i (?:think|believe)|without (?:a |any )?doubt"
    r"|overall|on balance|all in all|all things considered|accordingly|clearly|in (?:sum|short)|as i see it|in (?:effect|essence|fact)|(?:given|considering|based on) (?:the|these|all) [\w ]{1,30})\s*,(?=\s)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(  # "It lies between 3 and 4, so", of which what follows names one
    rf"(?:(?:it|this|that|the (?:reply|response))(?:'s| is| lies| falls| sits)? |i(?:'d| would)? (?:place|put|rate|score) (?:it|this|the (?:reply|response)) (?:at )?|i (?:was|am|hesitated|wavered)(?: torn)? )?(?:somewhere )?between (?:an? )?(?P<one>{MARK}) and (?:an? )?(?P<other>{MARK})"
    r"\s*[,;.]\s*(?:(?:so|but|and|since i (?:must|have to) choose|if (?:forced|i must choose))\b[\s,]*)*",
    re.IGNORECASE,
)
_TORN = re.compile(
    r"\b(?:i(?:'m| am| was) torn|on the fence|(?:hard|difficult|tough) to (?:choose|decide))\b",
    re.IGNORECASE,
)
_TURNS = re.compile(  # "a 4. However, the second", "a 3 for warmth, and", "a 4 on warmth. For depth, it"
    r"[^.!?。！？\n]{0,60}[.,;，。；!]*\s*(?:(?:but|however|yet|although|though|that said|still|as for|step \d|second(?:ly)?|next)\b|但|不过|然而|可是|其次)[^.!?。！？\n]*(?:\.[^.!?。！？\n]*)?\Z"
    r"|[^.!?。！？\n]{0,60}\b(?:and|while|whereas|or|to)\W*\Z"
    r"|[^.!?。！？\n]{0,60}\.\s*(?:for|on|in terms of|regarding) (?:the )?\w+,[^.!?。！？\n]*\Z",
    re.IGNORECASE,
)
_ARROW = "(?:→|⟶|⇒|=>|->)"
_ARROWED = re.compile(rf"{_ARROW}[ \t]*\x02?{MARK}")
_LED_TO = re.compile(  # "None of them applies → A", "While polite, it ignores the fear: A", "虽然礼貌，但没有回应：A"
    r"(?im)^(?P<rest>\W*(?:(?:while|although|though|because|since) [^,:\n\ue000-\uf8ff]{1,60}, )?(?:(?P<whole>none\b|no\b|nothing\b|all\b|q\d|以上|均|都|无)"
    r"|(?:the |this )?(?:supporter|counsell?or|reply|response)(?: [a-z]+)?\b|it\b|there (?:is|was|are) [^:\n]{0,80}?\b(?:but|yet)\b|(?:the|its|her|his|their) (?:[a-z]+ ){1,3}?(?:is|are|was|were)\b|[a-z]+ (?:but|yet) [a-z]+|(?:虽然?|尽管)[^,，:\n]{1,30}[,，]|支持者|(?:该|这条)?回复)"
    rf"[^\n\ue000-\uf8ff]*?)[ \t]*(?:(?P<colon>[:：])|{_ARROW})[ \t]*(?=\x02?{MARK}\x03?分?\W*\Z)"
)
_SUPPOSED = re.compile(
    r"\b(?:would|could|might|may|should|must|if|rules?|codebook|guide\w*|examples?|previous|earlier)\b|如果|若|可能",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(  # "It is: A", "The reply does not contain: A", "The seeker's mood is low: 4"
    r"^\W*the (?:other|seeker|client|user|person|levels?|points?|anchors?|\w+imum|\w+est|scale|options?|labels?|criteria|steps?|questions?)\b|\b(?:other|another) (?:reply|response)\b|\b(?:list|count|number|enumerat|contain|includ)\w*\b|另一|\d\Z"
    r"|^\W*(?![a-z]+ (?:but|yet) )(?:\S+ ){0,2}[a-z]+\Z|^\W*[\u4e00-\u9fff]{1,5}\Z|\b(?:of|as|is|are|was|were|be|for|in|to|with|than|from|not|no|this|these|following|kinds?|labels?|levels?|options?|\w*(?:show|contain|constitut|count|list|categor|lack|avoid|call)\w*)\W*\Z|(?:[是为属于不有有没算如括成]|标签|类别|选项|问题|情况|现象|迹象)\Z",
    re.IGNORECASE,
)
_NO_WAIT = re.compile(
    rf"{MARK}\s*分?\s*(?:\.{{2,}}|[–—,;-]+)\s*(?:no|wait|actually|sorry|oops|不对?|等等|哦不)\s*[,:]?\s*(?:wait|actually)?\s*[,:]?\s*(?:an? )?(?={MARK})",
    re.IGNORECASE,
)


def verdict_of(text: str, cues: Cues, written: WrittenAnswer, n_choices: int) -> int | Unreadable:
    """Return the number of the choice that a text gives; from `n_choices` on, what is none."""
    if len(re.findall(MARK, text)) > MOST_MENTIONS:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    text = _without_what_was_changed(text.replace("e.g.", "such as").replace("!=", "≠"))
    text = _LED_TO.sub(_unless_told, text)
    found = mentions(text, cues)
    said = said_marks(found, Stance.SAID)
    leads = any(one.leads and one.stance is Stance.SAID for one in found)
    if declines(text) and not any(one.is_final for one in found) and (refuses(text) or not said):
        return Unreadable(reason=Outcome.REFUSED)
    if not said:
        return Unreadable(reason=_reason(found, text, written))
    if is_unsure(text) and not _decides(found, text):
        return Unreadable(reason=Outcome.HEDGED)
    if written.was_cut_off and (
        breaks_off_anew(text) or not (leads or _is_said_to_its_end(found, text))
    ):
        return Unreadable(reason=Outcome.TRUNCATED)
    if _is_obeyed(found, text):
        return Unreadable(reason=Outcome.QUOTED)
    return _one_of(
        [one for one in found if one.choice < n_choices or one.stance is not Stance.NAMED], said
    )


def _unless_told(line: re.Match[str]) -> str:
    """What leads to a choice, as a sentence of its own; as it is, where somebody else says it."""
    rest = line["rest"]
    is_told = reports(without_quotes_told(rest)) or _SUPPOSED.search(rest)
    is_one_of_several = len(_ARROWED.findall(line.string)) > 1
    leads_on = line["colon"] and (line["whole"] or _LEADS_ON.search(rest))
    return line[0] if is_told or leads_on or is_one_of_several else f"{rest}.\n"


def _decides(found: Sequence[Mention], text: str) -> bool:
    """Say whether a dilemma is followed by a choice, and nothing else: "I'm torn. … I'll go with A"."""
    torn = _TORN.search(text)
    last = max((one for one in found if one.stance is Stance.SAID), key=lambda one: one.start)
    is_behind = torn is not None and torn.end() < last.start and last.is_chosen
    return is_behind and not is_unsure(text[torn.end() :] if torn else text)


def _is_obeyed(found: Sequence[Mention], text: str) -> bool:
    """Say whether a sentence gives what it tells that somebody asks for: "They want A, so: A"."""
    return any(
        asked.choice == given.choice
        and (asked.stance, given.stance) == (Stance.QUOTED, Stance.SAID)
        and re.search(r"[.。!?！？\n]", text[asked.start : given.start]) is None
        for asked, given in pairwise(found)
    )


def _without_what_was_changed(text: str) -> str:
    """Leave out what is taken back at once: "from 3 to 4", "3… no, 4"; and what is only inserted."""
    text = _FROM_TO.sub(
        lambda one: (
            f"{one['lead'] or ''}{one['turn'] or 'to '}{one['last'] or one['last_of_turn']}"
        ),
        text,
    )
    text = _INSERTED.sub("", _NO_WAIT.sub("", text))
    between = _BETWEEN.match(text)
    rest = set(re.findall(MARK, text[between.end() :])) if between else set()
    is_chosen = between and len(rest) == 1 and rest <= {between["one"], between["other"]}
    return text[between.end() :] if between and is_chosen else text


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
    if any(one.start > where[-1] and _disturbs(one) for one in others):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    own = [one for one in found if one.choice == choice and one.start > where[0]]
    if any(one.stance in {Stance.DENIED, Stance.DOUBTED} for one in own):
        return Unreadable(reason=Outcome.AMBIGUOUS)
    return choice


def _disturbs(other: Mention) -> bool:
    return other.stance not in {Stance.DENIED, Stance.QUOTED, Stance.IMAGINED}


def _is_said_to_its_end(found: Sequence[Mention], text: str) -> bool:
    """Say whether words follow what was said last, with which neither it nor something else is gone
    into any further; where it heads a sentence that breaks off, it may have been denied there."""
    behind = text[max(one.start for one in found if one.stance is Stance.SAID) + 1 :]
    is_head = re.match(r"\s*\x03?\s*:[^.!?。！？\n]*\Z", behind)
    return bool(behind.strip()) and not (is_head or _TURNS.match(behind))


def _reason(found: Sequence[Mention], text: str, written: WrittenAnswer) -> Outcome:
    stances = {one.stance for one in found}
    named = said_marks(found, Stance.NAMED, Stance.DOUBTED, Stance.JOINED)
    silence = reason_for_silence(written)
    if silence is Outcome.TRUNCATED:
        return silence
    if Stance.JOINED in stances or len(named) > 1:
        return Outcome.AMBIGUOUS
    if stances & {Stance.DOUBTED, Stance.IMAGINED} or is_unsure(text):
        return Outcome.HEDGED
    if stances == {Stance.QUOTED}:
        return Outcome.QUOTED
    return silence
