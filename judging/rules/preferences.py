"""What preferences between two replies come to: which source is preferred, and what the place decides.

A judge that is asked about a pair in both orders and prefers another reply each time has preferred a
place. Such a pair is nobody's win.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from judging.rules.comparing import FIRST, SECOND, TIE

Z_95 = 1.959963984540054
_TURNED = {FIRST: SECOND, SECOND: FIRST, TIE: TIE, "": ""}


class PreferenceRow(NamedTuple):
    """What was preferred in one call, by where it stood; "" where that could not be read."""

    criterion: str
    conversation: int
    first: int
    second: int
    first_source: str
    second_source: str
    repeat: int
    preferred: str


class ShareFound(NamedTuple):
    """A share with its 95 % interval, and of how many; None where there are none."""

    value: float
    low: float
    high: float
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceEffect:
    """What the place of a reply decided, in one criterion.

    `first`: among the calls that preferred a reply, those that preferred the one that stood first.
    Of the pairs that were asked about in both orders and read twice: how often the same was said, and
    how often the place was preferred, the first or the second; the others said tie once.
    """

    criterion: str
    calls: int
    unread: int
    ties: int
    first: ShareFound | None
    both_orders: int
    same: int
    first_twice: int
    second_twice: int

    @property
    def tie_once(self) -> int:
        return self.both_orders - self.same - self.first_twice - self.second_twice


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWins:
    """How often replies of one source were preferred to those of another, in one criterion.

    A pair is won where every order that was asked and read says so; `share` counts what is undecided
    half for each.
    """

    criterion: str
    source: str
    other: str
    won: int
    lost: int
    undecided: int
    share: ShareFound | None


def place_effects(rows: Sequence[PreferenceRow]) -> list[PlaceEffect]:
    """The effect of the place, a criterion each, in the order in which they come."""
    return [_place_effect(key, own) for key, own in _by_criterion(rows).items()]


def wins(rows: Sequence[PreferenceRow]) -> list[SourceWins]:
    """Every two sources that were compared, a criterion each."""
    return [
        _wins(key, *sources, outcomes)
        for key, own in _by_criterion(rows).items()
        for sources, outcomes in _by_sources(own).items()
    ]


def _by_criterion(rows: Sequence[PreferenceRow]) -> dict[str, list[PreferenceRow]]:
    found: dict[str, list[PreferenceRow]] = {}
    for row in rows:
        found.setdefault(row.criterion, []).append(row)
    return found


def _place_effect(criterion: str, rows: Sequence[PreferenceRow]) -> PlaceEffect:
    chosen = [row for row in rows if row.preferred in {FIRST, SECOND}]
    twice = [(a.preferred, b.preferred) for a, b in _in_both_orders(rows)]
    return PlaceEffect(
        criterion=criterion,
        calls=len(rows),
        unread=sum(not row.preferred for row in rows),
        ties=sum(row.preferred == TIE for row in rows),
        first=share_of((row.conversation, float(row.preferred == FIRST)) for row in chosen),
        both_orders=len(twice),
        same=sum(a == _TURNED[b] for a, b in twice),
        first_twice=twice.count((FIRST, FIRST)),
        second_twice=twice.count((SECOND, SECOND)),
    )


def _in_both_orders(rows: Sequence[PreferenceRow]) -> list[tuple[PreferenceRow, PreferenceRow]]:
    """Pairs that were read in one order and in the other, of the same repeat."""
    read = {(row.first, row.second, row.repeat): row for row in rows if row.preferred}
    return [
        (row, read[second, first, repeat])
        for (first, second, repeat), row in read.items()
        if first < second and (second, first, repeat) in read
    ]


def _by_sources(
    rows: Sequence[PreferenceRow],
) -> dict[tuple[str, str], list[tuple[int, str]]]:
    """{(source, other): [(conversation, FIRST where the source won a pair, …)]}."""
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    read = sorted((row for row in rows if row.preferred), key=_pair_of)
    for _pair, group in groupby(read, key=_pair_of):
        asked = list(group)
        told = [_from_the_lesser_source(row) for row in asked]
        said = {outcome for _sources, outcome in told}
        outcome = said.pop() if len(said) == 1 else TIE
        found.setdefault(told[0][0], []).append((asked[0].conversation, outcome))
    return dict(sorted(found.items()))


def _pair_of(row: PreferenceRow) -> tuple[int, int, int]:
    return min(row.first, row.second), max(row.first, row.second), row.repeat


def _from_the_lesser_source(row: PreferenceRow) -> tuple[tuple[str, str], str]:
    if row.first_source <= row.second_source:
        return (row.first_source, row.second_source), row.preferred
    return (row.second_source, row.first_source), _TURNED[row.preferred]


def _wins(
    criterion: str, source: str, other: str, outcomes: Sequence[tuple[int, str]]
) -> SourceWins:
    worth: Mapping[str, float] = {FIRST: 1.0, SECOND: 0.0, TIE: 0.5}
    said = [outcome for _conversation, outcome in outcomes]
    return SourceWins(
        criterion=criterion,
        source=source,
        other=other,
        won=said.count(FIRST),
        lost=said.count(SECOND),
        undecided=said.count(TIE),
        share=share_of((conversation, worth[outcome]) for conversation, outcome in outcomes),
    )


def share_of(values: Iterable[tuple[int, float]]) -> ShareFound | None:
    """The mean of values between 0 and 1 that hang together in clusters: (cluster, value).

    The interval is Wilson's (1927) with the number of values that would tell as much if they did not
    hang together (Kish 1965): p (1 - p) over the variance between clusters; never more than
    there are, and the number of clusters where all are alike.
    """
    clusters: dict[int, list[float]] = {}
    for cluster, value in values:
        clusters.setdefault(cluster, []).append(value)
    n = sum(map(len, clusters.values()))
    if not n:
        return None
    share = sum(map(sum, clusters.values())) / n
    size = _effective_size(list(clusters.values()), n, share)
    middle = (share + Z_95**2 / (2 * size)) / (1 + Z_95**2 / size)
    reach = Z_95 / (1 + Z_95**2 / size)
    reach *= math.sqrt(share * (1 - share) / size + Z_95**2 / (4 * size**2))
    return ShareFound(share, max(0.0, middle - reach), min(1.0, middle + reach), n)


def _effective_size(clusters: Sequence[Sequence[float]], n: int, share: float) -> float:
    size = len(clusters)
    if size < 2:
        return 1.0
    spread = sum((sum(one) - share * len(one)) ** 2 for one in clusters)
    variance = size / (size - 1) * spread / n**2
    if variance == 0:
        return float(size)
    return min(float(n), share * (1 - share) / variance)
