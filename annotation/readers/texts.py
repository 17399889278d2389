"""Text as it may be stored: what it must not hold, and dialogues cut into turns."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from annotation.readers.problems import FileReason, Flaw
from annotation.rubric.sentences import sentence
from annotation.rules.speakers import SPEAKER_NAMES, SPEAKERS

MOST_BYTES_A_FIELD = 64 * 1024
# What programs write where a value is missing, or a formula of a sheet failed.
PLACEHOLDERS = {
    *("nan", "none", "null", "n/a", "na", "<na>", "undefined"),
    *("#n/a", "#ref!", "#value!", "#name?", "#div/0!", "#null!", "#num!"),
}

# A turn begins with its speaker in brackets: at the start of the text or of a line, or right
# behind a sentence. Elsewhere [laughs] or [NAME] are part of what somebody said.
_TAG = re.compile(r"\[(?P<speaker>(?i:seeker|supporter))\]")
# A text that begins with “Client:” is cut where a line or what follows a sentence begins so;
# behind a straight quotation mark that has no blank, somebody is quoted. It may be a heading, bold
# or in brackets, a time may stand before or behind the name, and a stroke may part turns.
_NAME = rf"(?:{'|'.join(map(re.escape, SPEAKER_NAMES))})"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?"
TIMED = rf"(?:[\[(（]?{_CLOCK}[\])）]?[^\S\n]*(?:[-–—][^\S\n]*)?)?"
_HEAD = re.compile(
    r"(?:^|(?<=[.!?。！？~～…”])|(?<=\"[^\S\n])|[^\S\n]\|)[^\S\n]*"
    rf"{TIMED}(?:\#+[^\S\n]*)?(?P<bold>\*+)?(?P<open>[\[【])?"
    rf"(?P<speaker>{_NAME})(?(open)[\]】])(?(bold)\**)[^\S\n]*(?:[\[(（]{_CLOCK}[\])）][^\S\n]*)?[:：](?(bold)\**)",
    re.IGNORECASE | re.MULTILINE,
)
# In brackets no colon need follow, where both speakers begin lines so.
_IN_BRACKETS = re.compile(
    rf"^[^\S\n]*[\[【](?P<speaker>{_NAME})[\]】]", re.IGNORECASE | re.MULTILINE
)
_STRANGER = re.compile(
    r"(?:\A\s*|\n[^\S\n]*|[.!?。！？~～…”\"])"
    rf"\[(?!seeker\]|supporter\]|{_NAME}\][^\S\n]*[:：])(?P<speaker>[a-z_]+)\]"
)

_STRANGE_HEAD = re.compile(
    rf"[^\S\n]*{TIMED}(?P<speaker>\w{{1,15}}\.?(?: \w{{1,15}})?)[^\S\n]*(?:[\[(（]{_CLOCK}[\])）][^\S\n]*)?[:：]"
)

# What stands for no value in a table, beside them; a label of that name is a value nevertheless.
_NO_VALUES = PLACEHOLDERS | {*("", "-", "--", "–", "—", "/", ".", "missing", "空", "缺失")}

_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

Turn = dict[str, str]


def is_no_value(raw: object) -> bool:
    """Whether a cell is blank, or holds what programs and people write in place of a value."""
    return raw is None or str(raw).strip().casefold() in _NO_VALUES


def checked(field: str, text: str, *, most: int | None = None) -> str:
    """Return a text that can be stored, of at most `most` characters; Flaw where it cannot."""
    if "\0" in text:
        raise Flaw(
            field,
            FileReason.NOT_TEXT,
            sentence("It holds a NUL character, which is not text. Remove it."),
        )
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise Flaw(
            field,
            FileReason.NOT_TEXT,
            sentence("It holds half a character (a lone surrogate). Save the text as UTF-8 again."),
        ) from None
    if size > MOST_BYTES_A_FIELD:
        raise Flaw(
            field,
            FileReason.TOO_LONG,
            sentence(
                "It is {size} bytes long; a field may have {most}. Shorten or split it.",
                size=size,
                most=MOST_BYTES_A_FIELD,
            ),
        )
    if most is not None and len(text) > most:
        raise Flaw(
            field,
            FileReason.TOO_LONG,
            sentence(
                "It is {size} characters long; this field may have {most}. Shorten it.",
                size=len(text),
                most=most,
            ),
        )
    return text


def cut_into_turns(field: str, text: str) -> tuple[Turn, ...]:
    """Cut “[seeker]… [supporter]…”, or lines headed “Client:” and “Therapist:”, into turns; a text
    without either is one turn of the seeker."""
    tags = list(_TAG.finditer(text)) or _heads_of(text)
    begun = {tag.start("speaker") for tag in tags}
    for stranger in _STRANGER.finditer(text):
        if stranger.start("speaker") not in begun:
            raise _unknown_speaker(field, stranger["speaker"])
    if len({*map(_speaker, tags)}) < len(SPEAKERS) and (who := _stranger_of_lines(text)):
        raise _unknown_speaker(field, who)
    if not tags:
        return ({"speaker": "seeker", "text": text.strip()},)
    if text[: tags[0].start()].strip():
        raise Flaw(
            field,
            FileReason.UNKNOWN_SPEAKER,
            sentence("There is text before the first speaker. Begin with [seeker] or [supporter]."),
        )
    ends = [tag.start() for tag in tags[1:]] + [len(text)]
    return checked_turns(
        field,
        tuple(
            {"speaker": _speaker(tag), "text": text[tag.end() : end].strip()}
            for tag, end in zip(tags, ends, strict=True)
        ),
    )


def checked_turns(field: str, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return turns whose speakers are known and that all say something."""
    for number, turn in enumerate(turns, start=1):
        if turn["speaker"] not in SPEAKERS:
            raise _unknown_speaker(field, turn["speaker"])
        if not turn["text"]:
            raise Flaw(
                field,
                FileReason.EMPTY_TURN,
                sentence("Turn {number} is empty. Write it or take it out.", number=number),
            )
    return turns


