"""Find identifiers in a text, and put a word in their place."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain

from annotation.identifiers.kinds import IdentifierKind
from annotation.identifiers.names import names_in
from annotation.identifiers.numbers import Span, numbers_in
from annotation.identifiers.places import places_in

EDITION = 1  # of the rules: what was looked at under an older one may be looked at again
_RANK = {kind: rank for rank, kind in enumerate(IdentifierKind)}

# Full-width signs as ASCII ones, and figures spelled in Chinese as figures: one sign for one sign,
# so that places stay the same.
_NARROW = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | {0x3000: 0x20}
_FIGURES = str.maketrans("零〇一幺二两三四五六七八九", "0011223456789")
_SHORTEST_SPELLED = 7  # figures in a row: fewer are words as well
_SPELLED = re.compile(rf"(?:[零〇一幺二两三四五六七八九][ -]?){{{_SHORTEST_SPELLED}}}")


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """Where a text has something that may identify somebody."""

    begin: int
    end: int
    kind: IdentifierKind


def find(text: str) -> list[Hit]:
    """What stands in a text, in its order; no place twice."""
    plain = text.translate(_NARROW)
    found = chain(numbers_in(plain), _spelled_in(plain), places_in(plain), names_in(plain))
    taken: list[Hit] = []
    for kind, begin, end in sorted(found, key=lambda span: (_RANK[span[0]], span[1] - span[2])):
        if all(end <= other.begin or other.end <= begin for other in taken):
            taken.append(Hit(begin, end, kind))
    return sorted(taken)


def redact(text: str, hits: Collection[Hit]) -> str:
    """The text with the kind of each hit in its place, as `[phone]`."""
    for hit in sorted(hits, reverse=True):
        text = f"{text[: hit.begin]}[{hit.kind}]{text[hit.end :]}"
    return text


def moved(hits: Collection[Hit], begin: int, end: int) -> tuple[int, int]:
    """Where a part of a text stands once it is redacted; a hit that it has a part of goes along whole."""
    return _moved(hits, begin, is_end=False), _moved(hits, end, is_end=True)


def _moved(hits: Collection[Hit], place: int, *, is_end: bool) -> int:
    shift = 0
    for hit in sorted(hits):
        kind = len(f"[{hit.kind}]")
        if hit.begin < place < hit.end:
            return hit.begin + shift + (kind if is_end else 0)
        if hit.end <= place:
            shift += kind - (hit.end - hit.begin)
    return place + shift


def _spelled_in(text: str) -> list[Span]:
    """Numbers that are spelled in Chinese, as people do to get past a filter."""
    if not _SPELLED.search(text):
        return []
    figures = text.translate(_FIGURES)
    return [
        (kind, begin, end)
        for kind, begin, end in numbers_in(figures)
        if sum(a != b for a, b in zip(text[begin:end], figures[begin:end], strict=True))
        >= _SHORTEST_SPELLED
    ]
