"""A prompt as somebody wrote it: texts with places for what the rubric and the item say."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from judging.rules.questions import AskingManner

PLACE = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}")
GENERAL = "general"  # the steps of a chain that are for every criterion

# What may stand between double braces, in the system message and in the one with the item.
OF_THE_RUBRIC = frozenset(
    (
        *("role", "title", "instructions", "criteria", "data_warning"),
        *("chain", "examples", "answer_form", "choices"),
    )
)
OF_THE_ITEM = frozenset(("item", "dialogue", "reply"))
OF_A_PAIR = frozenset(("item", "dialogue", "reply_a", "reply_b"))


class PromptSubject(StrEnum):
    """What a prompt is about: one reply, or two to the same conversation."""

    REPLY = "reply"
    PAIR = "pair"


class ReasoningOrder(StrEnum):
    """Where the reasoning stands: an answer that was written first cannot follow from it."""

    REASONING_FIRST = "reasoning_first"
    VERDICT_FIRST = "verdict_first"
    VERDICT_ONLY = "verdict_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedExample:
    """A dialogue and a reply that nobody rates, and what to answer: a label, a number or a way each."""

    turns: Sequence[Mapping[str, str]]
    reply: str
    reply_speaker: str
    answers: Mapping[str, str | int | Mapping[str, str]]
    reasoning: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """How a judge asks. `chain` are the steps of an expert's reasoning, those of one criterion
    under its key and those of all under `GENERAL`. Examples that no place in a text asks for are
    sent as turns before the item."""

    subject: PromptSubject = PromptSubject.REPLY
    language: str = "en"
    manner: AskingManner = AskingManner.FLAT
    as_json: bool = True
    order: ReasoningOrder = ReasoningOrder.REASONING_FIRST
    system: str
    user: str
    chain: Mapping[str, Sequence[str]] = field(default_factory=dict)
    examples: Sequence[WorkedExample] = ()

    @property
    def reasons(self) -> bool:
        """Whether a reasoning is asked for beside each value."""
        return self.order is not ReasoningOrder.VERDICT_ONLY

    @property
    def writes_examples_out(self) -> bool:
        return "examples" in places_in(self.system) | places_in(self.user)


_SYSTEM = "\n\n".join(
    (
        *("{{role}}", "# {{title}}", "{{instructions}}"),
        *("{{criteria}}", "{{data_warning}}", "{{answer_form}}"),
    )
)
_USER = "{{item}}\n\n{{answer_form}}"


def built_in(
    *,
    manner: AskingManner = AskingManner.FLAT,
    language: str = "en",
    as_json: bool = True,
    subject: PromptSubject = PromptSubject.REPLY,
) -> Template:
    """The prompt of judges that have no template of their own."""
    first, only = ReasoningOrder.REASONING_FIRST, ReasoningOrder.VERDICT_ONLY
    return Template(
        subject=subject,
        language=language,
        manner=manner,
        as_json=as_json,
        order=first if as_json else only,
        system=_SYSTEM,
        user=_USER,
    )


def places_in(text: str) -> set[str]:
    """The names between double braces."""
    return set(PLACE.findall(text))


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values into their places; a paragraph that comes to nothing falls away."""
    written = (
        (part, PLACE.sub(lambda place: values[place[1]], part)) for part in _paragraphs(text)
    )
    return "\n\n".join(whole for part, whole in written if whole.strip() or part == whole)


def _paragraphs(text: str) -> list[str]:
    return text.strip("\n").split("\n\n")
