"""Shapes of files in which something else than meant could come in unseen: each is read right, asked
about or refused. No database."""

import datetime
import io
import json

import openpyxl
import pytest

from annotation.readers.calling import called_in
from annotation.readers.items import ItemFile
from annotation.readers.problems import CannotRead, FileProblem
from annotation.readers.ratings import RatingFile
from annotation.readers.records import Source
from annotation.rubric.loading import load, shipped

SCALES = load(shipped()["mentalalign"])
LOST = "what a spreadsheet program makes of"


@pytest.fixture
def read(put):
    """read(ItemFile, "a.csv", text, "id = key") are rows, and what is said of bad ones or of the file."""

    def rows(kind, name, content, called=""):
        source = put(name, content)
        try:
            said = Source(path=source.path, name=name, called=called_in(called))
            return [
                one.words if isinstance(one, FileProblem) else one for one in kind(said, SCALES)
            ]
        except CannotRead as refusal:
            return [str(refusal.sentence)]

    return rows


def book(*sheets):
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = workbook.create_sheet(f"s{number}")
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    workbook.save(written)
    return written.getvalue()


def lines(*rows):
    return "\n".join(map(json.dumps, rows))


def values(rows):
    return [(one.rater, one.item_key, one.value.criterion, one.value.score) for one in rows]


@pytest.mark.parametrize(
    "key",
    [
        1234567890123456789,
        datetime.date(2026, 1, 2),
        datetime.time(1, 30),
    ],
)
def test_a_key_that_a_spreadsheet_program_has_changed_is_refused(read, key):
    items = book([["key", "dialogue"], [key, "Hi"]])
    [said] = read(ItemFile, "i.xlsx", items)
    assert LOST in said
    [said] = read(RatingFile, "r.xlsx", book([["item", "empathy"], [key, 3]]))
    assert LOST in said


@pytest.mark.parametrize("key", ["1.23457E+18", "1,23457E+18", "2e+05"])
def test_a_key_that_lost_its_digits_in_a_sheet_is_refused_in_csv_too(read, key):
    [said] = read(ItemFile, "i.csv", f'key,dialogue\n"{key}",Hi\n')
    assert said.startswith("line 2, “key”")
    assert LOST in said


def test_long_numbers_that_are_text_are_keys(read):
    [row] = read(ItemFile, "i.xlsx", book([["key", "dialogue"], ["1234567890123456789", "Hi"]]))
    assert row.key == "1234567890123456789"


@pytest.mark.parametrize(
    "header",
    [
        'item;rater;"How kind, warm, and clear, all in all?"',
        "item;rater;How kind, warm, and clear, all in all?",
        "item\trater\tHow kind, warm, and clear, all in all?",
    ],
)
def test_commas_in_a_question_of_the_header_part_no_cells(read, header):
    sign = header[4]
    called = "How kind, warm, and clear, all in all? = empathy"
    rows = read(RatingFile, "r.csv", f"{header}\na{sign}r1{sign}3\n", called)
    assert values(rows) == [("r1", "a", "empathy", 3)]


def test_a_header_that_breaks_within_a_cell_is_read_and_called_by_its_words(read):
    text = 'item;"Warmth\n(1 = low,  5 = high)";rater\na;3;r1\n'
    rows = read(RatingFile, "r.csv", text, "warmth (1 = low, 5 = high) = empathy")
    assert values(rows) == [("r1", "a", "empathy", 3)]


def test_a_head_over_several_columns_is_asked_about(read):
    text = "item,empathy,,safety,\n,R1,R2,R1,R2\na,1,2,3,4\n"
    _, said = read(RatingFile, "r.csv", text)
    assert said.startswith("line 3, “column 3”: ")
    assert "empathy = empathy.R1 and column 3 = empathy.R2" in said
    called = "empathy = empathy.R1\ncolumn 3 = empathy.R2\nsafety = safety.R1\ncolumn 5 = safety.R2"
    _, *rows = read(RatingFile, "r.csv", text, called)
    assert values(rows) == [
        *(("R1", "a", "empathy", 1), ("R1", "a", "safety", 3)),
        *(("R2", "a", "empathy", 2), ("R2", "a", "safety", 4)),
    ]


