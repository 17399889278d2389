"""Reads what an LLM wrote: an answer for each question, or the reason why there is none.

A value must have been said. A label counts where it stands at the beginning or is the only one
named; a number where it stands at the beginning or is the only one. Whatever is in doubt is
unscored: never the default, never the likelier of two.
"""

from collections.abc import Sequence

from annotation.rubric import answers
from annotation.rubric.answers import Answer
from annotation.rubric.schema import Criterion, Rubric, Taxonomy
from judging.parsing.lines import read_lines
from judging.parsing.structured import read_object
from judging.parsing.values import read_value
from judging.parsing.written import WrittenAnswer, reason_not_to_read, without_thoughts
from judging.rules.outcomes import Outcome
from judging.rules.questions import Findings, Found, Question, Unreadable, options_chosen

__all__ = ["WrittenAnswer", "conclude", "read"]


def read(
    questions: Sequence[Question], written: WrittenAnswer, *, as_json: bool
) -> dict[str, Found]:
    """Read one answer; return {question key: what was found} for every question asked."""
    if reason := reason_not_to_read(written):
        return {question.key: Unreadable(reason=reason) for question in questions}
    written = without_thoughts(written)
    if as_json:
        return read_object(questions, written)
    if len(questions) == 1:
        return {questions[0].key: read_value(questions[0], written)}
    return read_lines(questions, written)


def conclude(rubric: Rubric, found: Findings) -> dict[str, Answer | Unreadable]:
    """Turn what was found for every question into one answer for each criterion."""
    return {criterion.key: _conclude(criterion, found) for criterion in rubric.criteria}


def _conclude(criterion: Criterion, found: Findings) -> Answer | Unreadable:
    raw: object = found.get(criterion.key)
    if raw is None and isinstance(criterion, Taxonomy):
        for node in criterion.nodes:
            step = found.get(f"{criterion.key}/{node.key}")
            if isinstance(step, Unreadable):
                return step
        raw = options_chosen(criterion, found)
    if isinstance(raw, Unreadable):
        return raw
    answer = answers.read(criterion, raw)
    return answer if isinstance(answer, Answer) else Unreadable(reason=Outcome.NO_ANSWER)
