"""Which languages a rubric speaks, and which of its texts are still missing in one of them."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

from annotation.rubric.schema import Rubric, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A text that a rubric has in one of its languages only; `place` is as in its definition."""

    place: str
    language: str
    text: Text


def languages_of(rubric: Rubric) -> tuple[str, ...]:
    """The languages of a rubric: that of most texts first."""
    every = [tag for _place, text in texts_of(rubric) for tag in text.languages]
    return tuple(sorted(set(every), key=lambda tag: (-every.count(tag), tag)))


def untranslated(rubric: Rubric) -> tuple[Gap, ...]:
    """The texts that are missing in a language in which others are written."""
    languages = languages_of(rubric)
    return tuple(
        Gap(place=place, language=tag, text=text)
        for place, text in texts_of(rubric)
        for tag in languages
        if tag not in text.languages
    )


def texts_of(part: object, place: str = "") -> Iterator[tuple[str, Text]]:
    """(place, text) of every text in a part of a rubric, as its definition places it."""
    if isinstance(part, Text):
        yield from [(place, part)] if part else []
    elif isinstance(part, tuple):
        for index, entry in enumerate(part):
            yield from texts_of(entry, f"{place}[{index}]")
    elif is_dataclass(part):
        for field in fields(part):
            # What shows a choice stands in its definition beside the choice's other words.
            at = [place] if field.name == "shown" else [place, field.name]
            yield from texts_of(getattr(part, field.name), ".".join(filter(None, at)))