def test_notes_without_a_head_are_left_out(read):
    rows = read(RatingFile, "r.csv", "item,empathy,rater,\na,3,r1,see mail\n")
    assert values(rows) == [("r1", "a", "empathy", 3)]


@pytest.mark.parametrize(
    "column",
    ["reviewer", "Rater name", "Email Address", "username", "_annotator_id", "rated_by", "评分人"],
)
def test_raters_in_a_column_of_another_name_are_not_taken_for_one(read, column):
    text = f"item,{column},empathy\na,ann,3\nb,ann,4\nc,ben,4\n"
    said = read(RatingFile, "r.csv", text)[-1]
    assert said.startswith("line 4: ")
    assert f"{column} = rater" in said
    same = read(RatingFile, "r.csv", text.replace("ben", "ann"))
    assert values(same) == [
        ("", "a", "empathy", 3),
        ("", "b", "empathy", 4),
        ("", "c", "empathy", 4),
    ]
    assert values(read(RatingFile, "r.csv", text, f"{column} = rater"))[2][0] == "ben"
    assert len(values(read(RatingFile, "r.csv", text, f"{column} = other.{column}"))) == 3


def test_raters_of_records_and_of_columns_are_known_without(read):
    rows = read(RatingFile, "r.csv", "item,username,empathy.r1\na,x,3\nb,y,3\n")
    assert len(values(rows)) == 2
    text = lines(*({"item": key, "user_name": key, "empathy": 3} for key in "ab"))
    assert "user_name = rater" in read(RatingFile, "r.jsonl", text)[-1]


def test_sheets_with_the_same_columns_are_not_left_out_unsaid(read):
    sheets = [[["item", "empathy"], ["a", 3]], [["Empathy", "item"], [4, "a"]]]
    [said] = read(RatingFile, "r.xlsx", book(*sheets))
    assert "“s1” and “s2” have the same columns" in said
    rows = read(RatingFile, "r.xlsx", book(*sheets), "sheet = rater")
    assert values(rows) == [("s1", "a", "empathy", 3), ("s2", "a", "empathy", 4)]
    assert len(read(RatingFile, "r.xlsx", book(sheets[0], [["notes"], ["x"]]))) == 1


@pytest.mark.parametrize("name", ["GPT-4", "Claude-2", "chosen"])
def test_a_column_that_may_hold_the_reply_is_asked_about(read, name):
    text = f"key,prompt,{name}\na,Hi,Ho there\n"
    [said] = read(ItemFile, "i.csv", text)
    assert f"{name} = reply.{name}" in said
    assert [row.reply for row in read(ItemFile, "i.csv", text, f"{name} = reply.{name}")] == [
        "Ho there"
    ]
    [row] = read(ItemFile, "i.csv", text, f"{name} = other.{name}")
    assert row.reply is None
    [row] = read(ItemFile, "i.csv", f"key,prompt,{name}\na,Hi,4\n")
    assert row.reply is None, "a number is no reply"


@pytest.mark.parametrize("name", ["transcript", "chat_history", "对话历史"])
def test_what_was_said_before_is_not_left_out_unsaid(read, name):
    text = f"key,question,{name},response\na,And now?,Client: Hi,Ho\n"
    [said] = read(ItemFile, "i.csv", text)
    assert said.startswith(f"line 2, “{name}”: ")
    assert f"{name} = dialogue" in said
    [row] = read(ItemFile, "i.csv", text, f"{name} = dialogue")
    assert row.turns[0]["text"] == "Hi"
    [row] = read(ItemFile, "i.csv", text, f"{name} = other.{name}")
    assert row.turns[0]["text"] == "And now?"


