"""Several values in words: one line for each criterion, "name: value"."""

import re
from collections.abc import Sequence

from annotation.rubric.answers import fold
from judging.parsing.values import known_as, read_value
from judging.parsing.written import WrittenAnswer, reason_for_silence
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_LINE_START = re.compile(r"^[\s>*#|`\"'•·{-]*(?:\d+[.)、]\s*)?[\s*`\"'|]*")
_SEPARATOR = re.compile(r"[\s*`\"'|]*(?:[:：=|]|->|→|\s[-–—])[\s*`\"'|]*")


def read_lines(questions: Sequence[Question], written: WrittenAnswer) -> dict[str, Found]:
    """Read every line that begins with the name of a criterion; others are let pass."""
    said: dict[str, list[Found]] = {question.key: [] for question in questions}
    lines = written.text.rstrip().splitlines()
    for number, line in enumerate(lines):
        is_last = number == len(lines) - 1
        for question in questions:
            value = _value_after(question, line)
            if value:
                finish = written.finish if is_last else "stop"
                said[question.key].append(
                    read_value(question, WrittenAnswer(text=value, finish=finish))
                )
    silence = Unreadable(reason=reason_for_silence(written))
    return {key: _one_of(values, silence) for key, values in said.items()}


def _value_after(question: Question, line: str) -> str | None:
    """Return what stands behind the name of a question at the beginning of a line."""
    start = _LINE_START.match(line)
    line = line[start.end() :] if start else line
    separator = _SEPARATOR.search(line)
    if separator is None or fold(line[: separator.start()]) not in known_as(question):
        return None
    return line[separator.end() :].rstrip(" |,")


def _one_of(values: Sequence[Found], silence: Unreadable) -> Found:
    if not values:
        return silence
    return values[0] if len(set(values)) == 1 else Unreadable(reason=Outcome.AMBIGUOUS)
