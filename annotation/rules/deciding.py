"""Deciding an item on which raters differ: what decided it, and when it may be decided anew."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from annotation.rubric.answers import Answer, Problem, read, walked
from annotation.rubric.schema import Criterion, Rubric, Taxonomy
from annotation.rubric.sentences import Sentence, sentence
from annotation.rubric.taxonomy import path_as_text, path_from_text
from annotation.rules.lifecycle import ItemState, RoundState

AMBIGUOUS = "~"
"""What is chosen for a criterion on which reasonable people differ; no rubric has it as a key."""


class DecidedBy(StrEnum):
    """What a disagreement came from, in the eyes of who decided it."""

    RUBRIC = "rubric"
    TEXT = "text"
    CONTEXT = "context"
    SLIP = "slip"
    OTHER = "other"


CODES: Mapping[DecidedBy, Sentence] = {
    DecidedBy.RUBRIC: sentence("a gap in the rubric"),
    DecidedBy.TEXT: sentence("an ambiguous text"),
    DecidedBy.CONTEXT: sentence("knowledge that the item does not hold"),
    DecidedBy.SLIP: sentence("a slip"),
    DecidedBy.OTHER: sentence("something else"),
}


def value_of(answer: Answer) -> str:
    """An answer as it is sent with a decision, and as a protocol names it."""
    return answer.label if answer.label is not None else str(answer.score)


Ruled: TypeAlias = Mapping[str, str | Mapping[str, str]]
"""{criterion: its value as it is sent, AMBIGUOUS, or of a graph {question: answer}}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingRead:
    """What a ruling comes to: an answer for each criterion but those that are ambiguous."""

    answers: tuple[Answer, ...]
    ambiguous: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def values(self) -> dict[str, str]:
        """{criterion: value as it is sent, or AMBIGUOUS}."""
        decided = {answer.criterion: value_of(answer) for answer in self.answers}
        return decided | dict.fromkeys(self.ambiguous, AMBIGUOUS)

    @property
    def ways(self) -> dict[str, str]:
        """{graph: the way that was taken through it}."""
        return {one.criterion: path_as_text(one.path) for one in self.answers if one.path}


def graph_of(rubric: Rubric, criterion: Criterion) -> Taxonomy | None:
    """The graph whose way decides on a criterion, which is answered question by question."""
    walk = rubric.walk_of(criterion)
    return walk if walk is not None and walk.is_graph else None


def asked_for(rubric: Rubric, to_decide: Collection[Criterion]) -> list[Criterion]:
    """What an adjudicator answers so that all of these are decided: of a graph its questions, from
    which label and levels follow together."""
    answered = [graph_of(rubric, one) or one for one in to_decide]
    return [one for one in rubric.criteria if one in answered]


def read_ruling(rubric: Rubric, to_decide: Sequence[Criterion], ruled: Ruled) -> RulingRead:
    """Read what somebody decides on these criteria. A graph that is ambiguous leaves ambiguous what
    was to be decided of it; one that is walked decides all that follows from it."""
    answers: list[Answer] = []
    ambiguous: list[str] = []
    problems: list[Problem] = []
    for one in asked_for(rubric, to_decide):
        given = ruled.get(one.key)
        if given == AMBIGUOUS:
            ambiguous += [each.key for each in to_decide if one in (each, graph_of(rubric, each))]
            continue
        graph = graph_of(rubric, one)
        found = read(one, None if graph and isinstance(given, str) else given)
        if isinstance(found, Problem):
            problems.append(found)
            continue
        answers += [found, *(walked(graph, rubric.dimensions(graph.key), found) if graph else ())]
    return RulingRead(answers=tuple(answers), ambiguous=tuple(ambiguous), problems=tuple(problems))


def as_ruled(rubric: Rubric, values: Mapping[str, str], ways: Mapping[str, str]) -> Ruled:
    """The same as it was sent, from what was kept of it."""
    found: dict[str, str | Mapping[str, str]] = {}
    for one in rubric.criteria:
        if one.key in values:
            graph = graph_of(rubric, one)
            is_walked = graph is not None and values[one.key] != AMBIGUOUS
            way = dict(path_from_text(ways.get(graph.key, ""))) if graph else {}
            found[(graph or one).key] = way if is_walked else values[one.key]
    return found


def problem_with_code(code: str) -> Sentence | None:
    """Say that nobody chose what a disagreement came from, or None."""
    if code in set(DecidedBy):
        return None
    return sentence("Choose where the disagreement came from.")


def reason_not_to_revise(
    round_state: RoundState,
    item_state: ItemState,
    *,
    is_rated_later: bool,
    has_other_rubric: bool = False,
    is_decided_by_two: bool = False,
) -> Sentence | None:
    """Say why a decision is not made anew, or None. A closed round takes it too: disputes come
    when its raters have been told."""
    if round_state is RoundState.CANCELLED:
        return sentence("The round was cancelled.")
    if item_state is not ItemState.ADJUDICATED:
        return sentence("This item has not been decided yet.")
    if is_decided_by_two:
        return sentence("Two adjudicators have decided this item: one alone does not do it anew.")
    if has_other_rubric:
        return sentence(
            "The rubric has changed since: have the item rated again under the new one."
        )
    if is_rated_later:
        return sentence("This item is in a later round; it is decided there.")
    return None
