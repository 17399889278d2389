"""The form of an answer: how it is asked for, what it looks like, and the schema that it keeps."""

import json
from collections.abc import Iterator, Mapping, Sequence

from annotation.rubric.grounds import CONFIDENCES, QUESTIONS
from annotation.rubric.schema import Ground, Scale, Taxonomy, Text
from judging.prompts.template import ReasoningOrder, Template, WorkedExample
from judging.rules.questions import NOT_ASKED, Question

Schema = Mapping[str, object]

_ONE_LABEL = Text(
    en="Answer with exactly one label name and nothing else: {choices}.",
    zh_hans="只回答一个标签名称，不要写任何其他内容：{choices}。",
)
_ONE_OPTION = Text(
    en="Answer with exactly one of these and nothing else: {choices}.",
    zh_hans="只回答下列之一，不要写任何其他内容：{choices}。",
)
_ONE_NUMBER = Text(
    en="Answer with exactly one number and nothing else: {choices}.",
    zh_hans="只回答一个数字，不要写任何其他内容：{choices}。",
)
_LINES = Text(
    en="Answer with one line for each of these and nothing else, in this form:",
    zh_hans="请按以下格式回答，每项一行，不要写任何其他内容：",
)
_JSON = Text(
    en=(
        "Answer with one JSON object and nothing else. For each of {keys} give first a short "
        "“reasoning”, then the “answer” that follows from it, in this form:"
    ),
    zh_hans=(
        "只回答一个 JSON 对象，不要写任何其他内容。对 {keys} 中的每一项，先给出简短的“reasoning”，"
        "再给出由此得出的“answer”，格式如下："
    ),
)
_VERDICT_FIRST_JSON = Text(
    en=(
        "Answer with one JSON object and nothing else. For each of {keys} give first the “answer”, "
        "then a short “reasoning” for it, in this form:"
    ),
    zh_hans=(
        "只回答一个 JSON 对象，不要写任何其他内容。对 {keys} 中的每一项，先给出“answer”，"
        "再给出简短的“reasoning”，格式如下："
    ),
)
_VERDICT_ONLY_JSON = Text(
    en=(
        "Answer with one JSON object and nothing else. For each of {keys} give the “answer”, "
        "in this form:"
    ),
    zh_hans="只回答一个 JSON 对象，不要写任何其他内容。对 {keys} 中的每一项给出“answer”，格式如下：",
)
_REASONED_LINES = Text(
    en=(
        "First write down your reasoning in a few sentences. Then end your answer with one line for "
        "each of these and nothing after them, in this form:"
    ),
    zh_hans="先用几句话写出你的推理。最后按以下格式给出结果，每项一行，其后不要再写任何内容：",
)
_LINES_FIRST = Text(
    en=(
        "Begin your answer with one line for each of these, in this form, and then give your "
        "reasoning in a few sentences:"
    ),
    zh_hans="先按以下格式给出结果，每项一行，然后用几句话说明理由：",
)
_JSON_HEADS = {
    ReasoningOrder.REASONING_FIRST: _JSON,
    ReasoningOrder.VERDICT_FIRST: _VERDICT_FIRST_JSON,
    ReasoningOrder.VERDICT_ONLY: _VERDICT_ONLY_JSON,
}
_ASKED_BESIDE = {
    Ground.CONFIDENCE: Text(
        en="Beside the answer for {keys}, in “{member}”: {question} {levels}; null if you cannot say.",
        zh_hans="除 {keys} 的回答外，在“{member}”中给出：{question} {levels}；说不清则为 null。",
    ),
    Ground.DEFENSIBLE: Text(
        en="Beside the answer for {keys}, in “{member}”: {question} A list of other answers, or [].",
        zh_hans="除 {keys} 的回答外，在“{member}”中给出：{question} 其他答案的列表，没有则为 []。",
    ),
    Ground.EVIDENCE: Text(
        en=(
            "Beside the answer for {keys}, in “{member}”: {question} A list of words from the "
            "dialogue or the reply, exactly as they stand there, or []."
        ),
        zh_hans=(
            "除 {keys} 的回答外，在“{member}”中给出：{question} "
            "从对话或回复中逐字摘录的文字的列表，没有则为 []。"
        ),
    ),
    Ground.RATIONALE: Text(
        en="Beside the answer for {keys}, in “{member}”: {question} A sentence or two.",
        zh_hans="除 {keys} 的回答外，在“{member}”中给出：{question} 一两句话。",
    ),
}
_BESIDE_IN_FORM: Mapping[Ground, object] = {
    Ground.CONFIDENCE: " | ".join(map(str, CONFIDENCES)),
    Ground.DEFENSIBLE: ["…"],
    Ground.EVIDENCE: ["…"],
    Ground.RATIONALE: "…",
}
_LINE_HEADS = {
    ReasoningOrder.REASONING_FIRST: _REASONED_LINES,
    ReasoningOrder.VERDICT_FIRST: _LINES_FIRST,
    ReasoningOrder.VERDICT_ONLY: _LINES,
}


