"""What a judge asks about an item next, and what its answers so far amount to.

All is worked out from the exchanges, so that an interview goes on where it stopped, and stored
answers can be read again without asking again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation.rubric.answers import Answer
from annotation.rubric.grounds import Grounds
from annotation.rubric.schema import Ground, Rubric
from judging import parsing, prompts
from judging.parsing import WrittenAnswer
from judging.parsing.beside import Said, grounds_in, read_beside, reasons_told, together
from judging.prompts import Instructions, ItemText, Prompt
from judging.prompts.template import Template
from judging.rules.budget import CAUTION, NOTHING, Price, Use, answer_tokens, tokens_in
from judging.rules.questions import (
    AskingManner,
    Found,
    Question,
    Unreadable,
    every_request,
    next_questions,
)

_SHORT = 200  # characters up to which answers are likely to come again word for word
_MOST_KEPT = 1000  # readings

Exchange = Mapping[str, Any]


class Asking(Protocol):
    """How an LLM is asked about an item: what a run needs to know of it."""

    def next_prompt(self, item: ItemText, exchanges: Sequence[Exchange]) -> Prompt | None:
        """Return what to send next, or None when everything has been asked."""

    def most_use(
        self, item: ItemText, *, max_tokens: int | None, price: Price | None = None
    ) -> Use:
        """Reckon what it may take to ask all about an item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """How a judge asks: a rubric, put by a template.

    A short answer that comes again to the same questions is read once.
    """

    rubric: Rubric
    template: Template
    _instructions: dict[tuple[str, ...], Instructions] = field(default_factory=dict)
    _readings: dict[tuple[tuple[str, ...], WrittenAnswer], Mapping[str, Found]] = field(
        default_factory=dict
    )

    def next_prompt(self, item: ItemText, exchanges: Sequence[Exchange]) -> Prompt | None:
        """Return what to send next, or None when everything has been asked."""
        if self.template.manner is AskingManner.FLAT and exchanges:
            return None
        questions = self._next(self._found(exchanges))
        return prompts.address(self._instruct(questions), item) if questions else None

    def first_prompt(self, item: ItemText) -> Prompt:
        """Return what is sent first: every rubric asks something."""
        return prompts.address(self._instruct(self._next({})), item)

    def most_use(
        self, item: ItemText, *, max_tokens: int | None, price: Price | None = None
    ) -> Use:
        """Reckon what an interview may take that asks everything; `max_tokens` are those an answer."""
        return self._use(item, max_tokens, price, caution=CAUTION)

    def likely_use(
        self, item: ItemText, *, max_tokens: int | None, price: Price | None = None
    ) -> Use:
        """The same without caution about what prompts cost."""
        return self._use(item, max_tokens, price, caution=1)

    def use_of(
        self,
        prompt: Prompt,
        *,
        max_tokens: int | None,
        price: Price | None = None,
        caution: int = 1,
    ) -> Use:
        """Reckon what one request takes, with its answer."""
        asked = sum(tokens_in(message["content"]) for message in prompt.messages)
        reasoned = self.template.reasons
        beside = self._n_beside(prompt)
        answer = answer_tokens(
            values=len(prompt.asked), reasoned=reasoned, beside=beside, most=max_tokens
        )
        money = price.of(prompt=caution * asked, answer=answer) if price else NOTHING
        return Use(requests=1, tokens=asked + answer, money=money)

    def _n_beside(self, prompt: Prompt) -> int:
        """How much is asked beside the values of a prompt."""
        if not self.template.as_json:
            return 0
        asked = (one for questions in self.requests() for one in questions)
        return sum(len(one.grounds) for one in asked if one.key in prompt.asked)

    def _use(
        self, item: ItemText, max_tokens: int | None, price: Price | None, caution: int
    ) -> Use:
        uses = (
            self.use_of(prompt, max_tokens=max_tokens, price=price, caution=caution)
            for prompt in self.every_prompt(item)
        )
        return sum(uses, Use())

    def every_prompt(self, item: ItemText) -> list[Prompt]:
        """Return what is sent at most: no answer ends the interview early."""
        return [prompts.address(self._instruct(questions), item) for questions in self.requests()]

    def requests(self) -> tuple[tuple[Question, ...], ...]:
        """Return the questions of all requests that there may be."""
        return every_request(self.rubric, self.template.manner)

    def prompts(self, item: ItemText, exchanges: Sequence[Exchange]) -> list[Prompt]:
        """Return the prompts that were sent, one an exchange."""
        sent = (self.next_prompt(item, exchanges[:number]) for number in range(len(exchanges)))
        return [prompt for prompt in sent if prompt is not None]

    def first_found(self, exchange: Exchange) -> list[Found]:
        """Return what a first exchange answers, question by question."""
        return list(self._found([exchange]).values())

    def conclude(self, exchanges: Sequence[Exchange]) -> dict[str, Answer | Unreadable]:
        """Return the answer to each criterion, or why there is none."""
        return parsing.conclude(self.rubric, self._found(exchanges))

    @property
    def says_beside(self) -> bool:
        """Whether anything may stand beside a value: reasons, or what only JSON has room for."""
        asks = self.template.as_json and any(one.grounds for one in self.rubric.asked)
        return asks or self.template.reasons

    def beside(
        self,
        item: ItemText,
        exchanges: Sequence[Exchange],
        concluded: Mapping[str, Answer | Unreadable],
    ) -> tuple[Grounds, ...]:
        """What is said beside the answers that were concluded, its quotations held against the texts."""
        found: dict[str, list[Grounds]] = {}
        for exchange in exchanges if self.says_beside else ():
            questions = self._asked(item, exchange) or ()
            said = self._said_beside(questions, exchange)
            for question in questions:
                answer = concluded.get(question.criterion.key)
                if question.key not in said or not isinstance(answer, Answer):
                    continue
                own = grounds_in(question, answer, said[question.key], item.texts)
                if own is not None and not _is_passed_by(question, answer):
                    found.setdefault(own.criterion, []).append(own)
        return tuple(together(said) for said in found.values())

    def _said_beside(self, questions: Sequence[Question], exchange: Exchange) -> dict[str, Said]:
        """{question: what is said beside its value}; in plain words that is its reasons."""
        written = written_in(exchange)
        if self.template.as_json:
            return read_beside(questions, written)
        told = reasons_told(questions, written)
        return {key: {Ground.RATIONALE.value: words} for key, words in told.items()}

    def conclude_again(
        self, item: ItemText, exchanges: Sequence[Exchange]
    ) -> dict[str, Answer | Unreadable] | None:
        """Conclude from answers that were read otherwise when they came; None where it is no
        longer known what they answer, because the item or the wording has changed since."""
        found: dict[str, Found] = {}
        for exchange in exchanges:
            questions = self._asked(item, exchange)
            if questions is None:
                return None
            found |= self._read(questions, exchange)
        return parsing.conclude(self.rubric, found)

    def _asked(self, item: ItemText, exchange: Exchange) -> tuple[Question, ...] | None:
        """The questions that were put in a request: all, or those with the prompt that was sent."""
        requests = self.requests()
        if self.template.manner is AskingManner.FLAT:
            return requests[0]
        if "asked" in exchange:
            known = {tuple(one.key for one in questions): questions for questions in requests}
            return known.get(tuple(exchange["asked"]))
        for questions in requests:
            prompt = prompts.address(self._instruct(questions), item)
            if prompt.sha256 == exchange["prompt_sha256"]:
                return questions
        return None

    def _next(self, found: Mapping[str, Found]) -> tuple[Question, ...]:
        return next_questions(self.rubric, self.template.manner, found)

    def _found(self, exchanges: Iterable[Exchange]) -> dict[str, Found]:
        found: dict[str, Found] = {}
        for exchange in exchanges:
            found |= self._read(self._next(found), exchange)
        return found

    def _read(self, questions: Sequence[Question], exchange: Exchange) -> Mapping[str, Found]:
        written = written_in(exchange)
        if len(written.text) > _SHORT:
            return parsing.read(questions, written, as_json=self.template.as_json)
        asked = tuple(question.key for question in questions), written
        if asked not in self._readings:
            if len(self._readings) >= _MOST_KEPT:
                self._readings.clear()
            found = parsing.read(questions, written, as_json=self.template.as_json)
            self._readings[asked] = found
            return found
        return self._readings[asked]

    def _instruct(self, questions: tuple[Question, ...]) -> Instructions:
        keys = tuple(question.key for question in questions)
        if keys not in self._instructions:
            self._instructions[keys] = prompts.instruct(self.rubric, questions, self.template)
        return self._instructions[keys]


def _is_passed_by(question: Question, answer: Answer) -> bool:
    """Whether a node of a graph is not on the way that was taken."""
    node = question.node
    return question.among and node is not None and node.key not in dict(answer.path)


def written_in(exchange: Exchange) -> WrittenAnswer:
    """What an endpoint answered, as the parser takes it."""
    return WrittenAnswer(
        text=exchange["text"], finish=exchange["finish"], is_refusal=exchange["refusal"]
    )
