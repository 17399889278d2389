"""What a rubric is made of. `loading.load` makes one; nothing changes it afterwards.

What has a key is hashed by that alone, as readings ask for much by label and criterion: all of it
would be a hundred texts. Two are equal where all of it is.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

LARGEST_NUMBER = 32_767  # of a value or code: what the column of a rating holds


class Measurement(StrEnum):
    """The level of measurement of a criterion: it decides which statistic suits."""

    NOMINAL = "nominal"
    BINARY = "binary"
    ORDINAL = "ordinal"


class Ground(StrEnum):
    """What a rater may say beside a value: how sure they are, which other values could be defended
    too, which words it rests on, and why."""

    CONFIDENCE = "confidence"
    DEFENSIBLE = "defensible"
    EVIDENCE = "evidence"
    RATIONALE = "rationale"


@dataclass(frozen=True, slots=True, init=False)
class Text:
    """The same words in the languages that somebody wrote them in, one or more.

    A language is a BCP 47 tag in lower case, with underscores: `Text(en="Yes", zh_hans="是")`.
    """

    words: tuple[tuple[str, str], ...]

    def __init__(self, **words: str) -> None:
        written = tuple((tag, words[tag]) for tag in sorted(words) if words[tag])
        object.__setattr__(self, "words", written)

    def __bool__(self) -> bool:
        return bool(self.words)

    def in_(self, language: str) -> str:
        """Say it in `language` ("en", "zh-hans"), or else in what `spoken_for` comes to."""
        return dict(self.words).get(self.spoken_for(language), "")

    def spoken_for(self, language: str) -> str:
        """The language in which it is said to who reads `language`: that one, another form of it,
        English, or the first there is."""
        wanted = tag_of(language)
        near = [tag for tag in self.languages if tag.split("_")[0] == wanted.split("_")[0]]
        every = (wanted, *near, "en", *self.languages)
        return next((tag for tag in every if tag in self.languages), "")

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(tag for tag, _words in self.words)

    @property
    def everywhere(self) -> tuple[str, ...]:
        """What it is in each of its languages."""
        return tuple(words for _tag, words in self.words)


NO_TEXT = Text()


def tag_of(language: str) -> str:
    """A BCP 47 tag as rubrics keep it."""
    return language.strip().lower().replace("-", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a choice means by showing it: a case of it, and one that looks like it and is not."""

    example: Text = NO_TEXT
    non_example: Text = NO_TEXT


