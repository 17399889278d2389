"""The examples of docs/importing.md are files that can be imported."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from annotation.readers.problems import FileProblem
from annotation.readers.ratings import RatingFile
from annotation.rubric.loading import load, shipped

CRISIS = load(shipped()["psycrisis"])
PAGE = Path(settings.BASE_DIR, "docs", "importing.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES[:2], ids=["a rating a row", "an item a row"])
def test_an_example_can_be_read(put, example):
    rows = list(RatingFile(put("example.csv", example), CRISIS))
    assert not any(isinstance(row, FileProblem) for row in rows)
    assert len(rows) == 4
    assert {row.rater for row in rows} == {"expert-1", "expert-2"}
    assert sum(bool(row.value.unscored) for row in rows) == 1
    assert any(row.reason.endswith("Never asks about suicide.") for row in rows)


def test_the_example_of_columns_of_raters_can_be_read(put):
    rows = list(RatingFile(put("example.csv", EXAMPLES[2]), CRISIS))
    assert [(row.item_key, row.rater, row.value.unscored) for row in rows] == [
        ("pond-1", "expert-1", ""),
        ("pond-1", "expert-1", ""),
        ("pond-1", "expert-2", ""),
        ("pond-1", "expert-2", "missing"),
        ("pond-2", "expert-1", ""),
        ("pond-2", "expert-1", ""),
    ]


def test_the_example_of_repeats_can_be_read(put):
    [example] = EXAMPLES[3:]
    rows = list(RatingFile(put("example.csv", example), CRISIS))
    assert [(row.rater, row.repeat) for row in rows] == [("judge-1", 1)] * 2 + [("judge-1", 2)] * 2
    assert [row.value.unscored for row in rows] == ["", "", "", "missing"]
