"""Worked examples: which of them answer what is asked now, and how they are answered."""

from collections.abc import Iterator, Sequence

from annotation.rubric.answers import Answer, read
from annotation.rubric.schema import Taxonomy
from annotation.rubric.taxonomy import path_to
from judging.prompts.answering import answered
from judging.prompts.template import Template, WorkedExample
from judging.rules.questions import Question


def worked_examples(
    questions: Sequence[Question], template: Template
) -> Iterator[tuple[WorkedExample, str]]:
    """Each example with its answer to what is asked now, where it has one."""
    for example in template.examples:
        values = [(question, _value_in(example, question)) for question in questions]
        given = {one: value for one, value in values if value is not None or one.among}
        if len(given) == len(questions):
            yield example, answered(given, example, template)


def _value_in(example: WorkedExample, question: Question) -> str | int | None:
    """The label, option or number of an example; None where its way ended before this node."""
    read_answer = read(question.criterion, example.answers[question.criterion.key])
    answer = read_answer if isinstance(read_answer, Answer) else None
    if answer is None or not isinstance(question.criterion, Taxonomy):
        return answer.score if answer else None
    if question.node is None:
        return answer.label
    path = answer.path or path_to(question.criterion, str(answer.label))
    return dict(path).get(question.node.key)
