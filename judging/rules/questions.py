"""Which questions the next request asks, given what has been answered so far."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from annotation.rubric.schema import Criterion, Ground, Node, Rubric, Taxonomy
from annotation.rubric.taxonomy import reachable
from judging.rules.outcomes import Outcome

NOT_ASKED = "null"
"""What stands in the form of an answer for a question of a graph that the way passes by."""


class AskingManner(StrEnum):
    """All criteria in one request, one at a time, or one at a time and a taxonomy node by node."""

    FLAT = "flat"
    EACH = "each"
    SEQUENTIAL = "sequential"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A whole criterion, or one node of a taxonomy.

    A node is `among` others where all those of a graph are put in one request: then it is answered
    under a name of its own, and not answered where the way passes it by.
    """

    criterion: Criterion
    node: Node | None = None
    among: bool = False

    @property
    def key(self) -> str:
        """The name under which an answer is kept: "safety", "safety/nonsense"."""
        return f"{self.criterion.key}/{self.node.key}" if self.node else self.criterion.key

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """What is asked beside its value: of a criterion as a whole, not of each of its nodes."""
        return () if self.node else self.criterion.grounds

    @property
    def name(self) -> str:
        """The name under which a judge answers it."""
        if self.among and self.node is not None and isinstance(self.criterion, Taxonomy):
            return self.criterion.name_of(self.node)
        return self.criterion.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A question was asked and what came back is not an answer."""

    reason: Outcome


# A label's key, an option's key, or a score; or the reason why there is none.
Found = str | int | Unreadable
Findings = Mapping[str, Found]


def next_questions(rubric: Rubric, manner: AskingManner, found: Findings) -> tuple[Question, ...]:
    """Return what one request asks next; nothing once everything has been asked.

    A node whose answer cannot be read ends its criterion: what would come after it is unknown.
    """
    if manner is AskingManner.FLAT:
        return () if found else every_request(rubric, manner)[0]
    if manner is AskingManner.EACH:
        requests = every_request(rubric, manner)
        left = (questions for questions in requests if questions[0].key not in found)
        return next(left, ())
    for criterion in rubric.asked:
        if question := _open_question(criterion, found):
            return (question,)
    return ()


def every_request(rubric: Rubric, manner: AskingManner) -> tuple[tuple[Question, ...], ...]:
    """Return the questions of all requests that an item can take: no answer ends it early."""
    whole = tuple(_at_once(each) for each in rubric.asked)
    if manner is AskingManner.FLAT:
        return (tuple(question for questions in whole for question in questions),)
    if manner is AskingManner.EACH:
        return whole
    return tuple(
        (Question(criterion=criterion, node=node),)
        for criterion in rubric.asked
        for node in (criterion.nodes if isinstance(criterion, Taxonomy) else (None,))
    )


def _at_once(criterion: Criterion) -> tuple[Question, ...]:
    """What asks for a criterion in one request: of a graph the way there is to be told as well."""
    if isinstance(criterion, Taxonomy) and criterion.is_graph:
        return tuple(Question(criterion=criterion, node=one, among=True) for one in criterion.nodes)
    return (Question(criterion=criterion),)


def options_chosen(taxonomy: Taxonomy, found: Findings) -> dict[str, str]:
    """Return {node key: option key} of the nodes that were answered."""
    answers = {node.key: found.get(f"{taxonomy.key}/{node.key}") for node in taxonomy.nodes}
    return {key: answer for key, answer in answers.items() if isinstance(answer, str)}


def _open_question(criterion: Criterion, found: Findings) -> Question | None:
    if not isinstance(criterion, Taxonomy):
        return None if criterion.key in found else Question(criterion=criterion)
    node = reachable(criterion, options_chosen(criterion, found)).in_view
    if node is None:
        return None
    question = Question(criterion=criterion, node=node)
    return None if question.key in found else question
