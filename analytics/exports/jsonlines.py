"""Values as JSON, text as it is: a line a row."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

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


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, one after the other."""
    with path.open("rb") as file:
        yield from map(json.loads, file)
