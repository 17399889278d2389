"""Lists of items that are to be set aside from figures."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.readers.fields import (
    CONVERSATION_NAMES,
    ITEM_NAMES,
    NAMES_OF_AN_ITEM,
    read_item,
    read_short,
)
from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.records import Record, Source, check_size, each, limited
from annotation.readers.tables import TABLES, FileTable
from annotation.rubric.sentences import sentence

MOST_CHARACTERS_A_REASON = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineRow:
    """An item and why it is set aside; `field` names the column that says which item."""

    place: FilePlace
    field: str
    item_key: str
    reason: str

    def shown(self) -> dict[str, object]:
        """What a page says of the row before it is imported, as JSON can hold it."""
        return {"item_key": self.item_key, "reason": self.reason}


class QuarantineFile:
    """A list, opened; `ignored` are fields that nothing was read from.

    A row names its item by key, or by conversation and source as MentalAlign does. `reason` is
    that of every row which gives none of its own.
    """

    def __init__(self, source: Source, *, reason: str) -> None:
        check_size(source)
        if source.suffix not in TABLES:
            raise CannotRead(
                sentence(
                    "Lists of items are read from .csv and .xlsx files; this name ends otherwise. "
                    "Save the table as .xlsx, or as CSV in UTF-8."
                )
            )
        self._reason = reason.strip()
        self.ignored: set[str] = set()
        table = FileTable(source, self.ignored)
        self.layout = table.layout
        self._records = table.records((*ITEM_NAMES, *CONVERSATION_NAMES))

    def __iter__(self) -> Iterator[QuarantineRow | FileProblem]:
        return limited(each(self._records, self._row))

    def _row(self, record: Record) -> QuarantineRow:
        self.ignored |= record.fields.keys() - NAMES_OF_AN_ITEM - {"reason"}
        field, key = read_item(record.fields)
        reason = read_short(
            "reason",
            str(record.fields.get("reason") or "").strip() or self._reason,
            most=MOST_CHARACTERS_A_REASON,
        )
        if not reason:
            raise Flaw(
                "reason",
                FileReason.MISSING,
                sentence("Say why the item is set aside: in the row, or once for the whole list."),
            )
        return QuarantineRow(place=record.place, field=field, item_key=key, reason=reason)
