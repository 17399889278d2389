"""What preferences between two replies come to: which source is preferred, and what the place decides.

A judge that is asked about a pair in both orders and prefers another reply each time has preferred a
place. Such a pair is nobody's win. Each repeat is a pair of its own here; intervals take all that is
about one conversation to hang together.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import NormalDist, fmean
from typing import NamedTuple

from annotation.rules.small_counts import enough
from judging.rules.comparing import FIRST, SECOND, TIE

LEVEL = 0.05
_TURNED = {FIRST: SECOND, SECOND: FIRST, TIE: TIE, "": ""}


class PreferenceRow(NamedTuple):
    """What was preferred in one call, by where it stood; "" where that could not be read. The scores are
    those of both replies, where values were asked for."""

    criterion: str
    conversation: int
    first: int
    second: int
    first_source: str
    second_source: str
    repeat: int
    preferred: str
    first_score: int | None = None
    second_score: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFound:
    """A share with its 95 % interval, of how many, and about how many conversations these are."""

    value: float
    low: float
    high: float
    of: int
    conversations: int

    @property
    def counted(self) -> tuple[int, int]:
        """How many it counts, and how many it leaves over."""
        n = round(self.value * self.of)
        return n, self.of - n


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceEffect:
    """What the place of a reply decided, in one criterion.

    `first`: among the calls that preferred a reply, those that preferred the one that stood first.
    Of the pairs that were asked about in both orders and read twice: how often the same was said, and
    how often the place was preferred, the first or the second; the others said tie once.
    `is_by_place`: this share is surely not a half, all criteria of the run taken together (Bonferroni).
    Where values of both were asked for, `shift` is by how many points the same reply beside the same
    other one has more on average as the first than as the second, of `valued` replies in all, and
    `higher_as_first` how often it has more as the first, of those whose value the place changed.
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
    is_by_place: bool
    shift: float | None = None
    valued: int = 0
    higher_as_first: ShareFound | None = None

    @property
    def tie_once(self) -> int:
        return self.both_orders - self.same - self.first_twice - self.second_twice

    @property
    def moved(self) -> tuple[int, int, int]:
        """How many values the place raised, lowered and left as they are: the mean gives them back."""
        higher, lower = self.higher_as_first.counted if self.higher_as_first else (0, 0)
        return higher, lower, self.valued - higher - lower

    @property
    def small(self) -> frozenset[str]:
        """What gives a small count back, as tables of the same leave it out."""
        found: set[str] = set()
        if not enough(self.same, self.first_twice, self.second_twice, self.tie_once):
            found |= {"same", "first_twice", "second_twice", "tie_once", "first"}
        if self.first and not enough(*self.first.counted):
            found.add("first")
        if not enough(*self.moved):
            found |= {"shift", "higher_as_first"}
        return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWins:
    """How often replies of one source were preferred to those of another, in one criterion.

    A pair is won where every order says so; `share` counts what is undecided half for each. A pair is
    left out, and counted, where an order was not asked or its answer could not be read.
    """

    criterion: str
    source: str
    other: str
    won: int
    lost: int
    undecided: int
    left_out: int
    share: ShareFound | None

    @property
    def small(self) -> frozenset[str]:
        """What gives a small count back, as tables of the same leave it out."""
        told = enough(self.won, self.lost, self.undecided)
        return frozenset(() if told else ("won", "lost", "undecided", "share"))


def place_effects(rows: Sequence[PreferenceRow]) -> list[PlaceEffect]:
    """The effect of the place, a criterion each, in the order in which they come."""
    found = _by_criterion(rows)
    return [_place_effect(key, own, level=LEVEL / len(found)) for key, own in found.items()]


def wins(
    rows: Sequence[PreferenceRow], *, both_orders: bool, reference: str = ""
) -> list[SourceWins]:
    """Every two sources that were compared, a criterion each; a `reference` is always the other."""
    return [
        _wins(key, *sources, outcomes)
        for key, own in _by_criterion(rows).items()
        for sources, outcomes in _by_sources(own, 1 + both_orders, reference).items()
    ]


def _by_criterion(rows: Sequence[PreferenceRow]) -> dict[str, list[PreferenceRow]]:
    found: dict[str, list[PreferenceRow]] = {}
    for row in rows:
        found.setdefault(row.criterion, []).append(row)
    return found


