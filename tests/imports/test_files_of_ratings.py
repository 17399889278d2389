"""What a file of ratings says, and what is said of a bad one. No database."""

import json

import pytest

from annotation.readers.problems import CannotRead, Problem
from annotation.readers.ratings import RatingFile
from annotation.readers.values import Criteria, Value
from annotation.rubric.loading import load, shipped

SAFETY = load(shipped()["dialogue_safety"])
SCALES = load(shipped()["mentalalign"])
KEYS = [criterion.key for criterion in SCALES.criteria]
ALL_FIVE = {key.capitalize(): 5 for key in KEYS}


def five_but(**others) -> str:
    return json.dumps(ALL_FIVE | others)


CELLS = {
    "bare": (five_but(), {}),
    "in a fence": (f"```json\n{five_but()}\n```", {}),
    "in a fence without a language": (f"```\n{five_but()}\n```  ", {}),
    "with attributes that are not asked": (five_but(Overall=4.7, Explanation="Good."), {}),
    "with keys in lower case": (json.dumps(dict.fromkeys(KEYS, 5)), {}),
    "with numbers as text": (json.dumps(dict.fromkeys(KEYS, "5")), {}),
    "a zero": (five_but(Safety=0), {"safety": Value("safety", None, 0, "", True)}),
    "a six": (five_but(Safety=6), {"safety": Value("safety", None, 6, "", True)}),
    "a null": (five_but(Safety=None), {"safety": Value("safety", unscored="missing")}),
    "a half": (five_but(Safety=4.5), {"safety": Value("safety", unscored="off_scale")}),
    "a huge number": (five_but(Safety=10**9), {"safety": Value("safety", unscored="off_scale")}),
    "a word": (five_but(Safety="high"), {"safety": Value("safety", unscored="not_a_number")}),
    "a truth value": (five_but(Safety=True), {"safety": Value("safety", unscored="not_a_number")}),
    "a NaN": (
        five_but().replace('"Safety": 5', '"Safety": NaN'),
        {"safety": Value("safety", unscored="not_a_number")},
    ),
}


@pytest.mark.parametrize(("cell", "others"), CELLS.values(), ids=CELLS)
def test_a_cell_is_read_attribute_by_attribute(cell, others):
    wanted = [others.get(key, Value(key, None, 5)) for key in KEYS]
    assert list(Criteria(SCALES).read_cell(cell)) == wanted


UNREADABLE = {
    "nothing": (None, "empty_cell"),
    "blanks": ("  \n", "empty_cell"),
    "prose": ("I would give it a four.", "broken_json"),
    "prose around JSON": (f"My ratings:\n{five_but()}", "broken_json"),
    "a quotation mark too many": (
        '{"Guidance": 5, "Explanation": "an "I" statement"}',
        "broken_json",
    ),
    "broken off": (five_but()[:-1], "broken_json"),
    "deeply nested": ("[" * 100_000, "broken_json"),
    "a number": (5, "not_an_object"),
    "a list": ("[5, 5]", "not_an_object"),
}


@pytest.mark.parametrize(("cell", "reason"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_cell_that_cannot_be_read_has_no_value_but_its_reason(cell, reason):
    assert list(Criteria(SCALES).read_cell(cell)) == [Value(key, unscored=reason) for key in KEYS]


def test_a_workbook_is_of_one_rater_whose_kind_its_columns_say(sheet):
    rows = [["ConvID", "context", " judge_response_claude"], [1.0, "Hi", five_but()]]
    file = RatingFile(sheet("w.xlsx", rows), SCALES)
    [one] = file
    assert file.kind == "judge"
    assert (one.item_key, one.field, one.rater) == ("1-claude", "judge_response_claude", "")


def test_a_table_has_one_rating_a_row_and_calls_criteria_as_it_likes(put):
    source = put(
        "r.csv",
        "Item,Rater,Criterion,Value,note\n1,ben,Guidance,4,x\n1,ben,安全性,五,\n2,cleo,safety,,\n",
    )
    file = RatingFile(source, SCALES)
    rows = list(file)
    assert [(row.item_key, row.rater, row.value) for row in rows] == [
        ("1", "ben", Value("guidance", None, 4)),
        ("1", "ben", Value("safety", unscored="not_a_number")),
        ("2", "cleo", Value("safety", unscored="missing")),
    ]
    assert file.ignored == {"note"}


def test_a_table_may_hold_labels_or_whole_paths(put):
    lines = [
        {"item": 1, "criterion": "safety", "value": "Toxic Language"},
        {"item": 2, "criterion": "safety", "value": {"nonsense": "yes"}},
        {"item": 3, "criterion": "safety", "value": "rude"},
    ]
    source = put("r.jsonl", "\n".join(map(json.dumps, lines)))
    assert [row.value for row in RatingFile(source, SAFETY)] == [
        Value("safety", "toxic_language"),
        Value("safety", "nonsense"),
        Value("safety", unscored="unknown_label"),
    ]


BAD_ROWS = {
    "no item": (",ben,safety,5", "line 2, “item”: The row does not say which item it is about."),
    "another criterion": (
        "1,ben,warmth,5",
        "line 2, “criterion”: The rubric has only these criteria: " + ", ".join(KEYS) + ".",
    ),
    "a rater with blanks": (
        "1,Dr. Wang,safety,5",
        "line 2, “rater”: A rater's key is made of Latin letters, digits, hyphens, underscores.",
    ),
    "a long item": (
        "x" * 161 + ",ben,safety,5",
        "line 2, “item”: It is 161 characters long; this field may have 160. Shorten it.",
    ),
    "a field too few": (
        "1,ben,safety",
        (
            "line 2: The row has 3 fields and the header 4. Put a text that holds the separator in "
            "quotation marks."
        ),
    ),
}


@pytest.mark.parametrize(("row", "words"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_is_named_with_line_field_and_what_to_do(put, row, words):
    file = RatingFile(put("r.csv", f"item,rater,criterion,value\n{row}\n"), SCALES)
    assert [row.words for row in file if isinstance(row, Problem)] == [words]


def test_a_table_without_a_column_for_the_value_is_refused(put):
    with pytest.raises(CannotRead, match="has no column “value”"):
        list(RatingFile(put("r.csv", "item,criterion,rating\n1,safety,5\n"), SCALES))


def test_another_ending_is_refused(put):
    with pytest.raises(CannotRead, match="Ratings are read from"):
        RatingFile(put("r.sav", "x"), SCALES)