@pytest.mark.parametrize(
    "history", [[{"role": "user", "content": "Hi"}], [["user", "Hi"]], "Client: Hi"]
)
def test_a_history_of_what_was_said_is_asked_about_and_one_of_an_illness_is_not(read, history):
    record = {"key": "a", "question": "And now?", "history": history}
    [said] = read(ItemFile, "i.jsonl", lines(record))
    assert "history = dialogue" in said
    [row] = read(ItemFile, "i.jsonl", lines(record | {"history": "of depression"}))
    assert row.turns[0]["text"] == "And now?"


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("1.5", "12.25"),
        ("00:59", "01:02:00"),
        ("2026-01-02T09:00", "2026-01-02T10:00:30.5Z"),
    ],
)
def test_turns_that_stand_against_their_times_are_refused(read, early, late):
    header = "dialogue_id,timestamp,speaker,text\n"
    rows = [f"d,{early},client,Hi\n", f"d,{late},therapist,Ho\n"]
    [row] = read(ItemFile, "t.csv", header + "".join(rows))
    assert row.reply is None
    assert [turn["text"] for turn in row.turns] == ["Hi", "Ho"]
    text = header + "".join(reversed(rows))
    [said] = read(ItemFile, "t.csv", text)
    assert "order" in said
    assert "timestamp = other.timestamp" in said
    [row] = read(ItemFile, "t.csv", text, "timestamp = other.timestamp")
    assert [turn["text"] for turn in row.turns] == ["Ho", "Hi"]


def test_turns_without_times_or_with_numbers_stand_as_they_are(read):
    header = "dialogue_id,turn_id,time,speaker,text\n"
    [row] = read(ItemFile, "t.csv", header + "d,1,12:00,client,Hi\nd,2,11:00,therapist,Ho\n")
    assert [turn["text"] for turn in row.turns] == ["Hi", "Ho"]
    [row] = read(ItemFile, "t.csv", header + "d,,noon,client,Hi\nd,,,therapist,Ho\n")
    assert [turn["text"] for turn in row.turns] == ["Hi", "Ho"]


@pytest.mark.parametrize(
    "shape",
    [
        "[{0}] {1}: {2}",
        "({0}) {1}: {2}",
        "{0} {1}: {2}",
        "{0} - {1}: {2}",
        "{1} ({0}): {2}",
        "{1} [{0}]: {2}",
    ],
)
def test_lines_with_times_are_turns(read, shape):
    said = [("00:01", "Therapist", "What brings you?"), ("00:00:05", "Client", "At 10:30 I woke.")]
    text = "\n".join(shape.format(*one) for one in said)
    [row] = read(ItemFile, "i.jsonl", lines({"key": "a", "dialogue": text}))
    assert row.turns == (
        {"speaker": "supporter", "text": "What brings you?"},
        {"speaker": "seeker", "text": "At 10:30 I woke."},
    )


def test_a_stranger_who_answers_somebody_known_is_one_behind_a_time_too(read):
    text = "[00:01] Therapist: Hi\n[00:02] Tom: Ho\n[00:03] Therapist: Ha"
    [said] = read(ItemFile, "i.jsonl", lines({"key": "a", "dialogue": text}))
    assert "“Tom” is not a speaker" in said


