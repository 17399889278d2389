"""Tables: a header and the rows under it, in a text file or on the first sheet of a workbook."""

from collections.abc import Generator, Iterator, Sequence
from itertools import chain, islice

from annotation.readers.calling import own_columns
from annotation.readers.problems import CannotRead, FilePlace, FileProblem, FileReason, Flaw
from annotation.readers.records import Record, Source, csv_rows
from annotation.readers.workbooks import check_workbook, sheet_rows
from annotation.rubric.sentences import sentence

TABLES = (".csv", ".tsv", ".xlsx")
_BEYOND_THE_HEADER = Flaw(
    "",
    FileReason.WRONG_SHAPE,
    sentence(
        "A cell stands behind the last column that has a name. Name the column or empty it; where the "
        "header has two rows, make one of them."
    ),
)


class FileTable:
    """A table, opened: `columns` are its names in the order of its header, as they are called here.

    A column without a name is called by its number. Further sheets are named in `ignored`, known
    once the rows have been read.
    """

    def __init__(self, source: Source, ignored: set[str]) -> None:
        self._source = source
        self._ignored = ignored
        self.is_sheet = source.suffix == ".xlsx"
        self.layout = "Excel" if self.is_sheet else "CSV"
        if self.is_sheet:
            check_workbook(source)
        rows = self._with_header()
        _, header = next(rows, (None, []))
        rows.close()
        while self.is_sheet and header and not header[-1]:
            header = header[:-1]
        given = (name.strip() or f"column {number}" for number, name in enumerate(header, start=1))
        self.columns = own_columns(given, source.called)

    def rows(self) -> Iterator[tuple[FilePlace, list[str]] | FileProblem]:
        """The cells of every row that is not blank, as many as there are columns."""
        rows = self._with_header()
        next(rows, None)
        width = len(self.columns)
        for place, row in _without_headings(rows):
            if self.is_sheet and not any(row[width:]):
                row = (row + [""] * width)[:width]  # sheets leave blank cells out at the end
            if len(row) == width:
                yield place, row
            elif self.is_sheet:
                yield _BEYOND_THE_HEADER.at(place)
            else:
                yield _wrong_width(place, found=len(row), expected=width)

    def records(self, *needs: Sequence[str]) -> Iterator[Record | FileProblem]:
        """Rows by the name of the column, in lower case.

        Of each of `needs`, names of one column, the header must have one.
        """
        self.check_names(*needs)
        names = [name.casefold() for name in self.columns]
        for row in self.rows():
            if isinstance(row, FileProblem):
                yield row
            else:
                place, cells = row
                yield Record(place, dict(zip(names, cells, strict=True)))

    def check_names(self, *needs: Sequence[str]) -> None:
        """CannotRead where two columns have one name, whatever its case, or one is missing."""
        _check_names([name.casefold() for name in self.columns], needs)

    def _with_header(self) -> Generator[tuple[FilePlace, list[str]], None, None]:
        if self.is_sheet:
            yield from sheet_rows(self._source, self._ignored)
        else:
            yield from csv_rows(self._source.path)


def _without_headings(
    rows: Iterator[tuple[FilePlace, list[str]]],
) -> Iterator[tuple[FilePlace, list[str]]]:
    """The rows of answers: Qualtrics writes its questions and their numbers as two rows more."""
    first = list(islice(rows, 2))
    numbered = [all(_is_import_id(cell) for cell in row if cell) for _, row in first]
    if True in numbered:
        first = first[numbered.index(True) + 1 :]
    return chain(first, rows)


def _is_import_id(cell: str) -> bool:
    return cell.startswith('{"ImportId":')


def _check_names(names: Sequence[str], needs: Sequence[Sequence[str]]) -> None:
    seen: set[str] = set()
    for name in names:
        if "\0" in name:
            raise CannotRead(
                sentence(
                    "The header holds NUL characters, as a file in UTF-16 does. Save the file as "
                    "UTF-8 and try again."
                )
            )
        if name in seen:
            raise CannotRead(
                sentence("The header names the column “{name}” twice.", name=name[:60])
            )
        seen.add(name)
    for alternatives in needs:
        if seen.isdisjoint(alternatives):
            raise CannotRead(
                sentence(
                    "The header, which is the first line, has no column “{name}”. If it has another "
                    "name there, say which: NAME = {name}.",
                    name=alternatives[0],
                )
            )


def _wrong_width(place: FilePlace, *, found: int, expected: int) -> FileProblem:
    return Flaw(
        "",
        FileReason.WRONG_SHAPE,
        sentence(
            "The row has {found} fields and the header {expected}. Put a text that holds the "
            "separator in quotation marks.",
            found=found,
            expected=expected,
        ),
    ).at(place)