def closing(questions: Sequence[Question], template: Template) -> str:
    language = template.language
    if template.as_json:
        return _closing_for_json(questions, template)
    if len(questions) > 1 or template.reasons:
        lines = [f"{each.name}: {joined(choices_of(each, language))}" for each in questions]
        return "\n".join([_LINE_HEADS[template.order].in_(language), *lines])
    question = questions[0]
    shape = _ONE_LABEL if isinstance(question.criterion, Taxonomy) else _ONE_NUMBER
    if question.node is not None:
        shape = _ONE_OPTION
    return shape.in_(language).format(choices=joined(choices_of(question, language)))


def _closing_for_json(questions: Sequence[Question], template: Template) -> str:
    form = {
        question.name: _in_order("…", _choices_in_form(question), template.order)
        | {ground.value: _BESIDE_IN_FORM[ground] for ground in question.grounds}
        for question in questions
    }
    head = _JSON_HEADS[template.order].in_(template.language).format(keys=", ".join(form))
    lines = [head, *_beside(questions, template.language), json.dumps(form, ensure_ascii=False)]
    return "\n".join(lines)


def _beside(questions: Sequence[Question], language: str) -> Iterator[str]:
    """What is asked beside the values, in the words in which people are asked."""
    for ground, question in QUESTIONS.items():
        names = [one.name for one in questions if ground in one.grounds]
        if names:
            yield (
                _ASKED_BESIDE[ground]
                .in_(language)
                .format(
                    member=ground.value,
                    keys=", ".join(names),
                    question=question.in_(language),
                    levels=joined(
                        [f"{key} = {text.in_(language)}" for key, text in CONFIDENCES.items()]
                    ),
                )
            )


def _choices_in_form(question: Question) -> str:
    return joined([*map(str, _keys(question)), *([NOT_ASKED] if question.among else [])])


def choices_of(question: Question, language: str) -> list[str]:
    """Return the choices of a question as it names them in a language."""
    if question.node is not None:
        return [option.text.in_(language) for option in question.node.options]
    if isinstance(question.criterion, Scale):
        return [str(value) for value in question.criterion.values]
    return [label.name.in_(language) for label in question.criterion.labels]


def _keys(question: Question) -> list[str] | list[int]:
    """Return the choices of a question as JSON takes them."""
    if question.node is not None:
        return [option.key for option in question.node.options]
    if isinstance(question.criterion, Scale):
        return list(question.criterion.values)
    return [label.key for label in question.criterion.labels]


def joined(choices: Sequence[str] | Sequence[int]) -> str:
    return " | ".join(map(str, choices))


def schema_of(questions: Sequence[Question], order: ReasoningOrder) -> Schema:
    """Ask for the members in the order of the template: what is written first justifies nothing."""
    return _object({question.name: _verdict(question, order) for question in questions})


def _verdict(question: Question, order: ReasoningOrder) -> Schema:
    is_number = isinstance(question.criterion, Scale)
    answer: dict[str, object] = {
        "type": "integer" if is_number else "string",
        "enum": _keys(question),
    }
    if question.among:
        answer = {"type": ["string", "null"], "enum": [*_keys(question), None]}
    beside = {ground.value: _beside_schema(question, ground) for ground in question.grounds}
    return _object(_in_order({"type": "string"}, answer, order) | beside)


def _beside_schema(question: Question, ground: Ground) -> Schema:
    match ground:
        case Ground.CONFIDENCE:
            return {"type": ["integer", "null"], "enum": [*CONFIDENCES, None]}
        case Ground.DEFENSIBLE:
            kind = "integer" if isinstance(question.criterion, Scale) else "string"
            return {"type": "array", "items": {"type": kind, "enum": _keys(question)}}
        case Ground.EVIDENCE:
            return {"type": "array", "items": {"type": "string"}}
        case Ground.RATIONALE:
            return {"type": "string"}


def _object(properties: Mapping[str, object]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def answered(
    given: Mapping[Question, str | int | None], example: WorkedExample, template: Template
) -> str:
    """An answer to an example, in the form that is asked for."""
    reasoning = {one.criterion.key: example.reasoning.get(one.criterion.key, "") for one in given}
    if template.as_json:
        verdicts = {
            one.name: _in_order(reasoning[one.criterion.key], value, template.order)
            for one, value in given.items()
        }
        return json.dumps(verdicts, ensure_ascii=False)
    language = template.language
    said = {
        one: _name_of(one, value, language) for one, value in given.items() if value is not None
    }
    if len(given) == 1 and not template.reasons:
        return next(iter(said.values()))
    lines = [f"{one.name}: {name}" for one, name in said.items()]
    thought = [told for told in reasoning.values() if told]
    match template.order:
        case ReasoningOrder.REASONING_FIRST:
            return "\n".join([*thought, *lines])
        case ReasoningOrder.VERDICT_FIRST:
            return "\n".join([*lines, *thought])
    return "\n".join(lines)


def _name_of(question: Question, value: str | int, language: str) -> str:
    keys = [str(key) for key in _keys(question)]
    return choices_of(question, language)[keys.index(str(value))]


def _in_order(reasoning: object, answer: object, order: ReasoningOrder) -> dict[str, object]:
    match order:
        case ReasoningOrder.REASONING_FIRST:
            return {"reasoning": reasoning, "answer": answer}
        case ReasoningOrder.VERDICT_FIRST:
            return {"answer": answer, "reasoning": reasoning}
    return {"answer": answer}
