"""Which items are opened, drawn so that everybody who has the seed draws the same."""

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


def opened(dialogues: Iterable[ToDivide], *, open_percent: int, seed: str) -> list[int]:
    """The items of the open split: of each stratum the same share of its dialogues, by lot.

    The lot of a dialogue depends on the seed and its key alone, so it does not matter in which
    order they come, nor on which machine.
    """
    strata: dict[Hashable, list[ToDivide]] = {}
    for one in dialogues:
        strata.setdefault(one.stratum, []).append(one)
    return sorted(
        item
        for of_stratum in strata.values()
        for one in _drawn(of_stratum, open_percent, seed)
        for item in one.items
    )


def _drawn(dialogues: list[ToDivide], open_percent: int, seed: str) -> list[ToDivide]:
    by_lot = sorted(dialogues, key=lambda one: (lot(seed, one.key), one.key))
    return by_lot[: round(len(by_lot) * open_percent / 100)]


def lot(seed: str, key: str) -> str:
    """Where a dialogue comes in the drawing."""
    return sha256(f"{seed}\n{key}".encode()).hexdigest()


def stratum_of(values: Mapping[str, str | None], generators: Iterable[str]) -> Hashable:
    """What a share is drawn of: dialogues with the same gold and the same sources."""
    return tuple(sorted(values.items(), key=str)), tuple(sorted(set(generators)))
