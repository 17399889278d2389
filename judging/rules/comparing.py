"""Which replies to the same conversation are held against each other, and in which order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, groupby
from typing import NamedTuple

from annotation.rules.splitting import lot

FIRST, SECOND, TIE = "first", "second", "tie"
OVERALL = "overall"
"""What stands for a criterion where replies are compared on the whole."""


class Pairing(StrEnum):
    """Every two replies of different sources, or each against those of one source."""

    ALL = "all"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsWanted:
    """Which pairs are asked about, and how; the names are those of a kept comparison."""

    reference: str = ""
    most: int | None = None
    both_orders: bool = True
    overall: bool = False
    values: bool = False
    ties: bool = True
    seed: str = ""


class ReplyToPair(NamedTuple):
    """A reply: its item, the conversation that it answers, and who wrote it."""

    item: int
    conversation: int
    source: str


class Pair(NamedTuple):
    """Two items; `first` stands first."""

    first: int
    second: int

    @property
    def turned(self) -> "Pair":
        return Pair(self.second, self.first)


def pairs_of(
    replies: Sequence[ReplyToPair], *, reference: str, most: int | None, seed: str
) -> list[Pair]:
    """The pairs that are asked about, each in the order that the seed draws for it.

    Replies of one source are never held against each other. With a `reference` one of each pair is
    by it; `most` pairs are drawn where there are more. All depends on the seed and the items
    alone, so that a second judge is asked the same.
    """
    found = [
        (one.item, other.item)
        for one, other in _of_one_conversation(replies)
        if one.source != other.source and (not reference or reference in (one.source, other.source))
    ]
    if most is not None:
        drawn = sorted(found, key=lambda pair: lot(seed, f"{pair[0]} {pair[1]}"))[:most]
        found = sorted(drawn)
    return [_in_drawn_order(Pair(*pair), seed) for pair in found]


def _of_one_conversation(
    replies: Sequence[ReplyToPair],
) -> Iterator[tuple[ReplyToPair, ReplyToPair]]:
    together = sorted(replies, key=lambda one: (one.conversation, one.item))
    for _conversation, group in groupby(together, key=lambda one: one.conversation):
        yield from combinations(group, 2)


def _in_drawn_order(pair: Pair, seed: str) -> Pair:
    is_turned = int(lot(f"{seed}\norder", f"{pair.first} {pair.second}"), 16) % 2
    return pair.turned if is_turned else pair
