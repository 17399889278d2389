"""What a run may use of an endpoint, and about what it will."""

from dataclasses import dataclass
from decimal import Decimal

from annotation.rubric.sentences import Sentence, sentence

# A rule of thumb for today's tokenizers: four letters of English, or one Chinese character.
_ASCII_A_TOKEN = 4
_REASONED, _PLAIN = 80, 10  # tokens a value, with a short reasoning before it and without
_BESIDE = 40  # tokens of what is said beside a value, of each kind


NOTHING = Decimal(0)
CENTS = 8  # digits that are kept of a sum: a call may cost a millionth
_MOST_TOKENS = 1_000_000_000  # of one request; no LLM reads so many
_MILLION = Decimal(1_000_000)
# So many times the tokens that are reckoned for a prompt may be billed, and are set aside.
CAUTION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """Requests, the tokens of their prompts and answers together, and what they cost."""

    requests: int = 0
    tokens: int = 0
    money: Decimal = NOTHING

    def __add__(self, other: "Use") -> "Use":
        return Use(
            requests=self.requests + other.requests,
            tokens=self.tokens + other.tokens,
            money=self.money + other.money,
        )

    def __sub__(self, other: "Use") -> "Use":
        return Use(
            requests=self.requests - other.requests,
            tokens=self.tokens - other.tokens,
            money=self.money - other.money,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens of prompts and of answers cost, and of prompts that the endpoint had in
    its cache; None where those have no price of their own."""

    prompt: Decimal
    answer: Decimal
    cached: Decimal | None = None
    currency: str = "USD"

    def of(self, *, prompt: int, answer: int, cached: int = 0) -> Decimal:
        """What so many tokens cost, so many of the prompt `cached`."""
        cached = min(cached, prompt)
        kept = self.prompt if self.cached is None else self.cached
        cost = (prompt - cached) * self.prompt + cached * kept + answer * self.answer
        return round(cost / _MILLION, CENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The most that a run may use; None where nobody set a limit."""

    requests: int | None = None
    tokens: int | None = None
    money: Decimal | None = None

    @property
    def is_set(self) -> bool:
        return any(most is not None for most in (self.requests, self.tokens, self.money))

    def allows(self, use: Use) -> bool:
        """Say whether `use` in all stays within the limit."""
        return (
            (self.requests is None or use.requests <= self.requests)
            and (self.tokens is None or use.tokens <= self.tokens)
            and (self.money is None or use.money <= self.money)
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
    if limit.money is not None and used.money >= limit.money:
        return sentence(
            "The run has spent {used} already. Set a higher limit, or none.",
            used=f"{used.money:.4f}",
        )
    return None


def reason_not_to_limit_money(
    limit: Limit, *, price: Price | None, max_tokens: int | None
) -> Sentence | None:
    """Say why money cannot be held to a limit, or None when it can or need not be."""
    if limit.money is None:
        return None
    if price is None:
        return sentence(
            "Nobody has said what this LLM costs at this endpoint, so its runs cannot be held to a "
            "sum of money. Limit requests or tokens."
        )
    if max_tokens is None:
        return sentence(
            "A limit in money needs a longest answer: without one nobody knows what a call may cost."
        )
    return None


def is_count(told: object) -> bool:
    """Whether this can be a number of tokens: endpoints may say anything."""
    return isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= _MOST_TOKENS


def tokens_in(text: str) -> int:
    """Reckon the tokens of a text from its characters; endpoints count differently by a third."""
    n_other = len(text) - len(text.encode("ascii", "ignore"))
    return n_other + -(-(len(text) - n_other) // _ASCII_A_TOKEN)


def answer_tokens(*, values: int, reasoned: bool, beside: int = 0, most: int | None) -> int:
    """Reckon the tokens of an answer: `most` where the judge has a limit, else by its form."""
    if most is not None:
        return most
    return values * (_REASONED if reasoned else _PLAIN) + beside * _BESIDE
