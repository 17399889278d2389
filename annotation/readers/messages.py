"""Dialogues as programs for chats keep them: a list of messages, each with a role."""

import ast
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from token import DEDENT, ENDMARKER, INDENT, NEWLINE, NL, STRING
from tokenize import TokenError, generate_tokens

from annotation.readers.names import TURN_NUMBERS
from annotation.readers.problems import FileReason, Flaw
from annotation.readers.texts import (
    Turn,
    begins_with_speaker,
    checked,
    checked_turns,
)
from annotation.rubric.sentences import sentence
from annotation.rules.speakers import ROLES, SPEAKER_NAMES

LISTS = ("messages", "conversations", "dialogue", "context")
_HOLD_LISTS = (*LISTS, "turns")
_SHAPES = (
    *(("role", "content"), ("from", "value"), ("speaker", "text")),
    *product(("role", "from", "speaker"), ("content", "text", "utterance", "value")),
)
_HISTORY = "history"
_IN_TURN = ("user", "assistant")
_OTHERWISE = ("turns", "dialogue", "context")
_LAYOUT = {NL, NEWLINE, INDENT, DEDENT, ENDMARKER}
_OPENING, _CLOSING = {"[", "{", "("}, {"]", "}", ")"}
_INSTRUCTIONS = {"system", "developer"}
_LIST = re.compile(r"\s*\[\s*[\[({]\s*[\"']")
_MESSAGE = re.compile(r"\s*\[?\s*\{\s*[\"'](?:role|from|speaker|content)[\"']\s*:")
_LINES = re.compile(r"\s*\[\s*[\"'].*[\"']\s*\]\s*", re.DOTALL)


def with_turns(fields: Mapping[str, object]) -> tuple[dict[str, object], set[str]]:
    """(the fields, what was left out): messages as `turns`, and the last one as the `reply` where
    it is the supporter's and no other is given.

    What a program was instructed is no part of a dialogue, so it is left out.
    """
    fields = _with_history(
        {
            name: _list_in(name, raw) if name in _HOLD_LISTS and isinstance(raw, str) else raw
            for name, raw in fields.items()
        }
    )
    given = ((name, raw) for name in LISTS if isinstance(raw := fields.get(name), list))
    name, raw = next(given, ("", []))
    if not raw:
        return fields, set()
    others = (one for one in _OTHERWISE if one != name and fields.get(one) is not None)
    if twice := next(others, None):
        raise Flaw(
            name,
            FileReason.WRONG_SHAPE,
            sentence("The dialogue stands in “{field}” as well. Leave one out.", field=twice),
        )
    if all(isinstance(one, str) for one in raw):
        left = {field: value for field, value in fields.items() if field != name}
        return left | {"dialogue": _spoken(name, raw)}, set()
    messages = list(_messages(name, raw))
    turns = [turn for role, turn in messages if role not in _INSTRUCTIONS]
    checked(name, "\n".join(turn["text"] for turn in turns))
    checked_turns(name, tuple(turns))
    read = {field: value for field, value in fields.items() if field != name}
    if read.get("reply") is None and len(turns) > 1 and turns[-1]["speaker"] == "supporter":
        read["reply"] = turns.pop()["text"]
    instructions = {role for role, _ in messages if role in _INSTRUCTIONS}
    return read | ({"turns": turns} if turns else {}), {f"{name}: {role}" for role in instructions}


def _with_history(fields: dict[str, object]) -> dict[str, object]:
    """What was said before the text of a dialogue stands in front of it: `history` is a list of pairs
    of what was asked and answered, as files to train models with have it."""
    before = fields.get(_HISTORY)
    name = next((one for one in ("dialogue", "context") if isinstance(fields.get(one), str)), None)
    if name is None or not isinstance(before, list) or not all(map(_is_exchange, before)):
        return fields
    said = [
        [role, text] for pair in before for role, text in zip(_IN_TURN, pair, strict=True) if text
    ]
    others = {one: raw for one, raw in fields.items() if one not in (_HISTORY, name)}
    return others | {"dialogue": [*said, [_IN_TURN[0], fields[name]]] if said else fields[name]}


def _is_exchange(pair: object) -> bool:
    """Whether it is two texts, of which the first is no role."""
    texts = [one for one in pair if isinstance(one, str)] if isinstance(pair, list) else []
    return len(texts) == 2 and texts == pair and texts[0].strip().casefold() not in SPEAKER_NAMES


def role_and_text(message: object) -> tuple[str, str] | None:
    """What a message, a turn or a pair of the two says of its speaker, and its text."""
    if isinstance(message, Mapping):
        shape = next((shape for shape in _SHAPES if message.keys() >= {*shape}), None)
        speakers = [one for one in message if str(one).strip().casefold() in SPEAKER_NAMES]
        if shape is None and len(speakers) == 1:  # {"User": "…"}
            role, text = speakers[0], message[speakers[0]]
        else:
            role, text = map(message.get, shape or _SHAPES[0])
    elif isinstance(message, list | tuple) and len(message) == 2:
        role, text = message
    else:
        return None
    if isinstance(text, list) and text and all(map(_is_text, text)):
        text = "\n".join(part["text"] for part in text)
    if isinstance(role, str) and isinstance(text, str):
        return role.strip().casefold(), text.strip()
    return None


