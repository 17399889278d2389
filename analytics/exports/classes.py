"""k-anonymity: how many are alike in all that somebody could know of them from elsewhere.

Sweeney, L. (2002). k-anonymity: A model for protecting privacy. IJUFKS 10(5), 557–570.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

K = 5  # fewer alike, and one of them could be told from the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """A class: what somebody could know (one value an attribute), and how many it is true of."""

    values: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Classes:
    """Everybody, by what could be known of them.

    `smallest`: how many the smallest class has, 0 of nobody; `small`: the classes of fewer than K,
    smallest first. `enough_without`: the fewest attributes without which there is none; None where
    there are too few to begin with.
    """

    attributes: tuple[str, ...]
    n: int
    n_classes: int
    smallest: int
    small: tuple[Alike, ...]
    enough_without: tuple[str, ...] | None

    @property
    def n_in_small(self) -> int:
        return sum(one.size for one in self.small)


def classes(attributes: tuple[str, ...], known: Mapping[tuple[str, ...], int]) -> Classes:
    """`known`: how many have each combination of values, one of each attribute."""
    ordered = sorted(known.items(), key=lambda pair: (pair[1], pair[0]))
    return Classes(
        attributes=attributes,
        n=sum(known.values()),
        n_classes=len(known),
        smallest=min(known.values(), default=0),
        small=tuple(Alike(values=values, size=size) for values, size in ordered if size < K),
        enough_without=_enough_without(attributes, known),
    )


def _enough_without(
    attributes: tuple[str, ...], known: Mapping[tuple[str, ...], int]
) -> tuple[str, ...] | None:
    places = range(len(attributes))
    for n in range(len(attributes) + 1):
        for dropped in combinations(places, n):
            left: Counter[tuple[str, ...]] = Counter()
            for values, size in known.items():
                left[tuple(values[place] for place in places if place not in dropped)] += size
            if min(left.values(), default=K) >= K:
                return tuple(attributes[place] for place in dropped)
    return None
