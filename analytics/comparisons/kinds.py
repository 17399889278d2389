"""Who is compared with whom, and what a comparison tells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TypeAlias

from analytics.stats.estimates import Estimate

Figures: TypeAlias = Mapping[str, Estimate]


class Kind(StrEnum):
    """Who is compared with whom."""

    HUMANS = "humans"
    HUMAN_PAIR = "human_pair"
    JUDGE_HUMANS = "judge_humans"
    JUDGE_HUMAN = "judge_human"
    JUDGE_GOLD = "judge_gold"
    JUDGE_REPEATS = "judge_repeats"


SINGLE = (Kind.HUMAN_PAIR, Kind.JUDGE_HUMAN)
WITH_JUDGE = (Kind.JUDGE_HUMANS, Kind.JUDGE_HUMAN, Kind.JUDGE_GOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Figures of one criterion at item level: each rated item is a point.

    `raters`: ids; of a pair with a judge the judge comes last, so bias is judge less human.
    Of a judge that was run several times figures are means over its runs.
    `table`: counts with the first rater (people, gold) in the rows, of the judge's first run; None
    for a panel and for the mean or sum of several criteria.
    `own_left_out`: items left out because the judge's own family wrote them.
    """

    criterion: str
    kind: Kind
    raters: tuple[int, ...]
    estimates: Mapping[str, Estimate]
    table: tuple[tuple[int, ...], ...] | None = None
    own_left_out: int = 0

    def made_of(self, points: Sequence[float]) -> tuple[int, ...]:
        """Of two answers, the counts that its figures give back to who solves for whole numbers; of what
        a judge answers again nobody else's."""
        if len(points) != 2 or self.kind is Kind.JUDGE_REPEATS:
            return ()
        return (*parted(self.estimates, points), *chain(*(self.table or ())))


def parted(figures: Figures, points: Sequence[float]) -> tuple[int, ...]:
    """How often two raters with two answers part, one way and the other: exact agreement and bias
    together tell it, exact agreement alone how often in all."""
    exact, bias = figures.get("exact"), figures.get("bias")
    if exact is None or exact.value is None:
        return ()
    apart = (1 - exact.value) * exact.n_pairs
    if bias is None or bias.value is None:
        return (round(apart),)
    more = bias.value * bias.n_pairs / (points[1] - points[0])
    return round((apart + more) / 2), round((apart - more) / 2)
