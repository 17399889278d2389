"""Lists of items that are to be set aside from figures."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.readers.fields import read_key, read_short
from annotation.readers.items import item_key
from annotation.readers.problems import CannotRead, Flaw, Place, Problem, Reason
from annotation.readers.records import (
    Record,
    Source,
    check_size,
    csv_records,
    each,
    limited,
)
from annotation.rubric.sentences import sentence

MOST_CHARACTERS_A_REASON = 500
_ITEM_NAMES = ("item", "item_key", "key")
_CONVERSATION_NAMES = ("convid", "conversation")
_SOURCE_NAMES = ("source", "generator")
_COLUMNS = {*_ITEM_NAMES, *_CONVERSATION_NAMES, *_SOURCE_NAMES, "reason"}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineRow:
    """An item and why it is set aside; `field` names the column that says which item."""

    place: Place
    field: str
    item_key: str
    reason: str


class QuarantineFile:
    """A list, opened; `ignored` are fields that nothing was read from.

    A row names its item by key, or by conversation and source as MentalAlign does. `reason` is
    that of every row which gives none of its own.
    """

    layout = "CSV"

    def __init__(self, source: Source, *, reason: str) -> None:
        check_size(source)
        if source.suffix not in (".csv", ".tsv"):
            raise CannotRead(
                sentence(
                    "Lists of items are read from .csv files; this name ends otherwise. Save the "
                    "table as CSV (UTF-8)."
                )
            )
        self._reason = reason.strip()
        self._records = csv_records(source.path, (*_ITEM_NAMES, *_CONVERSATION_NAMES))
        self.ignored: set[str] = set()

    def __iter__(self) -> Iterator[QuarantineRow | Problem]:
        return limited(each(self._records, self._row))

    def _row(self, record: Record) -> QuarantineRow:
        self.ignored |= record.fields.keys() - _COLUMNS
        field, key = _item_of(record)
        reason = read_short(
            "reason",
            record.fields.get("reason", "").strip() or self._reason,
            most=MOST_CHARACTERS_A_REASON,
        )
        if not reason:
            raise Flaw(
                "reason",
                Reason.MISSING,
                sentence("Say why the item is set aside: in the row, or once for the whole list."),
            )
        return QuarantineRow(place=record.place, field=field, item_key=key, reason=reason)


def _item_of(record: Record) -> tuple[str, str]:
    """(the column that names the item, its key)."""
    for name in _ITEM_NAMES:
        if name in record.fields:
            return name, read_key(name, record.fields[name])
    name = next(name for name in _CONVERSATION_NAMES if name in record.fields)
    conversation = read_key(name, record.fields[name])
    source = next((one for one in _SOURCE_NAMES if one in record.fields), _SOURCE_NAMES[0])
    return name, item_key(conversation, read_key(source, record.fields.get(source)))
