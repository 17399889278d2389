"""What looks wrong in the text of an item, though it can be read: to be looked at before it is rated.

Nothing is refused for it. A supporter may well break off, and a seeker may quote a template.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain, islice

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.speakers import SPEAKER_NAMES

LONG = 200  # characters from which on a reply that ends in the middle of a line looks cut off
_LONGEST_SIGN = 2  # characters of P, T1, 问
SHOWN = 40  # characters on either side of what was found


class TextDoubt(StrEnum):
    """What looks wrong."""

    SAME_TEXT = "same_text"
    OTHER_KEY = "other_key"
    MOJIBAKE = "mojibake"
    REFUSAL = "refusal"
    CUT_OFF = "cut_off"
    NO_SPEAKERS = "no_speakers"
    RESIDUE = "residue"
    REPLY_TWICE = "reply_twice"


WORDS: Mapping[TextDoubt, Sentence] = {
    TextDoubt.SAME_TEXT: sentence("Dialogue and reply are the same as those of an earlier row"),
    TextDoubt.OTHER_KEY: sentence(
        "The study has an item with the same dialogue and reply under another key"
    ),
    TextDoubt.MOJIBAKE: sentence("Characters were read in the wrong encoding"),
    TextDoubt.REFUSAL: sentence("The reply is a refusal of an AI"),
    TextDoubt.CUT_OFF: sentence("The reply ends in the middle of a sentence"),
    TextDoubt.NO_SPEAKERS: sentence("Speakers stand in the text, or all turns have the same one"),
    TextDoubt.RESIDUE: sentence("Something is left of a template or of markup"),
    TextDoubt.REPLY_TWICE: sentence(
        "The dialogue ends with the reply, which so stands there twice"
    ),
}

# UTF-8 that was read as Latin-1 or GBK, and characters that stand for what could not be read.
_MOJIBAKE = re.compile(
    r"\ufffd|ï¿½|锟斤拷|烫烫烫|Ã[\u0080-\u00bf]|â€|Â[\u00a0-\u00bf]|[åæçèé][\u0080-\u00bf]{2}"
)
_REFUSAL = re.compile(
    r"\bas an? (ai|artificial intelligence|(large )?language model)\b"
    r"|\bi('m| am)? (sorry|apologi[sz]e),? but i (can'?t|can ?not|am (un|not )able to) "
    r"(assist|help|fulfil|provide|comply|continue|engage)"
    r"|作为(一个|一名)?(人工智能|AI|语言模型)|(抱歉|对不起)[，,]?我(无法|不能)(协助|提供|回答|满足|继续)",
    re.IGNORECASE,
)
_RESIDUE = re.compile(
    r"\{\{[^{}\n]*\}\}|\{[A-Za-z_]+\}|<\|[a-z_]+\|>|\[/?INST\]|</?s>|</?think(?:ing)?>|</?(br|p|div|span)\b[^<>]*>|&(nbsp|amp|lt|gt|quot);"
    r"|[a-z]_comma_|(?<!#)#{2,} ?(Response|Instruction|Input)\b|\[(your|client'?s?|seeker'?s?) name\]|\[(姓名|名字|你的名字)\]",
    re.IGNORECASE,
)
_NAMES = "|".join(map(re.escape, SPEAKER_NAMES))
_CAPITAL = "|".join(
    form for name in SPEAKER_NAMES if name.isascii() for form in (name.capitalize(), name.upper())
)
_CHINESE = "|".join(name for name in SPEAKER_NAMES if not name.isascii())
# Where a line begins so, or behind a number, a time, a mark or a blank if the name is set as one;
# behind a quotation mark somebody is quoted.
_SPEAKER = re.compile(
    rf"(?m)^[^\S\n]*(\[({_NAMES})\]|({_NAMES})\s*[:：])"
    r"|(?-i:(?:(?<=\\n)|(?<![A-Za-z\"“”'‘「]))"
    rf"(?:(?:{_CAPITAL}|Dr\. [A-Z]\w*)( ?\([^)\n]{{1,20}}\))?|{_CHINESE})\s*[:：])",
    re.IGNORECASE,
)
# Two lines that begin with who speaks, parted by another mark; and what programs write between turns.
_PARTED = rf"(?:v )?(?:{_NAMES})"
_NOT_CUT = re.compile(
    rf"(?ms)^\W{{0,3}}{_PARTED}\s?\d{{0,3}}\s?[-–—>:：|\t\]】].*?\n\W{{0,3}}{_PARTED}\s?\d{{0,3}}\s?[-–—>:：|\t\]】]"
    r"|__eou__|\[(?:SEP|EOS)\]|<(?:EOS|SEP|utt)>|\|\|\||\{[\"'](?:role|from|speaker)[\"']:|\Aarray\(\["
    r"|\d --> \d",
    re.IGNORECASE,
)
# A line of a chat: somebody of any name, with a time or without.
_NAME = r"[^\W\d_][\w.'’-]{0,20}(?: [\w.'’-]{1,20}){0,2}"
_DAY = r"\d{1,4}[-/.年]\d{1,2}(?:[-/.月]\d{1,4})?日?"
_TIME = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,6})?Z?(?: ?[ap]\.?m\.?)?"
_STAMP = rf"[\[(（【]?(?:{_DAY}(?:[T,， ]{{1,2}}{_TIME})?|{_TIME})[\])）】]?"
_LOGGED = re.compile(
    rf"(?m)^[^\S\n]{{0,3}}(?:{_STAMP}[ \t–—-]{{1,4}}{_NAME}[^\S\n]?[:：]"
    rf"|{_NAME}[ \t,]{{1,3}}{_STAMP}[^\S\n]?(?:[:：]|$))",
    re.IGNORECASE,
)
_HEADED = re.compile(
    rf"(?m)^[^\S\n]{{0,3}}(?:[@*]{{0,2}}(?P<name>{_NAME})\*{{0,2}}[^\S\n]?[:：](?!//)"
    rf"|[<\[【](?P<set>{_NAME})[>\]】])"
)
_OPEN_END = re.compile(r"[,;:、，；：(（\-–—]\s*$")


def doubts_about(
    turns: Sequence[Mapping[str, str]], reply: str | None
) -> Iterator[tuple[TextDoubt, str]]:
    """(what looks wrong, where it says so) in a dialogue and the reply in question, once each."""
    texts = [turn["text"] for turn in turns]
    every = [*texts, reply or ""]
    for doubt, pattern, where in (
        (TextDoubt.MOJIBAKE, _MOJIBAKE, every),
        (TextDoubt.REFUSAL, _REFUSAL, [reply or ""]),
        (TextDoubt.RESIDUE, _RESIDUE, every),
        (TextDoubt.NO_SPEAKERS, _SPEAKER, every),
    ):
        patterns = [pattern, _NOT_CUT] if doubt is TextDoubt.NO_SPEAKERS else [pattern]
        shown = (_shown_in(one, text) for one in patterns for text in where)
        found = next(chain.from_iterable(shown), None)
        if found:
            yield doubt, found
        elif doubt is TextDoubt.NO_SPEAKERS and _speak_alone(turns):
            if len(turns) > 2:
                yield doubt, texts[-1][:SHOWN]
            elif head := next(filter(None, map(_head_in_a_chat, texts)), None):
                yield doubt, _around(head)
    if reply and texts and texts[-1].strip() == reply.strip():
        yield TextDoubt.REPLY_TWICE, reply[:SHOWN]
    if reply and _is_cut_off(reply):
        yield TextDoubt.CUT_OFF, reply[-SHOWN:]


def _shown_in(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    return map(_around, pattern.finditer(text))


def _around(found: re.Match[str]) -> str:
    start, end = found.span()
    return found.string[max(0, start - SHOWN) : end + SHOWN]


def _head_in_a_chat(text: str) -> re.Match[str] | None:
    """Where somebody begins to speak in a text with several lines of a log, or with lines of two who
    take turns, of which one is enough under signs such as Q and A; None where it is no chat."""
    if second := next(islice(_LOGGED.finditer(text), 1, None), None):
        return second
    before, last = set[str](), ""
    for head in _HEADED.finditer(text):
        name = (head["name"] or head["set"]).casefold()
        are_signs = last and max(len(name), len(last)) <= _LONGEST_SIGN
        if name != last and (name in before or are_signs):
            return head
        before.add(name)
        last = name
    return None


def _speak_alone(turns: Sequence[Mapping[str, str]]) -> bool:
    return len({turn["speaker"] for turn in turns}) == 1


def _is_cut_off(reply: str) -> bool:
    tidy = reply.rstrip()
    return bool(_OPEN_END.search(tidy)) or (len(tidy) >= LONG and tidy[-1:].isalnum())
