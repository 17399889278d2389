"""What a rubric is made of. `loading.load` makes one; nothing changes it afterwards."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Literal

LARGEST_NUMBER = 32_767  # of a value or code: what the column of a rating holds


class Measurement(StrEnum):
    """The level of measurement of a criterion: it decides which statistic suits."""

    NOMINAL = "nominal"
    BINARY = "binary"
    ORDINAL = "ordinal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The same words in English and in Simplified Chinese."""

    en: str
    zh_hans: str

    def in_(self, language: str) -> str:
        """Say it in `language` ("en", "zh-hans"), or in the other where that one is empty."""
        if language.lower().startswith("zh"):
            return self.zh_hans or self.en
        return self.en or self.zh_hans


NO_TEXT = Text(en="", zh_hans="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a path through a taxonomy ends at; `code` is its number in data files."""

    key: str
    code: int
    name: Text
    definition: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer to a node's question; without a label the next node is asked."""

    key: str
    text: Text
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One question of a taxonomy."""

    key: str
    question: Text
    help: Text = NO_TEXT
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taxonomy:
    """Questions asked in order until an answer carries a label; the last one always does."""

    measurement: ClassVar[Measurement] = Measurement.NOMINAL

    key: str
    name: Text
    nodes: tuple[Node, ...]
    labels: tuple[Label, ...]

    def label(self, key: str) -> Label:
        """Return the label with this key; KeyError where there is none."""
        return {label.key: label for label in self.labels}[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of a scale and the words that anchor it."""

    value: int
    anchor: Text


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

    @property
    def values(self) -> tuple[int, ...]:
        """The values on the scale, lowest first."""
        return tuple(point.value for point in self.points)


Criterion = Taxonomy | Scale
Summary = Literal["mean", "sum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Scales that are reported together by their mean or their sum."""

    key: str
    name: Text
    criteria: tuple[str, ...]
    summary: Summary


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
