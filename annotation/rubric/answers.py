"""What counts as an answer to a criterion, whoever gives it: a form, a file, a judge."""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from annotation.rubric import taxonomy as paths
from annotation.rubric.schema import (
    LARGEST_NUMBER,
    Criterion,
    Label,
    Node,
    Option,
    Rubric,
    Scale,
    Taxonomy,
    Text,
)
from annotation.rubric.sentences import Sentence, sentence

# What says as much as a yes or a no, folded: the heads of the points of a scale, or options.
YES = frozenset({"yes", "true", "是"})
NO = frozenset({"no", "false", "否"})
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?")


class Reason(StrEnum):
    """Why a raw value is not an answer."""

    MISSING = "missing"
    NOT_A_NUMBER = "not_a_number"
    OFF_SCALE = "off_scale"
    UNKNOWN_LABEL = "unknown_label"
    UNKNOWN_NODE = "unknown_node"
    UNKNOWN_OPTION = "unknown_option"
    INCOMPLETE_PATH = "incomplete_path"
    UNREACHABLE = "unreachable"
    UNKNOWN_CRITERION = "unknown_criterion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A label of a taxonomy or a score on a scale; the other one is None.

    `path` is the way that was taken through a graph; where two lead to one label, they are the
    same answer.
    """

    criterion: str
    label: str | None = None
    score: int | None = None
    path: paths.Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a raw value is not an answer, at which node where it concerns one.

    `released` is the whole number that was read although it is off the scale: an import of
    published ratings keeps it, flagged. The sentence never repeats the raw value, which may be
    text about a patient.
    """

    criterion: str
    reason: Reason
    sentence: Sentence
    node: str | None = None
    released: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that was read from the raw values of one item, in the rubric's order."""

    answers: tuple[Answer, ...]
    problems: tuple[Problem, ...]


def read(criterion: Criterion, raw: object) -> Answer | Problem:
    """Read one raw value.

    A taxonomy takes a label's key, code or name in either language, or a mapping of node keys
    to option keys. A scale takes a whole number, as a number or as text. Case, full-width
    characters and punctuation around a name do not matter. Never raises.
    """
    if isinstance(raw, Mapping):
        raw = {key: value for key, value in raw.items() if not _is_blank(value)}
    if _is_blank(raw):
        return Problem(
            criterion=criterion.key,
            reason=Reason.MISSING,
            sentence=sentence("“{criterion}” is not answered.", criterion=criterion.name),
        )
    if isinstance(criterion, Scale):
        return _read_score(criterion, raw)
    if isinstance(raw, Mapping):
        return _read_path(criterion, raw)
    return _read_label(criterion, raw)


def read_all(rubric: Rubric, raw: Mapping[str, object]) -> Reading:
    """Read {criterion key: raw value}, all problems at once; unknown keys are problems too.

    What a walk gives a value to need not be given; where it is, it has to be that value.
    """
    found = {
        criterion.key: read(criterion, raw.get(criterion.key)) for criterion in rubric.criteria
    }
    for criterion in rubric.asked:
        if isinstance(criterion, Taxonomy) and (scales := rubric.dimensions(criterion.key)):
            named = {one.key: found.pop(one.key) for one in scales}
            given = {key: one for key, one in named.items() if not _is_blank(raw.get(key))}
            found |= _on_scales(criterion, scales, found[criterion.key], given)
    results = [found[each.key] for each in rubric.criteria if each.key in found]
    known = {criterion.key for criterion in rubric.criteria}
    strangers = tuple(_stranger(rubric, key) for key in raw if key not in known)
    return Reading(
        answers=tuple(result for result in results if isinstance(result, Answer)),
        problems=tuple(result for result in results if isinstance(result, Problem)) + strangers,
    )


def walked(taxonomy: Taxonomy, scales: Sequence[Scale], answer: Answer) -> tuple[Answer, ...]:
    """What a walk comes to on the scales that it gives a value to; () where only its label is
    known."""
    if not answer.path:
        return ()
    found = paths.levels(taxonomy, scales, answer.path)
    return tuple(Answer(criterion=key, score=level) for key, level in found.items())


def _on_scales(
    taxonomy: Taxonomy,
    scales: Sequence[Scale],
    walk: Answer | Problem,
    given: Mapping[str, Answer | Problem],
) -> dict[str, Answer | Problem]:
    """The answers on the scales of a taxonomy: those of the walk, else those that were given. Of a
    walk that is none its own problem is enough."""
    if isinstance(walk, Problem):
        return dict(given)
    if not walk.path:
        return {scale.key: given.get(scale.key) or read(scale, None) for scale in scales}
    found: dict[str, Answer | Problem] = {}
    for scale, answer in zip(scales, walked(taxonomy, scales, walk), strict=True):
        found[scale.key] = answer
        if given.get(scale.key, answer) != answer:
            found[scale.key] = Problem(
                criterion=scale.key,
                reason=Reason.UNREACHABLE,
                sentence=sentence(
                    "“{criterion}” follows from “{taxonomy}”, which comes to {level}.",
                    criterion=scale.name,
                    taxonomy=taxonomy.name,
                    level=str(answer.score),
                ),
            )
    return found


