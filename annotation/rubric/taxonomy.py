"""Ways through a taxonomy: which paths are valid, and where they lead."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.rubric.schema import Node, Option, Scale, Taxonomy
from annotation.rubric.sentences import Sentence, sentence

Path = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How far some answers lead: either a label is reached or a node is in view."""

    path: Path
    dropped: tuple[str, ...]
    in_view: Node | None
    label: str | None


def after(taxonomy: Taxonomy, node: Node, option: Option) -> Node | None:
    """The node that is asked after an answer; None where the answer ends at a label."""
    if option.label is not None:
        return None
    if option.goto is not None:
        return _node(taxonomy, option.goto)
    return taxonomy.nodes[taxonomy.nodes.index(node) + 1]


def in_order(taxonomy: Taxonomy) -> tuple[Node, ...]:
    """The nodes, each after all that lead to it: of a list as they stand."""
    found: list[Node] = []
    known: set[str] = set()

    def go_on_from(node: Node) -> None:
        known.add(node.key)
        for option in reversed(node.options):
            onward = after(taxonomy, node, option)
            if onward is not None and onward.key not in known:
                go_on_from(onward)
        found.append(node)

    go_on_from(taxonomy.nodes[0])
    return tuple(reversed(found))


def problem_with(taxonomy: Taxonomy, path: Sequence[tuple[str, str]]) -> Sentence | None:
    """Say why ((node key, option key), ...) is not a complete path, or None when it is one."""
    node: Node | None = taxonomy.nodes[0]
    label = None
    for position, (node_key, option_key) in enumerate(path):
        if node is None:
            return sentence(
                "The path goes on after it has reached “{label}”.",
                label=taxonomy.label(str(label)).name,
            )
        if node_key != node.key:
            return sentence(
                "Question {number} of the path must be “{question}”.",
                number=position + 1,
                question=node.question,
            )
        option = _option(node, option_key)
        if option is None:
            return not_an_option(node)
        node, label = after(taxonomy, node, option), option.label
    return None if node is None else unanswered(node)


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
    """Return the path that ends at a label, in a graph the first of the shortest ones; KeyError
    where there is no such label."""
    waiting: list[tuple[Node, Path]] = [(taxonomy.nodes[0], ())]
    known = {taxonomy.nodes[0].key}
    for node, walked in waiting:
        for option in node.options:
            step = (*walked, (node.key, option.key))
            if option.label == label_key:
                return step
            onward = after(taxonomy, node, option)
            if onward is not None and onward.key not in known:
                known.add(onward.key)
                waiting.append((onward, step))
    raise KeyError(label_key)


def every_path(taxonomy: Taxonomy) -> Iterator[Path]:
    """All paths, one after the other; a graph of some dozen nodes can have 100,000."""
    onward = {
        (node.key, option.key): after(taxonomy, node, option)
        for node in taxonomy.nodes
        for option in node.options
    }
    waiting: list[tuple[Node, Path]] = [(taxonomy.nodes[0], ())]
    while waiting:
        node, walked = waiting.pop()
        for option in reversed(node.options):
            step = (node.key, option.key)
            then = onward[step]
            if then is None:
                yield (*walked, step)
            else:
                waiting.append((then, (*walked, step)))


def n_paths(taxonomy: Taxonomy) -> int:
    """How many paths there are, without walking them."""
    found: dict[str, int] = {}

    def from_node(node: Node) -> int:
        if node.key not in found:
            onward = [after(taxonomy, node, option) for option in node.options]
            found[node.key] = sum(1 if one is None else from_node(one) for one in onward)
        return found[node.key]

    return from_node(taxonomy.nodes[0])


def ways_to(taxonomy: Taxonomy, label_key: str) -> frozenset[tuple[str, str, str]]:
    """Every step (node, option, the node it leads to) on a path to a label, whatever the wording;
    the last one leads to ""."""
    steps: set[tuple[str, str, str]] = set()
    wanted, found = {""}, True
    while found:
        before = len(steps)
        for node in taxonomy.nodes:
            for option in node.options:
                onward = after(taxonomy, node, option)
                leads_to = onward.key if onward else ""
                if leads_to in wanted and (onward or option.label == label_key):
                    steps.add((node.key, option.key, leads_to))
                    wanted.add(node.key)
        found = len(steps) > before
    return frozenset(steps)


def reachable(taxonomy: Taxonomy, answers: Mapping[str, str]) -> Walk:
    """Follow {node key: option key} from the first node and drop what is not on the way."""
    path: Path = ()
    node: Node | None = taxonomy.nodes[0]
    in_view: Node | None = None
    label: str | None = None
    while node is not None:
        option = _option(node, answers.get(node.key))
        if option is None:
            in_view = node
            break
        path += ((node.key, option.key),)
        label = option.label
        node = after(taxonomy, node, option)
    on_path = dict(path)
    dropped = tuple(key for key in answers if key not in on_path)
    return Walk(path=path, dropped=dropped, in_view=in_view, label=label)


def levels(
    taxonomy: Taxonomy, scales: Sequence[Scale], path: Sequence[tuple[str, str]]
) -> dict[str, int]:
    """{scale: its value} of the scales that a complete path gives a value to."""
    met: dict[str, list[int]] = {}
    for node_key, option_key in path:
        node = _node(taxonomy, node_key)
        option = _option(node, option_key)
        if node.dimension is not None and option is not None:
            seen = met.setdefault(node.dimension, [])
            seen += [] if option.severity is None else [option.severity]
    return {scale.key: _level(scale, met.get(scale.key)) for scale in scales}


def _level(scale: Scale, met: Sequence[int] | None) -> int:
    """The value of one scale; `met` are the severities on the way, None where it was not asked."""
    if scale.walked is None:
        raise ValueError(scale.key)
    if met is None:
        return scale.walked.not_asked
    if not met:
        return scale.walked.clear
    return max(met) if scale.walked.worst_is_highest else min(met)


def path_as_text(path: Sequence[tuple[str, str]]) -> str:
    """A path as it is stored: `node:option node:option`."""
    return " ".join(f"{node}:{option}" for node, option in path)


def path_from_text(text: str) -> Path:
    """The path that `path_as_text` wrote."""
    steps = (step.partition(":") for step in text.split())
    return tuple((node, option) for node, _colon, option in steps)


def _node(taxonomy: Taxonomy, key: str) -> Node:
    return next(node for node in taxonomy.nodes if node.key == key)


def _option(node: Node, key: str | None) -> Option | None:
    return next((option for option in node.options if option.key == key), None)
