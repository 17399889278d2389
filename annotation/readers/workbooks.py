"""The first visible sheet of a workbook, or all that are alike, row by row; one that would flood its reader is refused."""

import lzma
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from annotation.readers.problems import CannotRead, FilePlace
from annotation.readers.records import Source
from annotation.rubric.sentences import sentence

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

SHEET = "sheet"
MOST_SHEET_ROWS = 1_048_576
MOST_UNPACKED = 400 * 2**20  # a million rows of four columns take 210
MOST_TIMES_UNPACKED = 50  # rows that repeat themselves are packed to a fifteenth
MOST_DIRECTORY = 2**20
_SMALL_ENOUGH = 10 * 2**20
_PIECE = 2**20
_ROWS_LOOKED_AT = 20  # of a sheet that is not read, to know whether it holds anything
_FROM_HERE_CUT = 10**15  # of a number a sheet keeps fifteen digits
_DECLARATIONS = (b"<!DOCTYPE", b"<!ENTITY")
_LONGEST_DECLARATION = 2 * max(map(len, _DECLARATIONS))  # in UTF-16
_END_OF_DIRECTORY = struct.Struct("<4s8xL")
_END_LIES_WITHIN = 2**16 + 22
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    EOFError,
    OSError,
    SyntaxError,  # what the XML parser raises
    RuntimeError,  # a workbook with a password, or of an unknown compression
)


def check_workbook(source: Source) -> None:
    """Refuse a workbook that unpacks to a flood, or whose parts declare entities of their own.

    Nothing in it is parsed before, and it is unpacked a piece at a time.
    """
    with _broken_ones_refused():
        _check_directory(source.path)
        with zipfile.ZipFile(source.path) as archive:
            _check_sizes(archive, packed=source.path.stat().st_size)
            for part in archive.infolist():
                with archive.open(part) as file:
                    _check_declarations(file)


def sheet_rows(source: Source, ignored: set[str]) -> Iterator[tuple[FilePlace, list[str]]]:
    """Every row of the first sheet that is not blank, as text; formulas by their last value.

    Where somebody says what the sheet is, as `sheet = rater` does, the rows of all sheets with the
    same header, and in front of each the name of its sheet. Behind the last one, what other sheets
    hold is named among what was `ignored`.
    """
    are_told_apart = SHEET in map(str.casefold, source.called)
    header: list[str] = []
    for sheet, number, row in _values(source, ignored, all_alike=are_told_apart):
        if number > MOST_SHEET_ROWS:
            raise CannotRead(sentence("The sheet has more than {most} rows.", most=MOST_SHEET_ROWS))
        cells = [_text(value) for value in row]
        if not any(cells):
            continue
        unit = f"row:{sheet}" if are_told_apart else "row"
        front = [sheet if header else SHEET] if are_told_apart else []
        header = header or cells
        yield FilePlace(number, unit), front + cells


def _values(
    source: Source, ignored: set[str], *, all_alike: bool
) -> Iterator[tuple[str, int, Sequence[object]]]:
    """(sheet, number, values) of every row of the first sheet, and of those with its header."""
    # A file, not its path: openpyxl looks at a path's ending, and ours may have none.
    with (
        _broken_ones_refused(),
        source.path.open("rb") as file,
        closing(_opened(file)) as book,
    ):
        # What is hidden, nobody who looks at the workbook sees: lists to choose from, older states.
        first, *others = (one for one in book.worksheets if one.sheet_state == "visible")
        _, header = _first_row(first)
        begun = [(other, *_first_row(other)) for other in others]
        alike = {one.title for one, _, begin in begun if _are_the_same(begin, header)}
        if alike and not all_alike:
            raise _left_out(first.title, min(alike))
        first.reset_dimensions()  # what a sheet says of its own size is often wrong
        yield from _rows_of(first, 1)
        for other, number, begin in begun:
            if other.title in alike:
                other.reset_dimensions()
                order = _order_of(begin, header)
                for title, at, row in _rows_of(other, number + 1):
                    yield title, at, _ordered(row, order)
            elif begin:
                ignored.add(f"sheet: {other.title}")


def _are_the_same(begin: Sequence[str], header: Sequence[str]) -> bool:
    """Whether two headers have the same names, in whatever order."""
    return bool(begin) and sorted(map(_folded, begin)) == sorted(map(_folded, header))


