"""Says a question in the words of the rubric: what is asked, and what each choice means."""

from collections.abc import Iterator, Sequence

from annotation.rubric.schema import Node, Option, Rubric, Scale, Shown, Taxonomy, Text
from annotation.rubric.taxonomy import after
from judging.rules.questions import Question

_IN_ORDER = Text(
    en="Ask these questions in this order. The first answer that names a label decides.",
    zh_hans="请按以下顺序逐一提问，最先得出标签的回答即为结果。",
)
_GRAPH = Text(
    en=(
        "Begin with the first question. Each answer says which question comes next or that the way "
        "ends. Answer the questions on your way and no others: give null for those that you pass "
        "by, or leave out their lines."
    ),
    zh_hans=(
        "从第一个问题开始。每个回答都说明接下来是哪个问题，或路径到此结束。"
        "只回答路径上的问题：对未经过的问题给出 null，或省略其所在行。"
    ),
)
_SCALES = Text(
    en="What is said in brackets is a level of one of these scales; the worst on your way counts:",
    zh_hans="方括号中是下列量表之一的等级；以路径上最差的等级为准：",
)
_GO_TO = Text(en="go to {question}", zh_hans="转到 {question}")
_END_AT = Text(en="end: {label}", zh_hans="结束：{label}")
_GO_ON = Text(en="go on", zh_hans="继续下一问")
_LABELS = Text(en="The labels, each with its code:", zh_hans="标签（含编号）：")
_EXAMPLE = Text(en="For example:", zh_hans="例如：")
_NON_EXAMPLE = Text(en="But not:", zh_hans="但不包括：")


def described(rubric: Rubric, questions: Sequence[Question], language: str) -> Iterator[str]:
    """What is asked, part by part; all questions of a graph are one part."""
    graphs = set()
    for question in questions:
        if not question.among:
            yield _described(question, language)
        elif isinstance(question.criterion, Taxonomy) and question.criterion.key not in graphs:
            graphs.add(question.criterion.key)
            yield _described_graph(rubric, question.criterion, language)


def _described(question: Question, language: str) -> str:
    if question.node is not None:
        asked = [question.node.question.in_(language), question.node.help.in_(language)]
        return "\n".join(part for part in asked if part)
    if isinstance(question.criterion, Scale):
        return _described_scale(question.criterion, language)
    return _described_taxonomy(question.criterion, language)


def _described_scale(scale: Scale, language: str) -> str:
    lines = [
        f"## {scale.name.in_(language)} ({scale.key})",
        scale.question.in_(language),
        scale.help.in_(language),
        *(
            line
            for point in scale.points
            for line in (
                f"{point.value} = {point.anchor.in_(language)}",
                *_shown_lines(point.shown, language),
            )
        ),
    ]
    return "\n".join(line for line in lines if line)


def _described_taxonomy(taxonomy: Taxonomy, language: str) -> str:
    lines = [f"## {taxonomy.name.in_(language)} ({taxonomy.key})", _IN_ORDER.in_(language)]
    for number, node in enumerate(taxonomy.nodes, 1):
        lines.append(f"{number}. {node.question.in_(language)} {node.help.in_(language)}".rstrip())
        lines += [f"   - {_leading(taxonomy, option, language)}" for option in node.options]
    return "\n".join([*lines, *_label_lines(taxonomy, language)])


def _label_lines(taxonomy: Taxonomy, language: str) -> Iterator[str]:
    yield _LABELS.in_(language)
    for label in taxonomy.labels:
        yield f"- {label.code} {label.name.in_(language)}: {label.definition.in_(language)}"
        yield from _shown_lines(label.shown, language)


def _described_graph(rubric: Rubric, taxonomy: Taxonomy, language: str) -> str:
    lines = [f"## {taxonomy.name.in_(language)} ({taxonomy.key})", _GRAPH.in_(language)]
    for node in taxonomy.nodes:
        name = Question(criterion=taxonomy, node=node, among=True).name
        lines.append(f"{name}. {node.question.in_(language)} {node.help.in_(language)}".rstrip())
        lines += [
            f"   - {_going(rubric, taxonomy, node, option, language)}" for option in node.options
        ]
    lines += _label_lines(taxonomy, language)
    if scales := rubric.dimensions(taxonomy.key):
        lines.append(_SCALES.in_(language))
        lines += [f"- {_levels(scale, language)}" for scale in scales]
    return "\n".join(lines)


def _levels(scale: Scale, language: str) -> str:
    levels = "; ".join(f"{point.value} {point.anchor.in_(language)}" for point in scale.points)
    return f"{scale.name.in_(language)}: {levels}"


def _going(rubric: Rubric, taxonomy: Taxonomy, node: Node, option: Option, language: str) -> str:
    """Say what an answer means and where it goes."""
    onward = after(taxonomy, node, option)
    if onward is None:
        leads_to = _END_AT.in_(language).format(
            label=taxonomy.label(str(option.label)).name.in_(language)
        )
    else:
        name = Question(criterion=taxonomy, node=onward, among=True).name
        leads_to = _GO_TO.in_(language).format(question=name)
    severity = _severity(rubric, node, option, language)
    return f"{option.text.in_(language)}{severity} → {leads_to}"


def _severity(rubric: Rubric, node: Node, option: Option, language: str) -> str:
    scale = rubric.criterion(node.dimension) if node.dimension else None
    if not isinstance(scale, Scale) or option.severity is None:
        return ""
    anchors = {point.value: point.anchor.in_(language) for point in scale.points}
    return f" [{scale.name.in_(language)}: {anchors[option.severity]}]"


def _shown_lines(shown: Shown, language: str) -> list[str]:
    """A choice's example and what is none, where the rubric has them."""
    told = ((_EXAMPLE, shown.example), (_NON_EXAMPLE, shown.non_example))
    return [f"  {head.in_(language)} {words.in_(language)}" for head, words in told if words]


def _leading(taxonomy: Taxonomy, option: Option, language: str) -> str:
    """Say where an option leads, unless it is the label's own name."""
    label = _GO_ON if option.label is None else taxonomy.label(option.label).name
    text, leads_to = option.text.in_(language), label.in_(language)
    return text if text == leads_to else f"{text} → {leads_to}"
