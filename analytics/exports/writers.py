"""Rows to files, files to one archive: the same rows always give the same bytes."""

import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Self
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.core.serializers.json import DjangoJSONEncoder

from analytics.exports.cells import cell
from analytics.exports.columns import ExportColumn, Holds, names
from analytics.exports.jsonlines import json_line
from analytics.exports.parquet import ParquetTable

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)
_READABLE_BY_OWNER = 0o600 << 16
_PIECE = 1 << 20
Heed = Callable[[Iterable[bytes]], Iterable[bytes]]
"""Passes pieces of a file on, or ends the work."""
NO_CELL = {Holds.LIST, Holds.TURNS, Holds.RECORD}


class ExportTable:
    """A CSV file being written: UTF-8, LF, one header line, cells that are no formulas."""

    def __init__(self, file: IO[str], columns: Sequence[str]):
        self.columns = columns
        self.writer = csv.writer(file, lineterminator="\n")
        self.writer.writerow(map(cell, columns))

    def write(self, row: Mapping[str, object]) -> None:
        self.writer.writerow([cell(row.get(column)) for column in self.columns])


@contextmanager
def new_file(folder: Path, name: str) -> Iterator[IO[str]]:
    """A text file in the folder, readable by this account only."""
    with new_path(folder, name).open("w", encoding="utf-8", newline="") as file:
        yield file


def new_path(folder: Path, name: str) -> Path:
    """Where a file of the folder is, empty and readable by this account only."""
    path = folder / name
    path.touch(mode=0o600, exist_ok=False)
    return path


class TableFiles:
    """One table being written as JSON Lines, as Parquet and, where cells can hold it, as CSV."""

    def __init__(self, folder: Path, name: str, columns: Sequence[ExportColumn]) -> None:
        self._columns = names(columns)
        self.count = 0
        with ExitStack() as files:
            self._lines = files.enter_context(new_file(folder, f"{name}.jsonl"))
            self._parquet = files.enter_context(
                ParquetTable(new_path(folder, f"{name}.parquet"), columns)
            )
            self._table = None
            if not any(column.holds in NO_CELL for column in columns):
                csv_file = files.enter_context(new_file(folder, f"{name}.csv"))
                self._table = ExportTable(csv_file, self._columns)
            self._files = files.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self._files.close()

    def write(self, row: Mapping[str, object]) -> None:
        self.count += 1
        self._lines.write(json_line(row, self._columns))
        self._parquet.write(row)
        if self._table:
            self._table.write(row)


def write_table(
    folder: Path,
    name: str,
    columns: Sequence[ExportColumn],
    rows: Iterable[Mapping[str, object]],
) -> int:
    """The files of a table with these rows; how many there were."""
    with TableFiles(folder, name, columns) as table:
        for row in rows:
            table.write(row)
        return table.count


def write_json(folder: Path, name: str, content: object) -> None:
    """A file with one JSON value, keys sorted."""
    text = json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True, cls=DjangoJSONEncoder)
    write_text(folder, name, text + "\n")


def write_text(folder: Path, name: str, text: str) -> None:
    with new_file(folder, name) as file:
        file.write(text)


def listing(folder: Path) -> dict[str, dict[str, Any]]:
    """{name: size and hash} of the files that are there."""
    return {
        path.name: {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
        for path in sorted(folder.iterdir())
    }


def archive(folder: Path, to: Path, *, heed: Heed = iter) -> None:
    """Put all files of the folder into one zip, in order of name, with nothing of this machine;
    the pieces of it pass through `heed`."""
    with ZipFile(to, "x", ZIP_DEFLATED, compresslevel=6) as bundle:
        for path in sorted(folder.iterdir()):
            entry = _entry(path.name)
            entry.file_size = path.stat().st_size
            with path.open("rb") as source, bundle.open(entry, "w") as target:
                for piece in heed(iter(partial(source.read, _PIECE), b"")):
                    target.write(piece)
    to.chmod(0o600)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Files, by their place in it, as one zip, in order of name, with nothing of this machine."""
    made = io.BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED, compresslevel=6) as bundle:
        for name, content in sorted(files.items()):
            bundle.writestr(_entry(name), content, compresslevel=6)
    return made.getvalue()


def unpacked(files: Mapping[str, bytes], folder: Path) -> None:
    """Files, by their place in it, as a new folder that only this account can read."""
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(content)


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, _BEGINNING_OF_TIME)
    entry.compress_type = ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = _READABLE_BY_OWNER
    return entry


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_bytes(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
