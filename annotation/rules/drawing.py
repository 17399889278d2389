"""Which items of a list go into a round, which others are drawn beside them, and with what chance."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.shuffling import shuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A list of items as it was read: {key: the chance that it had to be on the list}, or why not."""

    chances: Mapping[str, float]
    problem: Sentence | None = None


def read_list(text: str) -> Listed:
    """Read a CSV file with the columns item and, if it likes, probability; blank is 1. As in every
    table a comma, semicolon or tab stands between them."""
    header = text.lstrip().partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=header.count))
    try:
        return _read(rows)
    except csv.Error:
        return Listed(chances={}, problem=sentence("The list is not CSV. Save it as CSV in UTF-8."))


def _read(rows: "csv.DictReader[str]") -> Listed:
    if "item" not in (rows.fieldnames or ()):
        return Listed(chances={}, problem=sentence("The list has no column “item”."))
    chances: dict[str, float] = {}
    for row in rows:
        key, raw = (row["item"] or "").strip(), (row.get("probability") or "1").strip()
        chance = _chance(raw)
        if chance is None:
            problem = sentence(
                "“{item}”: a probability lies above 0 and is at most 1.", item=key[:60]
            )
            return Listed(chances={}, problem=problem)
        if key in chances:
            problem = sentence("“{item}” is on the list twice.", item=key[:60])
            return Listed(chances={}, problem=problem)
        chances[key] = chance
    if not chances:
        return Listed(chances={}, problem=sentence("The list is empty."))
    return Listed(chances=chances)


def reason_not_to_audit(chances: Mapping[int, float], percent: int) -> Sentence | None:
    """Say why no random part can be drawn beside a list, or None."""
    if percent and min(chances.values()) < 1:
        return sentence(
            "The list has a random part of its own, with probabilities below 1, so no second one is "
            "drawn beside it."
        )
    return None


def with_audit(
    chances: Mapping[int, float], others: Sequence[int], percent: int, *, seed: str
) -> dict[int, float]:
    """{item: the chance that it had}: those listed, and `percent` of the others, rounded up, drawn
    at random; the same seed gives the same."""
    n = -(-percent * len(others) // 100)
    return dict(chances) | dict.fromkeys(shuffled(others, seed)[:n], n / max(len(others), 1))


def is_drawn(one: int, percent: int, *, seed: str) -> bool:
    """Whether `one` is among a share of all there may come to be, each with the same chance."""
    drawn = int.from_bytes(hashlib.sha256(f"{seed}:{one}".encode()).digest()[:8])
    return drawn * 100 < percent * 2**64


def _chance(raw: str) -> float | None:
    try:
        chance = float(raw)
    except ValueError:
        return None
    return chance if 0 < chance <= 1 else None
