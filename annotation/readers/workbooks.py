"""The workbook layout of MentalAlign: a row per conversation, a column per source of replies.

Badawi et al. (2025), "When Can We Trust LLMs in Mental Health?". Columns are named
`human_response_SOURCE` or `judge_response_SOURCE`; a cell holds one rater's ratings of that
source's reply as JSON. The replies themselves are not in the file.
"""

import re
import warnings
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO, Literal

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from annotation.readers.problems import CannotRead, Place
from annotation.readers.records import Source
from annotation.rubric.sentences import sentence

MOST_TIMES_UNPACKED = 20
MOST_CHARACTERS_A_SOURCE = 100
MOST_SHEET_ROWS = 1_048_576
_SMALL_ENOUGH = 20 * 1024 * 1024
_SOURCE_COLUMN = re.compile(r"(?P<kind>human|judge)_response_(?P<generator>\S.*)", re.IGNORECASE)
_BROKEN = (
    zipfile.BadZipFile,
    InvalidFileException,
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    EOFError,
    OSError,
    SyntaxError,  # what the XML parser raises
    RuntimeError,  # a workbook with a password
    NotImplementedError,  # an unknown compression
)

RaterKind = Literal["human", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One rater's ratings of one source's reply to a conversation, as they came."""

    column: str
    generator: str
    raw: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One row of the sheet."""

    place: Place
    key: str
    context: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class _Columns:
    key: int
    context: int
    sources: tuple[tuple[int, str, str], ...]
    kind: RaterKind


class Workbook:
    """The first sheet of a workbook; `kind` is who its columns say has rated."""

    def __init__(self, source: Source) -> None:
        self._source = source
        rows = self._rows()
        self._columns = _columns(next(rows, ()))
        rows.close()
        self.kind = self._columns.kind

    def conversations(self) -> Iterator[Conversation]:
        """Every row that is not blank; the first row of the sheet is the header."""
        for number, row in enumerate(self._rows(), start=1):
            if number > MOST_SHEET_ROWS:
                raise CannotRead(
                    sentence("The sheet has more than {most} rows.", most=MOST_SHEET_ROWS)
                )
            if number > 1 and any(_text(value) for value in row):
                yield self._conversation(number, row)

    def _conversation(self, number: int, row: tuple[object, ...]) -> Conversation:
        columns = self._columns
        values = dict(enumerate(row))
        return Conversation(
            place=Place(number, "row"),
            key=_text(values.get(columns.key)),
            context=_text(values.get(columns.context)),
            cells=tuple(
                Cell(column=column, generator=generator, raw=values.get(index))
                for index, column, generator in columns.sources
            ),
        )

    def _rows(self) -> Generator[tuple[object, ...], None, None]:
        try:
            _check_unpacked_size(self._source)
            # A file, not its path: openpyxl looks at a path's ending, and ours may have none.
            with self._source.path.open("rb") as file, closing(_opened(file)) as book:
                sheet = book.worksheets[0]
                sheet.reset_dimensions()  # what a sheet says of its own size is often wrong
                yield from sheet.iter_rows(values_only=True)
        except _BROKEN as error:
            raise CannotRead(
                sentence(
                    "This is not a workbook that can be read ({kind}). Open it in a spreadsheet "
                    "program and save it as .xlsx again.",
                    kind=type(error).__name__,
                )
            ) from None


def _opened(file: BinaryIO) -> openpyxl.Workbook:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return openpyxl.load_workbook(file, read_only=True, data_only=True)


def _columns(header: tuple[object, ...]) -> _Columns:
    names = [_text(name) for name in header]
    places = {name.casefold(): index for index, name in enumerate(names) if name}
    if not {"convid", "context"} <= places.keys():
        raise CannotRead(
            sentence(
                "The first row must name the columns ConvID, context and human_response_SOURCE "
                "or judge_response_SOURCE. Other tables are read as CSV."
            )
        )
    matches = [(index, _SOURCE_COLUMN.fullmatch(name)) for index, name in enumerate(names)]
    found = [(index, match) for index, match in matches if match]
    kinds = {match["kind"].casefold() for _, match in found}
    generators = [match["generator"].strip() for _, match in found]
    if len(kinds) != 1:
        raise CannotRead(
            sentence(
                "The columns of ratings must all be named human_response_SOURCE, or all "
                "judge_response_SOURCE: a workbook holds the ratings of one rater."
            )
        )
    for generator in generators:
        if len(generator) > MOST_CHARACTERS_A_SOURCE:
            raise CannotRead(
                sentence(
                    "The name of a source has more than {most} characters.",
                    most=MOST_CHARACTERS_A_SOURCE,
                )
            )
        if generators.count(generator) > 1:
            raise CannotRead(
                sentence("Two columns hold ratings of “{source}”.", source=generator[:60])
            )
    return _Columns(
        key=places["convid"],
        context=places["context"],
        sources=tuple(
            (index, match[0], generator)
            for (index, match), generator in zip(found, generators, strict=True)
        ),
        kind="human" if kinds == {"human"} else "judge",
    )


def _check_unpacked_size(source: Source) -> None:
    with zipfile.ZipFile(source.path) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    packed = source.path.stat().st_size
    if unpacked > max(_SMALL_ENOUGH, MOST_TIMES_UNPACKED * packed):
        raise CannotRead(
            sentence(
                "The workbook unpacks to {times} times its size, which no honest one does.",
                times=unpacked // packed,
            )
        )


def _text(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()
