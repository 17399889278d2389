"""Rows to files, files to one archive: the same rows always give the same bytes."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.core.serializers.json import DjangoJSONEncoder

from analytics.exports.cells import cell

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)
_READABLE_BY_OWNER = 0o600 << 16
_PIECE = 1 << 20


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
    path = folder / name
    path.touch(mode=0o600, exist_ok=False)
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file


def write_table(
    folder: Path, name: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]]
) -> int:
    """A CSV file with these rows; how many there were."""
    n = 0
    with new_file(folder, name) as file:
        table = ExportTable(file, columns)
        for row in rows:
            table.write(row)
            n += 1
    return n


def write_lines(
    folder: Path, name: str, columns: Sequence[str], rows: Iterable[Mapping[str, object]]
) -> int:
    """A file of one JSON object a line with these rows; how many there were."""
    n = 0
    with new_file(folder, name) as file:
        for row in rows:
            file.write(json_line(row, columns))
            n += 1
    return n


def json_line(row: Mapping[str, object], columns: Sequence[str]) -> str:
    """One row as a line of JSON, with the keys in the order of the columns."""
    kept = {column: row.get(column) for column in columns}
    return json.dumps(kept, ensure_ascii=False, cls=DjangoJSONEncoder) + "\n"


def write_json(folder: Path, name: str, content: object) -> None:
    """A file with one JSON value, keys sorted."""
    text = json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True, cls=DjangoJSONEncoder)
    write_text(folder, name, text + "\n")


def write_text(folder: Path, name: str, text: str) -> None:
    with new_file(folder, name) as file:
        file.write(text)


def archive(folder: Path, to: Path) -> None:
    """Put all files of the folder into one zip, in order of name, with nothing of this machine."""
    with ZipFile(to, "x", ZIP_DEFLATED, compresslevel=6) as bundle:
        for path in sorted(folder.iterdir()):
            entry = _entry(path.name)
            entry.file_size = path.stat().st_size
            with path.open("rb") as source, bundle.open(entry, "w") as target:
                while piece := source.read(_PIECE):
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