@pytest.mark.parametrize(
    ("kind", "whole"),
    [
        (ItemFile, {"key": {"0": "a"}, "dialogue": {"0": "Hi"}}),
        (ItemFile, {"a": {"dialogue": "Hi"}, "b": {"dialogue": "Ho"}}),
        (RatingFile, {"item": {"0": "a"}, "empathy": {"0": 3}}),
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_an_object_of_objects_is_refused_in_one_sentence(read, kind, whole, indent):
    [said] = read(kind, "i.json", json.dumps(whole, indent=indent))
    assert "a list, which begins with “[”" in said


@pytest.mark.parametrize(
    ("record", "example"),
    [
        ({"key": "a", "text": "Hi"}, "text = dialogue"),
        ({"id": 1, "data": {"text": "Hi", "id": "a"}, "annotations": []}, "data.text = dialogue"),
    ],
)
def test_where_no_field_is_the_dialogue_the_one_that_may_be_is_named(read, record, example):
    [said] = read(ItemFile, "i.jsonl", lines(record))
    assert example in said
    rows = read(ItemFile, "i.jsonl", lines(record), example)
    assert rows[0].turns[0]["text"] == "Hi"


def test_a_key_within_an_object_is_asked_for_and_that_of_an_annotator_is_none(read):
    record = {"text": "Hi", "meta": {"id": "a"}, "_annotator_id": "x", "_task_hash": 1}
    [said] = read(ItemFile, "i.jsonl", lines(record), "text = dialogue")
    assert "meta.id = key" in said
    [row] = read(ItemFile, "i.jsonl", lines(record), "text = dialogue\nmeta.id = key")
    assert row.key == "a"


def test_records_without_a_criterion_are_told_how_to_name_one(read):
    [said] = read(RatingFile, "r.jsonl", lines({"item": "a", "rater": "x", "empathy_score": 3}))
    assert "empathy_score = empathy" in said


@pytest.mark.parametrize("nobody", ["consensus", "Gold", "majority_vote", "majority-vote", "mean"])
def test_what_became_of_ratings_is_no_rater(read, nobody):
    [said] = read(RatingFile, "r.csv", f"item,rater,empathy\na,{nobody},3\n")
    assert said.startswith("line 2, “rater”: ")
    assert "no rater" in said
    rows = read(RatingFile, "r.csv", f"item,empathy.r1,empathy.{nobody}\na,3,4\n")
    assert values(rows) == [("r1", "a", "empathy", 3)]


SAID = "SPEAKER_00 = speaker.supporter\n1 = speaker.seeker"
TURNS = ({"speaker": "supporter", "text": "Hi"}, {"speaker": "seeker", "text": "Ho: 1"})
SPOKEN = {
    "a transcript": ("t.csv", "dialogue_id,speaker,text\nd,SPEAKER_00,Hi\nd,1,Ho: 1\n"),
    "lines": ("i.csv", 'key,dialogue\nd,"SPEAKER_00: Hi\n1: Ho: 1"\n'),
    "lines with times": ("i.csv", 'key,dialogue\nd,"[00:01] speaker_00: Hi\n1 (00:02): Ho: 1"\n'),
    "messages": (
        "i.jsonl",
        lines({"key": "d", "dialogue": [{"role": "SPEAKER_00", "content": "Hi"}, ["1", "Ho: 1"]]}),
    ),
    "numbers": (
        "i.jsonl",
        lines(
            {
                "key": "d",
                "turns": [{"speaker": "Speaker_00", "text": "Hi"}, {"speaker": 1, "text": "Ho: 1"}],
            }
        ),
    ),
}


@pytest.mark.parametrize(("name", "text"), SPOKEN.values(), ids=SPOKEN)
def test_whoever_brings_a_file_says_who_speaks(read, name, text):
    [said, *_] = read(ItemFile, name, text)
    assert getattr(said, "turns", ()) != TURNS
    [row] = read(ItemFile, name, text, SAID)
    assert row.turns == TURNS
    assert row.key == "d"


def test_roles_may_be_said_to_be_the_other_way_round(read):
    """As where an LLM plays the patient."""
    text = lines(
        {
            "key": "d",
            "messages": [
                {"role": "user", "content": "What brings you?"},
                {"role": "assistant", "content": "I cannot sleep."},
            ],
        },
        {"key": "e", "dialogue": "Hi"},
    )
    said = "user = speaker.supporter\nassistant = speaker.seeker"
    row, other = read(ItemFile, "i.jsonl", text, said)
    assert [turn["speaker"] for turn in row.turns] == ["supporter", "seeker"]
    assert row.reply is None
    assert other.turns[0]["speaker"] == "seeker"


def test_who_is_not_known_is_asked_for(read):
    text = "dialogue_id,speaker,text\nd,Agent,Hi\n"
    [said] = read(ItemFile, "t.csv", text)
    assert "agent = speaker.seeker" in said
    [bad, row] = read(
        ItemFile, "i.jsonl", '3\n{"key": "d", "dialogue": "T: Hi"}', "t = speaker.supporter"
    )
    assert "line 1" in bad
    assert row.turns[0]["speaker"] == "supporter"
