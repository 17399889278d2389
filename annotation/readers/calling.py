"""What whoever brings a file says that its fields are called: question_id = item, safety_* = safety.*."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from annotation.readers.problems import CannotRead, FileReason, Flaw
from annotation.rubric.sentences import sentence

ANYTHING = "*"
_SPEAKERS = {"speaker.seeker": "seeker", "speaker.supporter": "supporter"}
_WITHIN = "."

Called = Mapping[str, str]  # {as the file calls it: as it is called here}


def called_in(text: str) -> dict[str, str]:
    """The names of a text with one a line; CannotRead where a line says nothing of a field."""
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        theirs, sign, ours = (part.strip() for part in line.rpartition("="))
        stars = {theirs.count(ANYTHING), ours.count(ANYTHING)}
        if not (sign and theirs and ours) or stars not in ({0}, {1}):
            raise CannotRead(
                sentence(
                    "“{line}” does not say what a field is called. Write one a line, such as "
                    "question_id = item, and * on both sides or on none.",
                    line=line[:60],
                )
            )
        if theirs.casefold() in map(str.casefold, found):
            raise CannotRead(sentence("“{name}” stands there twice.", name=theirs[:60]))
        found[theirs] = ours
    return found


def speakers_in(called: Called) -> dict[str, str]:
    """{who speaks, as the file calls them: seeker or supporter}: these are values, and no fields."""
    return {
        theirs.casefold(): _SPEAKERS[ours]
        for theirs, ours in called.items()
        if _is_of_a_speaker(ours)
    }


def _is_of_a_speaker(ours: str) -> bool:
    return ours in _SPEAKERS


def own_columns(names: Iterable[str], called: Called) -> tuple[str, ...]:
    """The names of columns as they are called here; CannotRead where one that is named is missing."""
    given = tuple(names)
    for theirs, ours in called.items():
        if not (_is_of_a_speaker(ours) or any(_under(name, theirs, ours) for name in given)):
            raise CannotRead(
                sentence(
                    "The header has no column “{name}”, which was said to be “{field}”.",
                    name=theirs[:60],
                    field=ours[:60],
                )
            )
    return tuple(_own(name, called) for name in given)


def own_fields(fields: Mapping[str, object], called: Called) -> dict[str, object]:
    """The fields of an object as they are called here; “meta.id” is the field id of the object meta.

    Flaw where two come to be called alike.
    """
    found: dict[str, object] = {}
    within = {path: raw for path in called if (raw := _within(fields, path)) is not None}
    for name, raw in (*fields.items(), *within.items()):
        own = _own(name, called)
        if own in found:
            raise Flaw(
                own[:60],
                FileReason.DUPLICATE,
                sentence("Two fields of the row come to be called so. Keep one of the two."),
            )
        found[own] = raw
    return found


def _own(name: str, called: Called) -> str:
    return next(
        (own for theirs, ours in called.items() if (own := _under(name, theirs, ours))), name
    )


@lru_cache(maxsize=4096)
def _under(name: str, theirs: str, ours: str) -> str | None:
    """How a field is called here by one of the names, None where that speaks of another field or of
    no field; a question in a header may have several lines."""
    if _is_of_a_speaker(ours):
        return None
    head, star, tail = theirs.partition(ANYTHING)
    pattern = re.escape(head) + ("(.+)" if star else "") + re.escape(tail)
    match = re.fullmatch(pattern, " ".join(name.split()), re.IGNORECASE | re.DOTALL)
    return match and ours.replace(ANYTHING, "".join(match.groups()))


def _within(fields: Mapping[str, object], path: str) -> object:
    """What stands at a path within objects; None where nothing does, or a field has that name."""
    if _WITHIN not in path or path in fields:
        return None
    found: object = fields
    for name in path.split(_WITHIN):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
