"""Dialogues as programs for chats keep them: a list of messages, each with a role."""

from collections.abc import Iterable, Iterator, Mapping

from annotation.readers.problems import FileReason, Flaw
from annotation.readers.texts import Turn, checked, checked_turns
from annotation.rubric.sentences import sentence

LISTS = ("messages", "conversations")
_SHAPES = (("role", "content"), ("from", "value"))
_OTHERWISE = ("turns", "dialogue", "context")
_SPEAKERS = {
    **dict.fromkeys(("seeker", "user", "human", "client", "patient"), "seeker"),
    **dict.fromkeys(("supporter", "assistant", "gpt", "model"), "supporter"),
    **dict.fromkeys(("counselor", "counsellor", "therapist"), "supporter"),
}
_INSTRUCTIONS = {"system", "developer"}


def with_turns(fields: Mapping[str, object]) -> tuple[dict[str, object], set[str]]:
    """(the fields, what was left out): messages as `turns`, and the last one as the `reply` where
    it is the supporter's and no other is given.

    What a program was instructed is no part of a dialogue, so it is left out.
    """
    given = ((name, raw) for name in LISTS if isinstance(raw := fields.get(name), list))
    name, raw = next(given, ("", []))
    if not raw:
        return dict(fields), set()
    if twice := next((one for one in _OTHERWISE if fields.get(one) is not None), None):
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


def _messages(name: str, raw: Iterable[object]) -> Iterator[tuple[str, Turn]]:
    """(role, turn) of each."""
    for message in raw:
        found = _role_and_text(message)
        if found is None:
            raise Flaw(
                name,
                FileReason.WRONG_SHAPE,
                sentence(
                    "Messages are a list of {shape}.", shape='{"role": "user", "content": "…"}'
                ),
            )
        role, text = found
        if role not in _SPEAKERS and role not in _INSTRUCTIONS:
            raise Flaw(
                name,
                FileReason.UNKNOWN_SPEAKER,
                sentence(
                    "“{role}” is not a role of a dialogue: user and assistant are. Leave such "
                    "messages out.",
                    role=role[:30],
                ),
            )
        yield role, {"speaker": _SPEAKERS.get(role, role), "text": text.strip()}


def _role_and_text(message: object) -> tuple[str, str] | None:
    if isinstance(message, Mapping):
        for of_role, of_text in _SHAPES:
            role, text = message.get(of_role), message.get(of_text)
            if isinstance(role, str) and isinstance(text, str):
                return role.strip().casefold(), text
    return None
