"""Files of ratings: a workbook of one rater, or a table with a rating a row."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotation.readers.fields import read_key, read_turns
from annotation.readers.items import item_key
from annotation.readers.problems import CannotRead, Flaw, Place, Problem, Reason
from annotation.readers.records import (
    Record,
    Source,
    check_size,
    csv_records,
    each,
    first_sign,
    json_list_records,
    jsonl_records,
    limited,
)
from annotation.readers.texts import checked, dialogue_sha256
from annotation.readers.values import Criteria, Value
from annotation.readers.workbooks import RaterKind, Workbook
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import sentence

_ITEM_NAMES = ("item", "item_key", "key")
_RATER_KEY = re.compile(r"[-\w]{0,100}", re.ASCII)
_COLUMNS = {*_ITEM_NAMES, "rater", "criterion", "value"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingSet:
    """What one rater says of one item; `rater` is "" where the file does not name it.

    `dialogue_sha256` is the text that was rated, "" where the file does not hold it.
    """

    place: Place
    field: str
    rater: str = ""
    item_key: str
    dialogue_key: str = ""
    dialogue_sha256: str = ""
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LongRow:
    """One rating of a set; the rows of a set may stand anywhere in the file."""

    place: Place
    rater: str
    item_key: str
    value: Value


class RatingFile:
    """A file of ratings, opened. A workbook yields RatingSets, every other layout LongRows.

    `kind` is what the file says of its rater, None where it does not; `ignored` are fields that
    nothing was read from, known once the rows have been read.
    """

    def __init__(self, source: Source, rubric: Rubric) -> None:
        check_size(source)
        self._source = source
        self._criteria = Criteria(rubric)
        self.kind: RaterKind | None = None
        self.ignored: set[str] = set()
        self.layout, self._rows = self._recognise()

    def __iter__(self) -> Iterator[RatingSet | LongRow | Problem]:
        return limited(self._rows)

    def _recognise(self) -> tuple[str, Iterator[RatingSet | LongRow | Problem]]:
        path = self._source.path
        match self._source.suffix:
            case ".csv" | ".tsv":
                records = csv_records(path, _ITEM_NAMES, ["criterion"], ["value"])
                return "CSV", each(records, self._long_row)
            case ".jsonl" | ".ndjson":
                return "JSON Lines", each(jsonl_records(path), self._long_row)
            case ".json" if first_sign(path) == "{":
                return "JSON Lines", each(jsonl_records(path), self._long_row)
            case ".json":
                return "JSON", each(json_list_records(path), self._long_row)
            case ".xlsx":
                workbook = Workbook(self._source)
                self.kind = workbook.kind
                return "MentalAlign", self._of_workbook(workbook)
        raise CannotRead(
            sentence(
                "Ratings are read from .csv, .jsonl, .json and .xlsx files; this name ends "
                "otherwise. Save the table as CSV (UTF-8)."
            )
        )

    def _of_workbook(self, workbook: Workbook) -> Iterator[RatingSet | Problem]:
        for conversation in workbook.conversations():
            try:
                key = read_key("ConvID", conversation.key, most=50)
                turns = read_turns({"context": conversation.context})
            except Flaw as flaw:
                yield flaw.at(conversation.place)
                continue
            for cell in conversation.cells:
                yield RatingSet(
                    place=conversation.place,
                    field=cell.column,
                    item_key=item_key(key, cell.generator),
                    dialogue_key=key,
                    dialogue_sha256=dialogue_sha256(turns),
                    values=self._criteria.read_cell(cell.raw),
                )

    def _long_row(self, record: Record) -> LongRow:
        fields = {name.strip().casefold(): value for name, value in record.fields.items()}
        self.ignored |= fields.keys() - _COLUMNS
        key = _text(fields, *_ITEM_NAMES)
        if not key:
            raise Flaw(
                "item", Reason.MISSING, sentence("The row does not say which item it rates.")
            )
        name = _text(fields, "criterion")
        criterion = self._criteria.named(name)
        if criterion is None:
            raise Flaw(
                "criterion",
                Reason.UNKNOWN_CRITERION if name else Reason.MISSING,
                sentence(
                    "The rubric has only these criteria: {criteria}.",
                    criteria=self._criteria.keys,
                ),
            )
        rater = _text(fields, "rater")
        if not _RATER_KEY.fullmatch(rater):
            raise Flaw(
                "rater",
                Reason.NOT_TEXT,
                sentence("A rater's key is made of Latin letters, digits, hyphens, underscores."),
            )
        return LongRow(
            place=record.place,
            rater=rater,
            item_key=checked("item", key, most=160),
            value=self._criteria.read(criterion, fields.get("value")),
        )


def _text(fields: Mapping[str, object], *names: str) -> str:
    """The first of these fields that holds something, as text."""
    return next((str(fields[name]).strip() for name in names if fields.get(name) is not None), "")
