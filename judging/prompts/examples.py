"""Worked examples: which of them answer what is asked now, and how they are answered."""

from collections.abc import Iterator, Sequence

from annotation.rubric.answers import Answer, read
from annotation.rubric.schema import Node, Taxonomy
from judging.prompts.answering import answered
from judging.prompts.template import Template, WorkedExample
from judging.rules.questions import Question


def worked_examples(
    questions: Sequence[Question], template: Template
) -> Iterator[tuple[WorkedExample, str]]:
    """Each example with its answer to what is asked now, where it has one."""
    for example in template.examples:
        values = [(question, _value_in(example, question)) for question in questions]
        given = {one: value for one, value in values if value is not None}
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
    return _option_towards(question.criterion, question.node, answer.label)


def _option_towards(taxonomy: Taxonomy, node: Node, label: str | None) -> str | None:
    """The option at a node that leads to a label."""
    for each in taxonomy.nodes:
        here = next((option.key for option in each.options if option.label == label), None)
        if each is node:
            on = next((option.key for option in each.options if option.label is None), None)
            return here or on
        if here:
            return None
    return None
