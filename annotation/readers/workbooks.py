"""The first sheet of a workbook, row by row."""

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import closing
from typing import BinaryIO

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from annotation.readers.problems import CannotRead, Place
from annotation.readers.records import Source
from annotation.rubric.sentences import sentence

MOST_TIMES_UNPACKED = 20
MOST_SHEET_ROWS = 1_048_576
_SMALL_ENOUGH = 200 * 1024 * 1024
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


def sheet_rows(source: Source) -> Iterator[tuple[Place, list[str]]]:
    """Every row of the first sheet that is not blank, as text; formulas by their last value."""
    for number, row in enumerate(_values(source), start=1):
        if number > MOST_SHEET_ROWS:
            raise CannotRead(sentence("The sheet has more than {most} rows.", most=MOST_SHEET_ROWS))
        cells = [_text(value) for value in row]
        if any(cells):
            yield Place(number, "row"), cells


def _values(source: Source) -> Iterator[tuple[object, ...]]:
    try:
        _check_unpacked_size(source)
        # A file, not its path: openpyxl looks at a path's ending, and ours may have none.
        with source.path.open("rb") as file, closing(_opened(file)) as book:
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