def cut_reply(field: str, text: str) -> tuple[str, str]:
    """Read a reply as (speaker, text); without a tag the supporter speaks."""
    text = text.strip()
    if stranger := _STRANGER.match(text):
        raise _unknown_speaker(field, stranger["speaker"])
    tag = _TAG.match(text) or _only(_heads_of(text))
    words = text[tag.end() :].strip() if tag else text
    if not words:
        raise Flaw(
            field,
            FileReason.EMPTY_REPLY,
            sentence("The reply is empty, so there is nothing to rate. Write it or drop the row."),
        )
    refuse_placeholder(field, words)
    return _speaker(tag) if tag else "supporter", words


def begins_with_speaker(text: str) -> bool:
    return bool(_TAG.match(text.lstrip()) or _HEAD.match(text.lstrip()))


def _heads_of(text: str) -> list[re.Match[str]]:
    """The heads that say who speaks, where the text begins with one: those of lines, if lines have
    both speakers; who stands within a line is then quoted."""
    heads = list(_HEAD.finditer(text)) if _HEAD.match(text.lstrip()) else []
    if not heads and _IN_BRACKETS.match(text.lstrip()):
        bracketed = list(_IN_BRACKETS.finditer(text))
        return bracketed if len({*map(_speaker, bracketed)}) == len(SPEAKERS) else []
    of_lines = [head for head in heads if text[: head.start()][-1:] in {"", "\n"}]
    return of_lines if len(set(map(_speaker, of_lines))) > 1 else heads


def _stranger_of_lines(text: str) -> str:
    """Who is not known here of two who speak in turn, as P: and T: or T1:, C1:, T2: do; or nobody."""
    lines = [line for line in text.splitlines() if line.strip()]
    heads = [head["speaker"].strip() for line in lines if (head := _STRANGE_HEAD.match(line))]
    strangers = [head for head in heads if head.casefold() not in SPEAKER_NAMES]
    answering = next((one for one in strangers if _answers_somebody_known(one, heads)), "")
    if answering or not len(lines) == len(heads) > 2:
        return answering
    plain = [head.rstrip("0123456789 ") for head in heads]
    are_in_turn = len({*plain}) == 2 and all(one != other for one, other in pairwise(plain))
    return next(iter(strangers), "") if len({*heads}) == 2 or are_in_turn else ""


def _answers_somebody_known(stranger: str, heads: Sequence[str]) -> bool:
    """Whether lines of one who is known here and of a stranger begin in turn, others between them."""
    of_both = [one for one in heads if one == stranger or one.casefold() in SPEAKER_NAMES]
    in_turn = all((one == stranger) != (other == stranger) for one, other in pairwise(of_both))
    return in_turn and len(of_both) > 2


def _only(heads: list[re.Match[str]]) -> re.Match[str] | None:
    return heads[0] if len(heads) == 1 else None


def _speaker(tag: re.Match[str]) -> str:
    return SPEAKER_NAMES[tag["speaker"].casefold()]


def refuse_placeholder(field: str, text: str) -> None:
    if text.casefold() in PLACEHOLDERS:
        raise Flaw(
            field,
            FileReason.PLACEHOLDER,
            sentence(
                "It is the word “{word}”, which a program wrote where a text was missing. Put the "
                "real text in or drop the row.",
                word=text,
            ),
        )


def content_sha256(
    turns: Sequence[Mapping[str, str]], *, reply: str | None, reply_speaker: str
) -> str:
    """The SHA-256 (hex) of all that a rater reads of an item."""
    return _sha256([[_pair(turn) for turn in turns], reply_speaker, reply])


def dialogue_sha256(turns: Sequence[Turn]) -> str:
    """The SHA-256 (hex) of a dialogue alone: equal for all its items."""
    return _sha256([_pair(turn) for turn in turns])


def _pair(turn: Mapping[str, str]) -> tuple[str, str]:
    return turn["speaker"], turn["text"]


def _sha256(content: object) -> str:
    return hashlib.sha256(_CANONICAL.encode(content).encode("utf-8")).hexdigest()


def _unknown_speaker(field: str, speaker: str) -> Flaw:
    return Flaw(
        field,
        FileReason.UNKNOWN_SPEAKER,
        sentence(
            "“{speaker}” is not a speaker. Write seeker or supporter in its place, or say who it is: "
            "{speaker} = speaker.seeker.",
            speaker=checked(field, speaker)[:30],
        ),
    )
