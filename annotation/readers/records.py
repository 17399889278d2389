"""Text files, a piece at a time: the rows of CSV, the records of JSON Lines and of a JSON list."""

import csv
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

from annotation.readers.calling import Called, own_fields
from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.texts import checked
from annotation.rubric.sentences import sentence

MOST_ROWS = 1_000_000
MOST_CHARACTERS_A_LINE = 1_000_000
_CHUNK = 256 * 1024
Row = TypeVar("Row")

_NAMES_OF_ROWS = (
    *("data", "rows", "records", "items", "examples", "instances", "results"),
    *("train", "dev", "validation", "test"),
)
_CARRIAGE_RETURN = re.compile(r"(?<=\r)(?!\n)")
_SEPARATOR = re.compile(r"\"?sep=.\"?\r?\n", re.IGNORECASE)
_BLANKS = re.compile(r"\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to import: where it lies, and what its owner calls it and its fields."""

    path: Path
    name: str
    most_bytes: int = 100 * 1024 * 1024
    called: Called = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix.lower()


@dataclass(frozen=True, slots=True)
class Record:
    """One row as it came: {field: raw value}."""

    place: FilePlace
    fields: Mapping[str, object]


def check_size(source: Source) -> None:
    """Refuse a file that is missing, empty or larger than can be imported at once."""
    try:
        size = source.path.stat().st_size
    except OSError as error:
        raise CannotRead(
            sentence("The file cannot be opened: {why}.", why=error.strerror or "unknown")
        ) from None
    if not source.path.is_file():
        raise CannotRead(sentence("This is not a file."))
    if size == 0:
        raise CannotRead(sentence("The file is empty."))
    if size > source.most_bytes:
        raise CannotRead(
            sentence(
                "The file has {size} MB; at most {most} MB are read at once. Split it.",
                size=-(-size // 2**20),
                most=source.most_bytes // 2**20,
            )
        )


def each(
    records: Iterable[Record | FileProblem], read: Callable[[Record], Row]
) -> Iterator[Row | FileProblem]:
    """Read every record as a row; what is wrong with one becomes a problem at its place."""
    for record in records:
        if isinstance(record, FileProblem):
            yield record
            continue
        try:
            yield read(record)
        except Flaw as flaw:
            yield flaw.at(record.place)


def limited(rows: Iterable[Row]) -> Iterator[Row]:
    """Pass rows on until there are too many of them to import at once."""
    for number, row in enumerate(rows, start=1):
        if number > MOST_ROWS:
            raise CannotRead(
                sentence("The file has more than {most} rows. Split it.", most=MOST_ROWS)
            )
        yield row


def csv_rows(path: Path) -> Iterator[tuple[FilePlace, list[str]]]:
    """Every row that is not blank; comma, semicolon or tab stand between its cells.

    The first row, which is the header, tells which of them it is.
    """
    texts = _csv_lines(path)
    rows = csv.reader(texts, delimiter=_delimiter_of(path), strict=True)
    line = 1
    try:
        for row in rows:
            place, line = FilePlace(line), rows.line_num + 1
            if _is_said(row):
                yield place, row
    except csv.Error:
        raise CannotRead(
            sentence(
                "The record that begins on line {line} is not CSV: a quotation mark is missing or "
                "not doubled, or a field has more than {most} characters.",
                line=line,
                most=csv.field_size_limit(),
            )
        ) from None


def jsonl_records(source: Source) -> Iterator[Record | FileProblem]:
    """One JSON object a line; blank lines are passed over."""
    decoder = _Decoder()
    _refuse_one_object(source.path)
    for number, text in _counted_lines(source.path):
        if not text.strip():
            continue
        place = FilePlace(number)
        try:
            value = decoder.decode(text)
        except (ValueError, RecursionError):
            yield Flaw(
                "",
                FileReason.BROKEN_JSON,
                sentence("The line is not JSON. Write one object a line."),
            ).at(place)
            continue
        yield _record(place, value, decoder.flaw, source.called)


def _refuse_one_object(path: Path) -> None:
    """Of an object that is spread over lines, as one of all rows is, no line is an object."""
    lines = (text.strip() for _, text in _counted_lines(path))
    first, second = [*islice(filter(None, lines), 2), "", ""][:2]
    try:
        whole = json.loads(first)
    except json.JSONDecodeError as error:
        if first.startswith("{") and error.pos >= len(first) and not second.startswith("{"):
            raise CannotRead(
                sentence(
                    "The file holds one object that is spread over several lines. Write the rows "
                    "as a list, which begins with “[”, or one object a line."
                )
            ) from None
        return
    except (ValueError, RecursionError):
        return  # whoever reads the line says what is wrong
    if second or not isinstance(whole, dict):
        return
    if whole and all(isinstance(one, dict) for one in whole.values()):
        raise CannotRead(
            sentence(
                "The file holds one object of objects: a table by columns, as pandas writes it, or "
                "rows by their keys. Write the rows as a list, which begins with “[”, each with its "
                'key (in pandas with orient="records").'
            )
        )
    if name := _name_of_rows(whole):
        raise CannotRead(
            sentence(
                "The rows stand within “{name}”. Write them as a list, which begins with “[”, or "
                "one object a line.",
                name=name,
            )
        )


def _name_of_rows(whole: Mapping[str, object]) -> str | None:
    """Under which name an object that holds all rows has them; what rows have lists of is none."""
    for name in _NAMES_OF_ROWS:
        rows = whole.get(name)
        if isinstance(rows, list) and rows and all(isinstance(one, dict) for one in rows):
            return name
    return None


def jsonl_lines(path: Path) -> int:
    """How many lines are not blank."""
    return sum(1 for _, text in _counted_lines(path) if text.strip())


def json_list_records(source: Source) -> Iterator[Record | FileProblem]:
    """The objects of one JSON list, with a piece of the file in memory at a time."""
    with source.path.open(encoding="utf-8-sig", newline="") as file:
        window = _Window(file, source.path)
        if not window.take("["):
            raise CannotRead(sentence("The file must hold a list: it begins with “[”."))
        number = 0
        is_over = window.take("]")
        while not is_over:
            number += 1
            place = FilePlace(number, "entry", window.line)
            value = window.value(number)
            yield _record(place, value, window.flaw, source.called)
            is_over = window.take("]")
            if not is_over and not window.take(","):
                raise window.broken(number)
        if not window.is_at_end:
            raise CannotRead(
                sentence(
                    "Something stands behind the “]” that ends the list, on line {line}. Make one "
                    "list of it.",
                    line=window.line,
                )
            )


def first_sign(path: Path) -> str:
    """The first character that is not blank: it tells a JSON list from JSON Lines."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            while piece := file.read(1024):
                if piece.strip():
                    return piece.strip()[0]
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    return ""


class _Window:
    """A piece of a JSON text that moves forward, and the line it has come to."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._decoder = _Decoder()
        self._text = ""
        self._at = 0
        self.line = 1

    def take(self, sign: str) -> bool:
        """Step over a sign if it comes next."""
        self._skip_blanks()
        if not self._text.startswith(sign, self._at):
            return False
        self._step_to(self._at + len(sign))
        self._skip_blanks()
        return True

    @property
    def is_at_end(self) -> bool:
        """Whether nothing but blanks was left behind the sign that was taken last."""
        return self._at == len(self._text)

    @property
    def flaw(self) -> Flaw | None:
        """What is wrong with the names in the last value."""
        return self._decoder.flaw

    def value(self, number: int) -> object:
        """The JSON value that comes next; `number` is its place in the list."""
        while True:
            try:
                value, end = self._decoder.decode_at(self._text, self._at)
            except (ValueError, RecursionError):
                if len(self._text) - self._at > MOST_CHARACTERS_A_LINE or not self._more():
                    raise self.broken(number) from None
                continue
            self._step_to(end)
            return value

    def broken(self, number: int) -> CannotRead:
        return CannotRead(
            sentence(
                "Entry {number}, which begins on line {line}, is not JSON: a comma, bracket or "
                "quotation mark is missing there.",
                number=number,
                line=self.line,
            )
        )

    def _more(self) -> bool:
        try:
            piece = self._file.read(_CHUNK)
        except UnicodeDecodeError:
            raise _not_utf8(self._path) from None
        self._text = self._text[self._at :] + piece
        self._at = 0
        return bool(piece)

    def _step_to(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _skip_blanks(self) -> None:
        while True:
            match = _BLANKS.match(self._text, self._at)
            self._step_to(match.end() if match else self._at)
            if self._at < len(self._text) or not self._more():
                return


class _Decoder:
    """Reads JSON, and notes in `flaw` a name that an object has twice or that cannot be stored.

    NaN is null: so programs write what is missing in a column of numbers.
    """

    def __init__(self) -> None:
        self._json = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=lambda name: None if name == "NaN" else float(name),
        )
        self.flaw: Flaw | None = None

    def decode(self, text: str) -> object:
        self.flaw = None
        return self._json.decode(text)

    def decode_at(self, text: str, at: int) -> tuple[object, int]:
        """The value that begins there, and where it ends."""
        self.flaw = None
        return self._json.raw_decode(text, at)

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, value in pairs:
            if name in found:
                self.flaw = twice(name)
            if not name.isprintable():
                self._check(name)
            found[name] = value
        return found

    def _check(self, name: str) -> None:
        try:
            checked("", name)
        except Flaw as flaw:
            self.flaw = flaw


def twice(name: str) -> Flaw:
    return Flaw(
        name[:60],
        FileReason.DUPLICATE,
        sentence("The row has this field twice. Keep one of the two."),
    )


def _record(
    place: FilePlace, value: object, flaw: Flaw | None, called: Called
) -> Record | FileProblem:
    if not isinstance(value, dict):
        return Flaw(
            "",
            FileReason.WRONG_SHAPE,
            sentence(
                "This is not an object with named fields. Write one, such as {shape} where it is a "
                "list of turns.",
                shape='{"key": "1", "dialogue": […]}',
            ),
        ).at(place)
    if flaw:
        return flaw.at(place)
    try:
        return Record(place, own_fields(value, called) if called else value)
    except Flaw as two:
        return two.at(place)


def _csv_lines(path: Path) -> Iterator[str]:
    """Lines that end with a line feed or, as old programs for the Mac write them, a carriage return
    alone. The line by which Excel is told the separator is blank."""
    for number, text in _counted_lines(path):
        if number == 1 and _SEPARATOR.fullmatch(text):
            yield "\n"
        else:
            yield from filter(None, _CARRIAGE_RETURN.split(text)) if "\r" in text else [text]


def _delimiter_of(path: Path) -> str:
    """The sign by which the header has as many cells as the row under it: a question has commas too."""
    return max(",;\t", key=partial(_width, path))


def _width(path: Path, delimiter: str) -> tuple[bool, int]:
    """(whether both rows have so many cells, how many the header has)."""
    rows = csv.reader(_csv_lines(path), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice(filter(_is_said, rows), 2)]
    except csv.Error:
        return False, 0
    return len(widths) == 2 and widths[0] == widths[1] > 1, max(widths[:1], default=0)


def _is_said(row: Iterable[str]) -> bool:
    return any(cell.strip() for cell in row)


def _counted_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number, text) of every line; strictly UTF-8, with or without a byte order mark."""
    with path.open("rb") as file:
        for number, raw in enumerate(_raw_lines(file), start=1):
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise _line_is_not_utf8(number) from None
            yield number, text


def _raw_lines(file: BinaryIO) -> Iterator[bytes]:
    number = 0
    while raw := file.readline(4 * MOST_CHARACTERS_A_LINE):
        number += 1
        if len(raw) == 4 * MOST_CHARACTERS_A_LINE:
            raise CannotRead(
                sentence(
                    "Line {line} is longer than {most} bytes. Is a line break missing?",
                    line=number,
                    most=4 * MOST_CHARACTERS_A_LINE,
                )
            )
        yield raw


def _not_utf8(path: Path) -> CannotRead:
    """Find the line that a reader of larger pieces stumbled over."""
    try:
        deque(_counted_lines(path), maxlen=0)
    except CannotRead as error:
        return error
    return _line_is_not_utf8(1)


def _line_is_not_utf8(line: int) -> CannotRead:
    return CannotRead(
        sentence(
            "Line {line} is not UTF-8. Save the file as UTF-8 and try again; Excel calls that “CSV "
            "UTF-8”.",
            line=line,
        )
    )
