"""Where two editions of a rubric say something else, text by text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_NAMES = ("key", "value")  # what tells the parts of a list apart


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDifference:
    """What stands at a place in one edition and in the other; "" where there is nothing."""

    place: str
    before: str
    after: str


def differences(old: Mapping[str, object], new: Mapping[str, object]) -> list[TextDifference]:
    """All places of two definitions at which they differ, in the order of the old one."""
    before, after = dict(_flat(old, "")), dict(_flat(new, ""))
    return [
        TextDifference(place=place, before=before.get(place, ""), after=after.get(place, ""))
        for place in dict.fromkeys((*before, *after))
        if before.get(place) != after.get(place)
    ]


def _flat(part: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield from _flat(value, f"{place}.{name}" if place else str(name))
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for number, value in enumerate(part, start=1):
            yield from _flat(value, f"{place}[{_name_of(value, number)}]")
    else:
        yield place, str(part)


def _name_of(part: object, number: int) -> str:
    if isinstance(part, Mapping):
        named = next((str(part[name]) for name in _NAMES if name in part), None)
        return named if named is not None else str(number)
    return str(number)
