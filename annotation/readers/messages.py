"""Dialogues as programs for chats keep them: a list of messages, each with a role."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from annotation.readers.problems import FileReason, Flaw
from annotation.readers.texts import SPEAKER_NAMES, Turn, checked, checked_turns
from annotation.rubric.sentences import sentence

LISTS = ("messages", "conversations", "dialogue", "context")
_SHAPES = (
    *(("role", "content"), ("from", "value"), ("speaker", "text")),
    *product(("role", "from", "speaker"), ("content", "text", "utterance", "value")),
)
_OTHERWISE = ("turns", "dialogue", "context")
_INSTRUCTIONS = {"system", "developer"}
_LIST = re.compile(r"\s*\[\s*[\[({]\s*[\"']")


def with_turns(fields: Mapping[str, object]) -> tuple[dict[str, object], set[str]]:
    """(the fields, what was left out): messages as `turns`, and the last one as the `reply` where
    it is the supporter's and no other is given.

    What a program was instructed is no part of a dialogue, so it is left out.
    """
    fields = {name: _list_in(name, raw) for name, raw in fields.items()}
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
    messages = list(_messages(name, raw))
    turns = [turn for role, turn in messages if role not in _INSTRUCTIONS]
    checked(name, "\n".join(turn["text"] for turn in turns))
    checked_turns(name, tuple(turns))
    read = {field: value for field, value in fields.items() if field != name}
    if read.get("reply") is None and len(turns) > 1 and turns[-1]["speaker"] == "supporter":
        read["reply"] = turns.pop()["text"]
    instructions = {role for role, _ in messages if role in _INSTRUCTIONS}
    return read | ({"turns": turns} if turns else {}), {f"{name}: {role}" for role in instructions}


def role_and_text(message: object) -> tuple[str, str] | None:
    """What a message, a turn or a pair of the two says of its speaker, and its text."""
    if isinstance(message, Mapping):
        shape = next((shape for shape in _SHAPES if message.keys() >= {*shape}), None)
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


def _is_text(part: object) -> bool:
    """Whether it is a part of a message, as the messages of some programs have several."""
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


def _list_in(name: str, raw: object) -> object:
    """A list that stands in a cell as text, as JSON or as Python prints it."""
    if name not in (*LISTS, "turns") or not isinstance(raw, str) or not _LIST.match(raw):
        return raw
    for read in (json.loads, ast.literal_eval):
        try:
            return read(checked(name, raw).strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise Flaw(
        name,
        FileReason.BROKEN_JSON,
        sentence("The text begins as a list of messages does and is no JSON. Write it as JSON."),
    )


def _messages(name: str, raw: Iterable[object]) -> Iterator[tuple[str, Turn]]:
    """(role, turn) of each."""
    for message in raw:
        found = role_and_text(message)
        if found is None:
            raise Flaw(
                name,
                FileReason.WRONG_SHAPE,
                sentence(
                    "Messages are a list of {shape}.", shape='{"role": "user", "content": "…"}'
                ),
            )
        role, text = found
        if role not in SPEAKER_NAMES and role not in _INSTRUCTIONS:
            raise Flaw(
                name,
                FileReason.UNKNOWN_SPEAKER,
                sentence(
                    "“{role}” is not a role of a dialogue: user and assistant are. Leave such "
                    "messages out.",
                    role=checked(name, role)[:30],
                ),
            )
        yield role, {"speaker": SPEAKER_NAMES.get(role, role), "text": text}