NOT_SHOWN = Shown()


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a path through a taxonomy ends at; `code` is its number in data files."""

    key: str
    code: int
    name: Text
    definition: Text
    shown: Shown = NOT_SHOWN

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer to a node's question: it ends at a label, or goes to the node that `goto` names,
    or else to the next one. `severity` is the level that it has on the scale of its node."""

    key: str
    text: Text
    label: str | None = None
    goto: str | None = None
    severity: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One question of a taxonomy; `dimension` is the scale that its answers have a severity on."""

    key: str
    question: Text
    help: Text = NO_TEXT
    options: tuple[Option, ...]
    dimension: str | None = None

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taxonomy:
    """Questions asked from the first one on until an answer carries a label.

    Either a list, in which one answer of each question goes on to the next and each label has one
    way to it, or a graph without circles, in which answers go where they say.
    """

    measurement: ClassVar[Measurement] = Measurement.NOMINAL

    key: str
    name: Text
    nodes: tuple[Node, ...]
    labels: tuple[Label, ...]
    grounds: tuple[Ground, ...] = ()

    def __hash__(self) -> int:
        return hash(self.key)

    def label(self, key: str) -> Label:
        """Return the label with this key; KeyError where there is none."""
        return {label.key: label for label in self.labels}[key]

    def name_of(self, node: Node) -> str:
        """The name of a question of a graph among all that a rubric asks for."""
        return f"{self.key}_{node.key}"

    @property
    def is_graph(self) -> bool:
        """Whether a way through it is more than its label tells."""
        return any(
            node.dimension is not None
            or any(each.goto is not None or each.severity is not None for each in node.options)
            for node in self.nodes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of a scale and the words that anchor it."""

    value: int
    anchor: Text
    shown: Shown = NOT_SHOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """How a scale gets its value from a way through the taxonomy `taxonomy`, so that nobody is asked
    for it: the worst severity that was met; `clear` where questions about it were asked and none
    was met; `not_asked` where none was asked. `worst_is_highest` says which end is worse."""

    taxonomy: str
    clear: int
    not_asked: int
    worst_is_highest: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Ordered points. Ratings `adjudicate_from_gap` or more points apart need a decision."""

    key: str
    name: Text
    question: Text
    help: Text = NO_TEXT
    points: tuple[Point, ...]
    measurement: Measurement
    adjudicate_from_gap: int = 1
    walked: Walked | None = None
    grounds: tuple[Ground, ...] = ()

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def values(self) -> tuple[int, ...]:
        """The values on the scale, lowest first."""
        return tuple(point.value for point in self.points)


Criterion = Taxonomy | Scale
Summary = Literal["mean", "sum", "maximum", "minimum", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """When an answer to a criterion is a red flag: a label of a taxonomy, or a level of a scale
    and all beyond it. Exactly one of the three says which."""

    criterion: str
    labels: tuple[str, ...] = ()
    at_most: int | None = None
    at_least: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Criteria that are reported together by one derived score, which nobody is asked for.

    `flags` say what “any” looks for, one of each of its criteria; the others are made of scales.
    """

    key: str
    name: Text
    criteria: tuple[str, ...]
    summary: Summary
    flags: tuple[Flag, ...] = ()

    @property
    def has_levels(self) -> bool:
        """Whether its values are levels that can be counted, and not a mean or a sum, in which one
        criterion makes up for another."""
        return self.summary not in ("mean", "sum")


Scored = Criterion | Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The criteria one item is rated on, in the order they are asked."""

    key: str
    title: Text
    instructions: Text
    criteria: tuple[Criterion, ...]
    groups: tuple[Group, ...] = ()

    def criterion(self, key: str) -> Criterion:
        """Return the criterion with this key; KeyError where there is none."""
        return {criterion.key: criterion for criterion in self.criteria}[key]

    @property
    def asked(self) -> tuple[Criterion, ...]:
        """The criteria that raters are asked for: all but those that a walk gives a value to."""
        return tuple(
            each for each in self.criteria if isinstance(each, Taxonomy) or each.walked is None
        )

    def dimensions(self, taxonomy: str) -> tuple[Scale, ...]:
        """The scales that a walk through a taxonomy gives a value to."""
        return tuple(
            each
            for each in self.criteria
            if isinstance(each, Scale) and each.walked and each.walked.taxonomy == taxonomy
        )

    def walk_of(self, criterion: Criterion) -> Taxonomy | None:
        """The taxonomy whose way decides on a criterion; None for a scale that is asked for."""
        if isinstance(criterion, Taxonomy):
            return criterion
        walk = criterion.walked and self.criterion(criterion.walked.taxonomy)
        return walk if isinstance(walk, Taxonomy) else None

    @property
    def scored(self) -> tuple[Scored, ...]:
        """All that there are figures of: the criteria, then the derived scores."""
        return (*self.criteria, *self.groups)

    @property
    def with_levels(self) -> tuple[Scored, ...]:
        """What has levels that can be counted: all but means and sums."""
        return (*self.criteria, *(group for group in self.groups if group.has_levels))

    def part(self, key: str) -> Scored:
        """Return the criterion or derived score with this key; KeyError where there is none."""
        return {part.key: part for part in self.scored}[key]

    def made_of(self, key: str) -> tuple[str, ...]:
        """The criteria that a derived score is worked out from; of a criterion itself."""
        return {group.key: group.criteria for group in self.groups}.get(key, (key,))
