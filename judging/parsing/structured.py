"""An answer as JSON: bare, fenced or amid prose."""

import json
import re
from collections.abc import Mapping, Sequence

from annotation.rubric.answers import fold
from judging.parsing.values import known_as, read_json_value
from judging.parsing.written import WrittenAnswer, reason_for_silence
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_FENCED = re.compile(r"```(?:json)?\s*(?=\{)", re.IGNORECASE)


class _SaidTwice(ValueError):
    """Two values for one thing."""


def read_object(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, Found]:
    """Read {criterion: {"reasoning", "answer"}}, or the inner object alone for one question."""
    try:
        given = _object_in(written.text)
    except _SaidTwice:
        return _all(questions, Outcome.AMBIGUOUS)
    if given is None:
        reason = reason_for_silence(written)
        return _all(questions, Outcome.SCHEMA_INVALID if reason is Outcome.NO_ANSWER else reason)
    if len(questions) == 1 and "answer" in given:
        return {questions[0].key: read_json_value(questions[0], given["answer"])}
    return {question.key: _member(question, given) for question in questions}


def _all(questions: Sequence[Question], reason: Outcome) -> dict[str, Found]:
    return {question.key: Unreadable(reason=reason) for question in questions}


def _object_in(text: str) -> dict[str, object] | None:
    """Return the one object in a text; a second, different one is a contradiction."""
    decoder = json.JSONDecoder(object_pairs_hook=_without_contradiction)
    fence = _FENCED.search(text)
    start = fence.end() if fence else text.find("{")
    if start < 0:
        return None
    found, end = _decoded(decoder, text, start)
    if found is None:
        return None
    again, _end = _decoded(decoder, text, text.find("{", end))
    if again is not None and again != found:
        raise _SaidTwice
    return found


def _decoded(
    decoder: json.JSONDecoder, text: str, start: int
) -> tuple[dict[str, object] | None, int]:
    if start < 0:
        return None, start
    try:
        found, end = decoder.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        return None, start
    return (found if isinstance(found, dict) else None), end


def _without_contradiction(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in pairs:
        if made.setdefault(key, value) != value:
            raise _SaidTwice
    return made


def _member(question: Question, given: Mapping[str, object]) -> Found:
    values = [value for key, value in given.items() if fold(key) in known_as(question)]
    if len(values) > 1:
        return Unreadable(reason=Outcome.AMBIGUOUS)
    value = values[0] if values else None
    if isinstance(value, Mapping):
        value = value.get("answer")
    return read_json_value(question, value)