def _left_out(first: str, other: str) -> CannotRead:
    """What stands on a sheet like the first is not passed over for want of a word."""
    return CannotRead(
        sentence(
            "The sheets “{first}” and “{other}” have the same columns. If each is of a rater, say so: "
            "sheet = rater; if all belong together: sheet = other.sheet. Sheets to be left out are "
            "hidden or taken out.",
            first=first[:60],
            other=other[:60],
        )
    )


def _order_of(begin: Sequence[str], header: Sequence[str]) -> list[int]:
    """Where in a row under `begin` the cells stand that a row under `header` would have, one after the other."""
    places = {_folded(name): at for at, name in enumerate(begin)}
    return [places[_folded(name)] for name in header]


def _ordered(row: Sequence[object], order: Sequence[int]) -> list[object]:
    """The cells in that order, and behind them what stands beyond the header."""
    return [row[at] if at < len(row) else None for at in order] + list(row[len(order) :])


def _folded(name: str) -> str:
    return name.strip().casefold()


def _first_row(sheet: "Worksheet") -> tuple[int, list[str]]:
    """(number, cells up to the last that is not blank) of its first row that is not blank."""
    rows = sheet.iter_rows(max_row=_ROWS_LOOKED_AT, values_only=True)
    for number, row in enumerate(rows, start=1):
        cells = [_text(value) for value in row]
        if any(cells):
            return number, cells[: max(at for at, cell in enumerate(cells, start=1) if cell)]
    return 0, []


def _rows_of(sheet: "Worksheet", begin: int) -> Iterator[tuple[str, int, Sequence[object]]]:
    rows = sheet.iter_rows(min_row=begin, values_only=True)
    return ((sheet.title, number, row) for number, row in enumerate(rows, start=begin))


@contextmanager
def _broken_ones_refused() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise CannotRead(
            sentence(
                "This is not a workbook that can be read ({kind}). Open it in a spreadsheet "
                "program and save it as .xlsx again.",
                kind=type(error).__name__,
            )
        ) from None


def _opened(file: BinaryIO) -> "Workbook":
    import openpyxl  # noqa: PLC0415 -- megabytes that only the workers on files need

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return openpyxl.load_workbook(file, read_only=True, data_only=True)


def _check_directory(path: Path) -> None:
    """The list of parts is read whole, so it must be short; one in 64 bits never is."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END_LIES_WITHIN))
        tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise zipfile.BadZipFile
    _sign, size = _END_OF_DIRECTORY.unpack_from(tail, at)
    if size > MOST_DIRECTORY or b"PK\x06\x07" in tail[max(0, at - 20) : at]:
        raise CannotRead(sentence("The workbook has more parts than any honest one."))


def _check_sizes(archive: zipfile.ZipFile, *, packed: int) -> None:
    """By what the list of parts says: no part gives more than it says there."""
    unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > max(_SMALL_ENOUGH, MOST_TIMES_UNPACKED * packed):
        raise CannotRead(
            sentence(
                "The workbook unpacks to {times} times its size, which no honest one does.",
                times=unpacked // packed,
            )
        )
    if unpacked > MOST_UNPACKED:
        raise CannotRead(
            sentence(
                "The workbook unpacks to {size} MB, which is too much to read at once. Save its "
                "first sheet as CSV in UTF-8, or split it.",
                size=unpacked // 2**20,
            )
        )


def _check_declarations(file: IO[bytes]) -> None:
    """Programs that write workbooks declare no types or entities; who does wants them expanded."""
    kept = b""
    while piece := file.read(_PIECE):
        text = kept + piece
        plain = text.replace(b"\0", b"") if b"\0" in text else text
        if any(sign in plain for sign in _DECLARATIONS):
            raise CannotRead(
                sentence(
                    "The workbook declares entities, which no spreadsheet program does. Open it in "
                    "one and save it as .xlsx again."
                )
            )
        kept = text[-_LONGEST_DECLARATION:]


def _text(value: object) -> str:
    if isinstance(value, str):  # a carriage return, as spreadsheet programs write it
        value = value.replace("_x000D_", "")
    if isinstance(value, int | float) and abs(value) >= _FROM_HERE_CUT:
        return f"{value:E}"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value).strip()