def each_said(field: str, raw: Sequence[object]) -> list[tuple[str, str] | None]:
    """(role, text) of each message, and both of an object in which one asks and the other answers;
    Flaw where they stand in another order than that of their numbers."""
    numbers = [number for one in raw if (number := _number_of(one)) is not None]
    if numbers != sorted(numbers):
        raise out_of_order(field)
    return [said for one in raw for said in _both_in(one) or [role_and_text(one)]]


def out_of_order(field: str) -> Flaw:
    return Flaw(
        field,
        FileReason.WRONG_SHAPE,
        sentence("The turns are not in the order of their numbers. Sort the rows by them."),
    )


def number_in(raw: object) -> float | None:
    """The number of a turn, whatever holds it."""
    try:
        return float(str(raw))
    except ValueError:
        return None


def _number_of(message: object) -> float | None:
    if not isinstance(message, Mapping):
        return None
    given = (message[name] for name in ("turn", *TURN_NUMBERS) if name in message)
    return number_in(next(given, None))


def _both_in(message: object) -> list[tuple[str, str] | None]:
    """Of {"human": "…", "assistant": "…"} what either says."""
    if not isinstance(message, Mapping):
        return []
    speakers = [one for one in message if str(one).strip().casefold() in SPEAKER_NAMES]
    roles = [SPEAKER_NAMES[str(one).strip().casefold()] for one in speakers]
    are_both = roles == ["seeker", "supporter"]
    return [role_and_text({one: message[one]}) for one in speakers] if are_both else []


def _is_text(part: object) -> bool:
    """Whether it is a part of a message, as the messages of some programs have several."""
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


def only_text(field: str, raw: object) -> object:
    """The text of a list of one, as files with several replies a dialogue have it, or of one message
    of the supporter; Flaw of several texts."""
    found = raw
    if isinstance(raw, str) and _MESSAGE.match(raw):
        found = held_in(checked(field, raw))
    elif isinstance(raw, str) and _LINES.fullmatch(raw):
        found = _list_in(field, raw)
    given = [found] if isinstance(found, Mapping) else found
    if isinstance(given, list) and len(given) == 1 and (said := role_and_text(given[0])):
        role, text = said
        return text if SPEAKER_NAMES.get(role) == "supporter" else raw
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return raw
    if len(found) > 1:
        raise Flaw(
            field,
            FileReason.WRONG_SHAPE,
            sentence("It is a list of several texts. Write one, or an item for each."),
        )
    return found[0] if found else ""


def _list_in(name: str, raw: str) -> object:
    """A list that stands in a cell as text."""
    are_lines = _LINES.fullmatch(raw)
    if not are_lines and not _LIST.match(raw):
        return raw
    found = held_in(checked(name, raw))
    if found is not raw or are_lines:
        return found
    raise Flaw(
        name,
        FileReason.BROKEN_JSON,
        sentence("The text begins as a list of messages does and is no JSON. Write it as JSON."),
    )


def held_in(text: str) -> object:
    """The list or object that a cell holds as text, as JSON or as Python or NumPy print it; the text
    itself where it is none."""
    for read in (json.loads, _printed):
        try:
            return read(text.strip())
        except (ValueError, SyntaxError, TypeError, TokenError, RecursionError, MemoryError):
            continue
    return text


def _printed(text: str) -> object:
    """What Python or NumPy has printed: NumPy sets no commas, and text beside text is one to Python."""
    parts: list[str] = []
    follows = False
    for token in generate_tokens(io.StringIO(text).readline):
        if token.type in _LAYOUT:
            continue
        if follows and (token.type == STRING or token.string in _OPENING):
            parts.append(",")
        parts.append(token.string)
        follows = token.type == STRING or token.string in _CLOSING
    return ast.literal_eval(" ".join(parts))


def _spoken(name: str, lines: Sequence[str]) -> str:
    """The text of a list of lines; Flaw where several do not all say who speaks."""
    if len(lines) > 1 and not all(map(begins_with_speaker, lines)):
        raise Flaw(
            name,
            FileReason.UNKNOWN_SPEAKER,
            sentence(
                "It is a list of texts, and not each says who speaks. Begin each with “Client:” or "
                "“Therapist:”, or write one text where all are the seeker’s."
            ),
        )
    return "\n".join(lines)


def _messages(name: str, raw: Sequence[object]) -> Iterator[tuple[str, Turn]]:
    """(role, turn) of each."""
    for found in each_said(name, raw):
        if found is None:
            raise Flaw(
                name,
                FileReason.WRONG_SHAPE,
                sentence(
                    "Messages are a list of {shape}.", shape='{"role": "user", "content": "…"}'
                ),
            )
        role, text = found
        if role not in ROLES and role not in _INSTRUCTIONS:
            raise Flaw(
                name,
                FileReason.UNKNOWN_SPEAKER,
                sentence(
                    "“{role}” is not a role of a dialogue: user and assistant are. Leave such "
                    "messages out, or say who it is: {role} = speaker.seeker.",
                    role=checked(name, role)[:30],
                ),
            )
        yield role, {"speaker": ROLES.get(role, role), "text": text}
