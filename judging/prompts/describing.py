"""Says a question in the words of the rubric: what is asked, and what each choice means."""

from annotation.rubric.schema import Option, Scale, Shown, Taxonomy, Text
from judging.rules.questions import Question

_IN_ORDER = Text(
    en="Ask these questions in this order. The first answer that names a label decides.",
    zh_hans="请按以下顺序逐一提问，最先得出标签的回答即为结果。",
)
_GO_ON = Text(en="go on", zh_hans="继续下一问")
_LABELS = Text(en="The labels, each with its code:", zh_hans="标签（含编号）：")
_EXAMPLE = Text(en="For example:", zh_hans="例如：")
_NON_EXAMPLE = Text(en="But not:", zh_hans="但不包括：")


def described(question: Question, language: str) -> str:
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
    lines.append(_LABELS.in_(language))
    for label in taxonomy.labels:
        lines.append(f"- {label.code} {label.name.in_(language)}: {label.definition.in_(language)}")
        lines += _shown_lines(label.shown, language)
    return "\n".join(lines)


def _shown_lines(shown: Shown, language: str) -> list[str]:
    """A choice's example and what is none, where the rubric has them."""
    told = ((_EXAMPLE, shown.example), (_NON_EXAMPLE, shown.non_example))
    return [f"  {head.in_(language)} {words.in_(language)}" for head, words in told if words]


def _leading(taxonomy: Taxonomy, option: Option, language: str) -> str:
    """Say where an option leads, unless it is the label's own name."""
    label = _GO_ON if option.label is None else taxonomy.label(option.label).name
    text, leads_to = option.text.in_(language), label.in_(language)
    return text if text == leads_to else f"{text} → {leads_to}"
