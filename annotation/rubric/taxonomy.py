"""Ways through a taxonomy: which paths are valid, and where they lead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.rubric.schema import Node, Option, Taxonomy
from annotation.rubric.sentences import Sentence, sentence

Path = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How far some answers lead: either a label is reached or a node is in view."""

    path: Path
    dropped: tuple[str, ...]
    in_view: Node | None
    label: str | None


def problem_with(taxonomy: Taxonomy, path: Sequence[tuple[str, str]]) -> Sentence | None:
    """Say why ((node key, option key), ...) is not a complete path, or None when it is one."""
    label = None
    for position, (node_key, option_key) in enumerate(path):
        if label is not None:
            return sentence(
                "The path goes on after it has reached “{label}”.",
                label=taxonomy.label(label).name,
            )
        node = taxonomy.nodes[position]
        if node_key != node.key:
            return sentence(
                "Question {number} of the path must be “{question}”.",
                number=position + 1,
                question=node.question,
            )
        option = _option(node, option_key)
        if option is None:
            return not_an_option(node)
        label = option.label
    if label is None:
        return unanswered(taxonomy.nodes[len(path)])
    return None


def not_an_option(node: Node) -> Sentence:
    """Say that a node was given an answer it does not offer."""
    return sentence("This is not one of the answers to “{question}”.", question=node.question)


def unanswered(node: Node) -> Sentence:
    """Say that a path stops at this node, before it has reached a label."""
    return sentence(
        "The path ends before a label: “{question}” is not answered.", question=node.question
    )


def label_of(taxonomy: Taxonomy, path: Sequence[tuple[str, str]]) -> str:
    """Return the key of the label a complete path ends at; ValueError where it is not one."""
    label = reachable(taxonomy, dict(path)).label
    problem = problem_with(taxonomy, path)
    if problem or label is None:
        raise ValueError(problem)
    return label


def path_to(taxonomy: Taxonomy, label_key: str) -> Path:
    """Return the one path that ends at a label; KeyError where there is no such label."""
    walked: Path = ()
    for node in taxonomy.nodes:
        for option in node.options:
            if option.label == label_key:
                return (*walked, (node.key, option.key))
        walked += tuple((node.key, option.key) for option in node.options if option.label is None)
    raise KeyError(label_key)


def reachable(taxonomy: Taxonomy, answers: Mapping[str, str]) -> Walk:
    """Follow {node key: option key} from the first node and drop what is not on the way."""
    path: Path = ()
    in_view: Node | None = None
    label: str | None = None
    while label is None and in_view is None:
        node = taxonomy.nodes[len(path)]
        option = _option(node, answers.get(node.key))
        if option is None:
            in_view = node
        else:
            path += ((node.key, option.key),)
            label = option.label
    on_path = dict(path)
    dropped = tuple(key for key in answers if key not in on_path)
    return Walk(path=path, dropped=dropped, in_view=in_view, label=label)


def depth_of_divergence(taxonomy: Taxonomy, label_a: str, label_b: str) -> int | None:
    """Return the 0-based node at which the paths to two labels part; None for one label."""
    steps = zip(path_to(taxonomy, label_a), path_to(taxonomy, label_b), strict=False)
    return next((depth for depth, (a, b) in enumerate(steps) if a != b), None)


def _option(node: Node, key: str | None) -> Option | None:
    return next((option for option in node.options if option.key == key), None)