def _place_effect(criterion: str, rows: Sequence[PreferenceRow], *, level: float) -> PlaceEffect:
    chosen = [
        (row.conversation, float(row.preferred == FIRST))
        for row in rows
        if row.preferred in {FIRST, SECOND}
    ]
    surely = share_of(chosen, level=level)
    both = _in_both_orders(rows)
    twice = [(a.preferred, b.preferred) for a, b in both]
    moved = [(a.conversation, more) for a, b in both for more in _more_as_first(a, b)]
    return PlaceEffect(
        criterion=criterion,
        calls=len(rows),
        unread=sum(not row.preferred for row in rows),
        ties=sum(row.preferred == TIE for row in rows),
        first=share_of(chosen),
        both_orders=len(twice),
        same=sum(a == _TURNED[b] for a, b in twice),
        first_twice=twice.count((FIRST, FIRST)),
        second_twice=twice.count((SECOND, SECOND)),
        is_by_place=surely is not None and not surely.low <= 0.5 <= surely.high,
        valued=len(moved),
        shift=fmean(more for _conversation, more in moved) if moved else None,
        higher_as_first=share_of((place, float(more > 0)) for place, more in moved if more),
    )


def _more_as_first(one: PreferenceRow, turned: PreferenceRow) -> Iterator[int]:
    """By how many points each of both replies has more where it stands first."""
    scores = (one.first_score, turned.second_score), (turned.first_score, one.second_score)
    for as_first, as_second in scores:
        if as_first is not None and as_second is not None:
            yield as_first - as_second


def _in_both_orders(rows: Sequence[PreferenceRow]) -> list[tuple[PreferenceRow, PreferenceRow]]:
    """Pairs that were read in one order and in the other, of the same repeat."""
    read = {(row.first, row.second, row.repeat): row for row in rows if row.preferred}
    return [
        (row, read[second, first, repeat])
        for (first, second, repeat), row in read.items()
        if first < second and (second, first, repeat) in read
    ]


def _by_sources(
    rows: Sequence[PreferenceRow], n_orders: int, reference: str
) -> dict[tuple[str, str], list[tuple[int, str]]]:
    """{(source, other): [(conversation, FIRST where the source won a pair, …)]}; "" where not every
    order was read."""
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for _pair, group in groupby(sorted(rows, key=_pair_of), key=_pair_of):
        asked = list(group)
        told = [_as_of_the_source(row, reference) for row in asked]
        said = {outcome for _sources, outcome in told}
        outcome = said.pop() if len(said) == 1 else TIE
        if len([row for row in asked if row.preferred]) < n_orders:
            outcome = ""
        found.setdefault(told[0][0], []).append((asked[0].conversation, outcome))
    return dict(sorted(found.items()))


def _pair_of(row: PreferenceRow) -> tuple[int, int, int]:
    return min(row.first, row.second), max(row.first, row.second), row.repeat


def _as_of_the_source(row: PreferenceRow, reference: str) -> tuple[tuple[str, str], str]:
    """((source, other), what was preferred as if the reply of the source stood first)."""
    sources = (row.first_source, row.second_source)
    is_turned = sources[0] > sources[1]
    if reference in sources:
        is_turned = sources[0] == reference
    if is_turned:
        return (sources[1], sources[0]), _TURNED[row.preferred]
    return sources, row.preferred


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
        left_out=said.count(""),
        share=share_of(
            (conversation, worth[outcome]) for conversation, outcome in outcomes if outcome
        ),
    )


def share_of(values: Iterable[tuple[int, float]], *, level: float = LEVEL) -> ShareFound | None:
    """The mean of values between 0 and 1 that hang together in clusters: (cluster, value).

    The interval is Wilson's (1927) with the number of values that would tell as much if they did not
    hang together (Kish 1965): p (1 - p) over the variance between clusters; never more than
    there are, and the number of clusters where all are alike. How far clusters differ is told by
    them alone, so the quantile is Student's t.
    """
    clusters: dict[int, list[float]] = {}
    for cluster, value in values:
        clusters.setdefault(cluster, []).append(value)
    n = sum(map(len, clusters.values()))
    if not n:
        return None
    share = sum(map(sum, clusters.values())) / n
    size, freedom = _effective_size(list(clusters.values()), n, share)
    z = NormalDist().inv_cdf(1 - level / 2)
    z = _students(z, freedom) if freedom else z
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    reach = z / (1 + z**2 / size)
    reach *= math.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    return ShareFound(
        value=share,
        low=max(0.0, middle - reach),
        high=min(1.0, middle + reach),
        of=n,
        conversations=len(clusters),
    )


def _effective_size(
    clusters: Sequence[Sequence[float]], n: int, share: float
) -> tuple[float, int | None]:
    """As how many values they tell, and the degrees of freedom of the variance between clusters that
    says so, None where it does not."""
    size = len(clusters)
    if size < 2:
        return 1.0, None
    spread = sum((sum(one) - share * len(one)) ** 2 for one in clusters)
    variance = size / (size - 1) * spread / n**2
    if variance == 0:
        return float(size), None
    told = share * (1 - share) / variance
    return (told, size - 1 if size < n else None) if told < n else (float(n), None)


def _students(z: float, freedom: int) -> float:
    """The quantile of Student's t beside that of the normal distribution, z (Abramowitz & Stegun
    1964, 26.7.5); at 95 % a tenth short of it with one degree of freedom, a hundredth with two."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** place for place, term in enumerate(terms, start=1))
