"""Which items are set apart, drawn so that everybody who has the seed draws the same."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class ToDivide:
    """Items of one dialogue, which stay together, and the stratum that the dialogue is in."""

    dialogue: int
    key: str
    stratum: Hashable
    items: tuple[int, ...]


def share_of(dialogues: Iterable[ToDivide], *, percent: int, seed: str) -> list[int]:
    """The items that are set apart: of each stratum the same share of its dialogues, by lot.

    The lot of a dialogue depends on the seed and its key alone, so it does not matter in which
    order they come, nor on which machine.
    """
    strata: dict[Hashable, list[ToDivide]] = {}
    for one in dialogues:
        strata.setdefault(one.stratum, []).append(one)
    return sorted(
        item
        for of_stratum in strata.values()
        for one in _drawn(of_stratum, percent, seed)
        for item in one.items
    )


def _drawn(dialogues: list[ToDivide], percent: int, seed: str) -> list[ToDivide]:
    """The first of them by lot. What is left of the share where it does not come out even falls to
    the stratum by lot too: a stratum of one dialogue is taken as often as the share says."""
    by_lot = sorted(dialogues, key=lambda one: (lot(seed, one.key), one.key))
    broken = int(lot(f"{seed}\nwhole", by_lot[0].key), 16) / 16**64
    return [one for rank, one in enumerate(by_lot) if (rank + broken) * 100 < percent * len(by_lot)]


def lot(seed: str, key: str) -> str:
    """Where a dialogue comes in the drawing."""
    return sha256(f"{seed}\n{key}".encode()).hexdigest()


def stratum_of(values: Mapping[str, str | None], generators: Iterable[str]) -> Hashable:
    """What a share is drawn of: dialogues with the same gold and the same sources."""
    return tuple(sorted(values.items(), key=str)), tuple(sorted(set(generators)))
