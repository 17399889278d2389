"""Values as JSON, text as it is: a line a row."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder

LONGEST_LINE = 64 << 20  # bytes
_ENCODER = DjangoJSONEncoder(ensure_ascii=False)


def json_line(row: Mapping[str, object], columns: Sequence[str]) -> str:
    """One row as a line of JSON, with the keys in the order of the columns."""
    return as_json({column: row.get(column) for column in columns}) + "\n"


def as_json(value: object) -> str:
    return _ENCODER.encode(value)


def plain(value: object) -> object:
    """A value as JSON has it: a time is text."""
    if isinstance(value, str | bool | int | float | list | dict):
        return value
    return json.loads(as_json(value))


class NoRow(Exception):
    """A sentence that names the file and the line that holds no object."""


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, one after the other; NoRow."""
    with path.open("rb") as file:
        yield from rows_in(file, path.name)


def rows_in(file: IO[bytes], name: str) -> Iterator[dict[str, Any]]:
    """The same of a file that is open."""
    for number in count(1):
        line = file.readline(LONGEST_LINE)
        if not line:
            return
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise NoRow(f"{name}, line {number}: this is no object in JSON.")
        yield row
