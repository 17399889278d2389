"""One value in words or as JSON: a label, an option or a score."""

import re
from dataclasses import replace

from annotation.rubric import answers
from annotation.rubric.answers import Problem, fold
from annotation.rubric.schema import Scale
from judging.parsing.names import read_name
from judging.parsing.numbers import read_number
from judging.parsing.written import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import Found, Question, Unreadable

_FENCE = re.compile(r"^\s*```\w*\s*\n?|\n?\s*```\s*$")


def known_as(question: Question) -> frozenset[str]:
    """Return the folded names by which a question's criterion goes."""
    name = question.criterion.name
    return frozenset({fold(question.criterion.key), fold(name.en), fold(name.zh_hans)})


def read_value(question: Question, written: WrittenAnswer) -> Found:
    """Read a value given in words."""
    written = replace(written, text=_FENCE.sub("", written.text))
    if not isinstance(question.criterion, Scale):
        return read_name(question, written)
    number = read_number(question.criterion, written, introduced_by=known_as(question))
    if isinstance(number, Unreadable):
        return number
    return _checked(question, number)


def read_json_value(question: Question, value: object) -> Found:
    """Read a verdict in JSON: a word or a number and nothing else."""
    if value is None or value == "":
        return Unreadable(reason=Outcome.NO_ANSWER)
    if isinstance(value, str):
        return read_value(question, WrittenAnswer(text=value))
    if isinstance(value, bool) or not isinstance(value, int | float) or question.node:
        return Unreadable(reason=Outcome.SCHEMA_INVALID)
    return _checked(question, value)


def _checked(question: Question, number: str | int | float) -> Found:
    """Ask the rubric whether a number is on the scale, or the code of a label."""
    answer = answers.read(question.criterion, number)
    given = None if isinstance(answer, Problem) else answer.label or answer.score
    return Unreadable(reason=Outcome.OUT_OF_RANGE) if given is None else given
