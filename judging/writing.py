"""What a generator is sent about a conversation: its own words first, then the turns as they were.

A conversation goes out as the chat that it is, with nothing of the rubric and of nobody's ratings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judging.interviews import Exchange, written_in
from judging.parsing.thoughts import said_aloud
from judging.prompts import ItemText, Prompt
from judging.rules.budget import CAUTION, NOTHING, Price, Use, tokens_in
from judging.rules.outcomes import Outcome

EDITION = "replies-1"  # of the prompt; judges have other editions, so neither passes for the other
_REPLY = 400  # tokens of a reply where nobody limits it


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """How a generator is asked: with a system prompt, or without."""

    system: str = ""

    def next_prompt(self, item: ItemText, exchanges: Sequence[Exchange]) -> Prompt | None:
        """Return what to send, or None when it has been answered."""
        return None if exchanges else self.prompt(item)

    def prompt(self, item: ItemText) -> Prompt:
        """A conversation as a chat: whoever the reply is by is the assistant."""
        return Prompt(messages=tuple(self._messages(item)), schema=None)

    def most_use(
        self, item: ItemText, *, max_tokens: int | None, price: Price | None = None
    ) -> Use:
        """Reckon what a reply may take; `max_tokens` are those of the longest."""
        return self._use(item, max_tokens, price, caution=CAUTION)

    def likely_use(
        self, item: ItemText, *, max_tokens: int | None, price: Price | None = None
    ) -> Use:
        """The same without caution about what prompts cost."""
        return self._use(item, max_tokens, price, caution=1)

    def _use(
        self, item: ItemText, max_tokens: int | None, price: Price | None, caution: int
    ) -> Use:
        asked = sum(tokens_in(message["content"]) for message in self._messages(item))
        answer = _REPLY if max_tokens is None else max_tokens
        money = price.of(prompt=caution * asked, answer=answer) if price else NOTHING
        return Use(requests=1, tokens=asked + answer, money=money)

    def _messages(self, item: ItemText) -> Iterator[Mapping[str, str]]:
        if self.system:
            yield {"role": "system", "content": self.system}
        for turn in item.turns:
            role = "assistant" if turn["speaker"] == item.reply_speaker else "user"
            yield {"role": role, "content": turn["text"]}


def reply_in(exchanges: Sequence[Exchange]) -> str:
    """The reply as it was written, without what was thought before it; "" where there is none."""
    return (said_aloud(exchanges[-1]["text"]) or "").strip() if exchanges else ""


def outcome_of(exchanges: Sequence[Exchange]) -> Outcome:
    """What became of a request that was answered."""
    written = written_in(exchanges[-1])
    if written.was_withheld:
        return Outcome.REFUSED
    if written.was_cut_off:
        return Outcome.TRUNCATED
    if reply_in(exchanges):
        return Outcome.WRITTEN
    return Outcome.ONLY_REASONING if written.text.strip() else Outcome.EMPTY
