"""What a run may use of an endpoint, and about what it will."""

from dataclasses import dataclass

from annotation.rubric.sentences import Sentence, sentence

# A rule of thumb for today's tokenizers: four letters of English, or one Chinese character.
_ASCII_A_TOKEN = 4
_REASONED, _PLAIN = 80, 10  # tokens a value, with a short reasoning before it and without


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Requests, and the tokens of their prompts and answers together."""

    requests: int = 0
    tokens: int = 0

    def __add__(self, other: "Use") -> "Use":
        return Use(requests=self.requests + other.requests, tokens=self.tokens + other.tokens)

    def __sub__(self, other: "Use") -> "Use":
        return Use(requests=self.requests - other.requests, tokens=self.tokens - other.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most that a run may use; None where nobody set a limit."""

    requests: int | None = None
    tokens: int | None = None

    @property
    def is_set(self) -> bool:
        return self.requests is not None or self.tokens is not None

    def allows(self, use: Use) -> bool:
        """Say whether `use` in all stays within the limit."""
        return (self.requests is None or use.requests <= self.requests) and (
            self.tokens is None or use.tokens <= self.tokens
        )


NO_LIMIT = Limit()


def reason_not_to_go_on(limit: Limit, used: Use) -> Sentence | None:
    """Say why a run cannot go on under this limit, or None when it can."""
    if limit.requests is not None and used.requests >= limit.requests:
        return sentence(
            "The run has used {used} requests already. Set a higher limit, or none.",
            used=f"{used.requests:,}",
        )
    if limit.tokens is not None and used.tokens >= limit.tokens:
        return sentence(
            "The run has used {used} tokens already. Set a higher limit, or none.",
            used=f"{used.tokens:,}",
        )
    return None


def tokens_in(text: str) -> int:
    """Reckon the tokens of a text from its characters; endpoints count differently by a third."""
    n_other = len(text) - len(text.encode("ascii", "ignore"))
    return n_other + -(-(len(text) - n_other) // _ASCII_A_TOKEN)


def answer_tokens(*, values: int, as_json: bool, most: int | None) -> int:
    """Reckon the tokens of an answer: `most` where the judge has a limit, else by its form."""
    return values * (_REASONED if as_json else _PLAIN) if most is None else most
