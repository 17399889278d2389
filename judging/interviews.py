"""What a judge asks about an item next, and what its answers so far amount to.

All is worked out from the exchanges, so that an interview goes on where it stopped, and stored
answers can be read again without asking again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.rubric.answers import Answer
from annotation.rubric.schema import Rubric
from judging import parsing, prompts
from judging.parsing import WrittenAnswer
from judging.prompts import Instructions, ItemText, Prompt
from judging.rules.budget import Use, answer_tokens, tokens_in
from judging.rules.questions import (
    AskingManner,
    Found,
    Question,
    Unreadable,
    every_request,
    next_questions,
)

Exchange = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interview:
    """How a judge asks: a rubric in one manner, language and form of answer."""

    rubric: Rubric
    manner: AskingManner
    language: str
    as_json: bool
    _instructions: dict[tuple[str, ...], Instructions] = field(default_factory=dict)

    def next_prompt(self, item: ItemText, exchanges: Sequence[Exchange]) -> Prompt | None:
        """Return what to send next, or None when everything has been asked."""
        if self.manner is AskingManner.FLAT and exchanges:
            return None
        questions = self._next(self._found(exchanges))
        return prompts.address(self._instruct(questions), item) if questions else None

    def first_prompt(self, item: ItemText) -> Prompt:
        """Return what is sent first: every rubric asks something."""
        return prompts.address(self._instruct(self._next({})), item)

    def most_use(self, item: ItemText, *, max_tokens: int | None) -> Use:
        """Reckon what an interview takes that asks everything; `max_tokens` are those an answer."""
        requests = every_request(self.rubric, self.manner)
        tokens = 0
        for questions in requests:
            prompt = prompts.address(self._instruct(questions), item)
            tokens += sum(tokens_in(message["content"]) for message in prompt.messages)
            tokens += answer_tokens(values=len(questions), as_json=self.as_json, most=max_tokens)
        return Use(requests=len(requests), tokens=tokens)

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

    def _next(self, found: Mapping[str, Found]) -> tuple[Question, ...]:
        return next_questions(self.rubric, self.manner, found)

    def _found(self, exchanges: Iterable[Exchange]) -> dict[str, Found]:
        found: dict[str, Found] = {}
        for exchange in exchanges:
            written = WrittenAnswer(
                text=exchange["text"],
                finish=exchange["finish"],
                is_refusal=exchange["refusal"],
            )
            found |= parsing.read(self._next(found), written, as_json=self.as_json)
        return found

    def _instruct(self, questions: tuple[Question, ...]) -> Instructions:
        keys = tuple(question.key for question in questions)
        if keys not in self._instructions:
            self._instructions[keys] = prompts.instruct(
                self.rubric, questions, language=self.language, as_json=self.as_json
            )
        return self._instructions[keys]