@lru_cache(maxsize=1024)
def label_names(label: Label) -> frozenset[str]:
    """Return the folded names by which a label may be given."""
    return _folded(label.key, label.name)


def option_names(option: Option) -> frozenset[str]:
    """Return the folded names by which an option may be given."""
    return _folded(option.key, option.text)


@lru_cache(maxsize=1024)
def anchor_heads(anchor: Text) -> frozenset[str]:
    """Return what stands before the colon of an anchor, or all of it, folded, in each language."""
    return frozenset(fold(re.split(r"[:：]", words)[0]) for words in anchor.everywhere)


def fold(name: str) -> str:
    """Reduce a name to what is compared: no case, width or punctuation, single blanks."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\W_]+", " ", plain).strip()


def _folded(key: str, name: Text) -> frozenset[str]:
    return frozenset(map(fold, (key, *name.everywhere)))


def _is_blank(raw: object) -> bool:
    if isinstance(raw, str):
        return not raw.strip()
    return raw is None or raw == {}


def _read_score(scale: Scale, raw: object) -> Answer | Problem:
    number = _number(raw)
    if number is None:
        return Problem(
            criterion=scale.key,
            reason=Reason.NOT_A_NUMBER,
            sentence=sentence("“{criterion}” takes a number.", criterion=scale.name),
        )
    if number not in scale.values:
        return Problem(
            criterion=scale.key,
            reason=Reason.OFF_SCALE,
            sentence=sentence(
                "“{criterion}” takes a whole number from {lowest} to {highest}.",
                criterion=scale.name,
                lowest=scale.values[0],
                highest=scale.values[-1],
            ),
            released=_storable(number),
        )
    return Answer(criterion=scale.key, score=int(number))


def _read_label(taxonomy: Taxonomy, raw: object) -> Answer | Problem:
    number = _number(raw)
    name = fold(raw) if isinstance(raw, str) else None
    for label in taxonomy.labels:
        if label.code == number or name in label_names(label):
            return Answer(criterion=taxonomy.key, label=label.key)
    return Problem(
        criterion=taxonomy.key,
        reason=Reason.UNKNOWN_LABEL,
        sentence=sentence(
            "“{criterion}” takes one of these labels: {labels}.",
            criterion=taxonomy.name,
            labels=", ".join(label.key for label in taxonomy.labels),
        ),
    )


def _read_path(taxonomy: Taxonomy, raw: Mapping[object, object]) -> Answer | Problem:
    nodes: dict[object, Node] = {node.key: node for node in taxonomy.nodes}
    chosen: dict[str, str] = {}
    for key, value in raw.items():
        node = nodes.get(key)
        if node is None:
            return Problem(
                criterion=taxonomy.key,
                reason=Reason.UNKNOWN_NODE,
                sentence=sentence(
                    "“{criterion}” asks only these questions: {questions}.",
                    criterion=taxonomy.name,
                    questions=", ".join(node.key for node in taxonomy.nodes),
                ),
            )
        option = _option_named(node, value)
        if option is None:
            return _problem_at(taxonomy, node, Reason.UNKNOWN_OPTION, paths.not_an_option(node))
        chosen[node.key] = option.key
    walk = paths.reachable(taxonomy, chosen)
    if walk.in_view is not None:
        node = walk.in_view
        return _problem_at(taxonomy, node, Reason.INCOMPLETE_PATH, paths.unanswered(node))
    if walk.dropped:
        node = nodes[walk.dropped[0]]
        return _problem_at(taxonomy, node, Reason.UNREACHABLE, _not_on_the_way(taxonomy, node))
    taken = walk.path if taxonomy.is_graph else ()
    return Answer(criterion=taxonomy.key, label=walk.label, path=taken)


def _not_on_the_way(taxonomy: Taxonomy, node: Node) -> Sentence:
    if taxonomy.is_graph:
        return sentence(
            "“{question}” is not on the way that the other answers take.", question=node.question
        )
    return sentence(
        "“{question}” is not asked once an earlier answer has decided the label.",
        question=node.question,
    )


def _problem_at(taxonomy: Taxonomy, node: Node, reason: Reason, why: Sentence) -> Problem:
    return Problem(criterion=taxonomy.key, reason=reason, sentence=why, node=node.key)


def _option_named(node: Node, raw: object) -> Option | None:
    name = fold(raw) if isinstance(raw, str) else None
    return next((option for option in node.options if name in option_names(option)), None)


def _number(raw: object) -> int | float | None:
    """Find the number in a raw value: None for truth values, NaN, infinity and other text."""
    if isinstance(raw, str):
        plain = unicodedata.normalize("NFKC", raw).strip()
        return _number(float(plain)) if _NUMBER.fullmatch(plain) else None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return None
    if isinstance(raw, float) and not math.isfinite(raw):
        return None
    return raw


def _storable(number: int | float) -> int | None:
    if number == int(number) and abs(number) <= LARGEST_NUMBER:
        return int(number)
    return None


def _stranger(rubric: Rubric, key: str) -> Problem:
    return Problem(
        criterion=key,
        reason=Reason.UNKNOWN_CRITERION,
        sentence=sentence(
            "The rubric has only these criteria: {criteria}.",
            criteria=", ".join(criterion.key for criterion in rubric.criteria),
        ),
    )
