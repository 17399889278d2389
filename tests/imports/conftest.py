"""Files as people bring them."""

from pathlib import Path

import openpyxl
import pytest

from annotation.models import Study, TeamRole
from annotation.readers.records import Source
from tests.cast import study_with
from tests.kept import made_once


@pytest.fixture
def put(tmp_path):
    """put("items.csv", "key,…") is that file, as a Source; text is written as UTF-8."""

    def write(name: str, content: str | bytes) -> Source:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Source(path=path, name=name)

    return write


@pytest.fixture
def sheet(tmp_path):
    """sheet("w.xlsx", [row, …]) is a workbook with these rows."""

    def write(name: str, rows) -> Source:
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        path = Path(tmp_path / name)
        book.save(path)
        return Source(path=path, name=name)

    return write


@pytest.fixture
@made_once
def mere(ada) -> Study:
    """A study with the mentalalign rubric, and nothing in it."""
    return study_with(
        rubric="mentalalign", key="mere", team={ada: [TeamRole.COORDINATOR]}, n_items=0
    )
