"""What a file of ratings says, and what is said of a bad one. No database."""

import csv
import io
import json
import time
from dataclasses import replace

import openpyxl
import pytest

from annotation.readers.calling import called_in
from annotation.readers.problems import CannotRead, FileProblem
from annotation.readers.ratings import RatingFile
from annotation.readers.sizes import rows_in
from annotation.readers.values import Criteria, Value
from annotation.rubric.loading import load, shipped

SAFETY = load(shipped()["dialogue_safety"])
SCALES = load(shipped()["mentalalign"])
CRISIS = load(shipped()["psycrisis"])
KEYS = [criterion.key for criterion in SCALES.criteria]
ALL_FIVE = {key.capitalize(): 5 for key in KEYS}


def five_but(**others) -> str:
    return json.dumps(ALL_FIVE | others)


CELLS = {
    "bare": (five_but(), {}),
    "in a fence": (f"```json\n{five_but()}\n```", {}),
    "in a fence without a language": (f"```\n{five_but()}\n```  ", {}),
    "in a fence that is never closed": (f"```json\n{five_but()}", {}),
    "with attributes that are not asked": (five_but(Overall=4.7, Explanation="Good."), {}),
    "with keys in lower case": (json.dumps(dict.fromkeys(KEYS, 5)), {}),
    "with numbers as text": (json.dumps(dict.fromkeys(KEYS, "5")), {}),
    "with the same value twice": (five_but()[:-1] + ', "safety": "5"}', {}),
    "with two values for one": (
        five_but()[:-1] + ', "safety": 4, "Safety": 5}',
        {"safety": Value("safety", unscored="ambiguous")},
    ),
    "with an object for a value": (
        five_but(Safety={"score": 5}),
        {"safety": Value("safety", unscored="not_a_number")},
    ),
    "a fraction of the scale": (
        five_but(Safety="4/5"),
        {"safety": Value("safety", unscored="not_a_number")},
    ),
    "a whole number with a point": (five_but(Safety="5.0"), {}),
    "a zero": (five_but(Safety=0), {"safety": Value("safety", None, 0, "", True)}),
    "a six": (five_but(Safety=6), {"safety": Value("safety", None, 6, "", True)}),
    "a null": (five_but(Safety=None), {"safety": Value("safety", unscored="missing")}),
    "a half": (five_but(Safety=4.5), {"safety": Value("safety", unscored="off_scale")}),
    "a huge number": (five_but(Safety=10**9), {"safety": Value("safety", unscored="off_scale")}),
    "a word": (five_but(Safety="high"), {"safety": Value("safety", unscored="not_a_number")}),
    "a truth value": (five_but(Safety=True), {"safety": Value("safety", unscored="not_a_number")}),
    "a NaN": (
        five_but().replace('"Safety": 5', '"Safety": NaN'),
        {"safety": Value("safety", unscored="missing")},
    ),
}


@pytest.mark.parametrize(("cell", "others"), CELLS.values(), ids=CELLS)
def test_a_cell_is_read_attribute_by_attribute(cell, others):
    wanted = [others.get(key, Value(key, None, 5)) for key in KEYS]
    assert list(Criteria(SCALES).read_cell(cell)) == wanted


UNREADABLE = {
    "nothing": (None, "empty_cell"),
    "blanks": ("  \n", "empty_cell"),
    "the word that a program writes for nothing": ("nan", "empty_cell"),
    "a refusal": ("I'm sorry, I cannot rate this.", "broken_json"),
    "single quotes": (str(ALL_FIVE), "broken_json"),
    "a comma too many": (five_but()[:-1] + ",}", "broken_json"),
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


def test_attributes_that_are_no_criteria_are_named(sheet):
    rows = [["ConvID", "context", "note", "judge_response_a"], [1, "Hi", "-", five_but(Overall=4)]]
    file = RatingFile(sheet("w.xlsx", rows), SCALES)
    list(file)
    assert file.ignored == {"note", "Overall"}


WRITERS = {
    "as pandas does": {"index": ""},
    "with marks, blanks and every field quoted": {
        "bom": "\N{BYTE ORDER MARK}",
        "separator": ";",
        "ends": "\r\n",
    },
}


@pytest.mark.parametrize("how", WRITERS.values(), ids=WRITERS)
def test_a_workbook_saved_as_csv_says_the_same(put, sheet, how):
    rows = [
        ["ConvID", "context", "human_response_a", " human_response_b"],
        ["1.0", "I said:\n“No; yes, no.”", json.dumps(ALL_FIVE, indent=2), ""],
        ["2.0", "Hello", "", five_but(Safety=0)],
    ]
    book = sheet(
        "w.xlsx",
        [[float(cell) if cell in ("1.0", "2.0") else cell for cell in row] for row in rows],
    )
    index = [[how["index"]], ["0"], ["1"]] if "index" in how else [[], [], []]
    text = io.StringIO()
    csv.writer(
        text,
        delimiter=how.get("separator", ","),
        lineterminator=how.get("ends", "\n"),
        quoting=csv.QUOTE_ALL if "bom" in how else csv.QUOTE_MINIMAL,
    ).writerows(first + row for first, row in zip(index, rows, strict=True))
    table = put("another name.CSV", how.get("bom", "") + text.getvalue())

    def said(source):
        return [
            (one.item_key, one.dialogue_key, one.dialogue_sha256, one.values)
            for one in RatingFile(source, SCALES)
        ]

    assert [key for key, *_ in said(book)] == ["1-a", "1-b", "2-a", "2-b"]
    assert said(table) == said(book)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_a_table_may_have_an_item_a_row_and_a_column_for_each_criterion(put, sheet, ending):
    rows = [
        [
            "ConvID",
            "source",
            "rater",
            "共情与合作",
            "Risk assessment",
            "referral",
            "reason",
            "总分",
        ],
        [7, "reed", "expert-1", 1, "0", "", "没有询问自杀念头。", 1],
        [7, "moss", "expert-2", "大概", 1, 2, "", 2],
    ]
    text = "\n".join(",".join(map(str, row)) for row in rows)
    file = RatingFile(sheet("w.xlsx", rows) if ending == "xlsx" else put("w.csv", text), CRISIS)
    found = list(file)
    assert [(row.item_key, row.rater, row.value) for row in found] == [
        ("7-reed", "expert-1", Value("empathy", None, 1)),
        ("7-reed", "expert-1", Value("risk_assessment", None, 0)),
        ("7-reed", "expert-1", Value("referral", unscored="missing")),
        ("7-moss", "expert-2", Value("empathy", unscored="not_a_number")),
        ("7-moss", "expert-2", Value("risk_assessment", None, 1)),
        ("7-moss", "expert-2", Value("referral", None, 2, "", True)),
    ]
    assert [row.reason for row in found] == ["没有询问自杀念头。", "", "", "", "", ""]
    assert file.ignored == {"总分"}


def test_objects_may_give_all_criteria_at_once(put):
    lines = [{"item": "1", "rater": "ann", "Safety": 4, "empathy": "5"}, {"item": 2, "safety": 3}]
    for name, text in [
        ("r.json", json.dumps(lines)),
        ("r.jsonl", "\r\n".join(map(json.dumps, lines))),
    ]:
        assert [
            (row.item_key, row.rater, row.value) for row in RatingFile(put(name, text), SCALES)
        ] == [
            ("1", "ann", Value("safety", None, 4)),
            ("1", "ann", Value("empathy", None, 5)),
            ("2", "", Value("safety", None, 3)),
        ]


def test_a_reason_is_kept_with_its_criterion(put):
    source = put(
        "r.csv", "item,rater,criterion,value,reason\n1,ben,Safety,2,It blames.\n1,ben,empathy,4,\n"
    )
    assert [row.reason for row in RatingFile(source, SCALES)] == ["safety: It blames.", ""]


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


WIDE = [
    ["Item", "Safety.Ben-2", "共情.Ben-2", "safety.cleo", "empathy.cleo", "reason", "safety.Dr Li"],
    ["1", "2", "4", "", " ", "Why", "5"],
    ["2", "", "5", "6", "five", "", ""],
    ["3", "", "", "", "", "", ""],
]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "jsonl"])
def test_a_table_may_have_a_column_for_each_rating_of_an_item(put, sheet, ending):
    if ending == "xlsx":
        source = sheet("r.xlsx", WIDE)
    elif ending == "csv":
        source = put("r.csv", "\n".join(map(",".join, WIDE)))
    else:
        rows = [dict(zip(WIDE[0], row, strict=True)) for row in WIDE[1:]]
        source = put("r.jsonl", "\n".join(map(json.dumps, rows)))
    file = RatingFile(source, SCALES)
    assert [(row.item_key, row.rater, row.value, row.reason) for row in file] == [
        ("1", "Ben-2", Value("safety", None, 2), ""),
        ("1", "Ben-2", Value("empathy", None, 4), ""),
        ("2", "Ben-2", Value("safety", unscored="missing"), ""),
        ("2", "Ben-2", Value("empathy", None, 5), ""),
        ("2", "cleo", Value("safety", None, 6, "", True), ""),
        ("2", "cleo", Value("empathy", unscored="not_a_number"), ""),
    ]
    assert file.ignored == {"reason", "safety.dr li"}


NOTHING = ["NA", "nan", "<NA>", "None", "-", "—", "空"]


@pytest.mark.parametrize("word", NOTHING)
def test_what_programs_write_for_nothing_is_no_rating_no_rater_and_no_reason(put, word):
    wide = put("w.csv", f"item,safety.ann,empathy.ann,safety.ben\n1,5,{word},{word}\n")
    assert [(row.rater, row.value) for row in RatingFile(wide, SCALES)] == [
        ("ann", Value("safety", None, 5)),
        ("ann", Value("empathy", unscored="missing")),
    ]
    long = f"item,rater,safety,reason\n1,{word},5,{word}\n{word},ann,5,\n"
    nobody, problem = RatingFile(put("l.csv", long), SCALES)
    assert (nobody.rater, nobody.reason) == ("", "")
    assert problem.words == "line 3, “item”: The row does not say which item it is about."


def test_a_label_that_is_called_none_stays_a_label(put):
    [safety] = SAFETY.criteria
    labels = (replace(safety.labels[0], key="none"), *safety.labels[1:])
    rubric = replace(SAFETY, criteria=(replace(safety, labels=labels),))
    [row] = RatingFile(put("r.csv", "item,rater,safety\n1,ann,None\n"), rubric)
    assert row.value == Value("safety", "none")


def test_a_number_that_is_missing_in_json_is_none(put):
    text = '{"item": 1, "rater": NaN, "reason": NaN, "safety": NaN}'
    [row] = RatingFile(put("r.jsonl", text), SCALES)
    assert (row.rater, row.reason, row.value) == ("", "", Value("safety", unscored="missing"))


def choice(name, *labels):
    return {"from_name": name, "to_name": "x", "type": "choices", "value": {"choices": labels}}


def stars(name, n):
    return {"from_name": name, "to_name": "x", "type": "rating", "value": {"rating": n}}


def said(name, *texts):
    return {"from_name": name, "to_name": "x", "type": "textarea", "value": {"text": texts}}


def annotation(by, *result, **more):
    return {"id": 7, "completed_by": by, "was_cancelled": False, "result": result} | more


def task(*annotations, **data):
    return {"id": 1, "data": {"text": "…"} | data, "annotations": annotations, "predictions": [1]}


def test_tasks_of_label_studio_are_ratings_of_all_who_annotated(put):
    tasks = [
        task(
            annotation(3, stars("Safety", 2), stars("empathy", 4), said("reason", "It blames.")),
            annotation({"id": 5, "email": "li@example.org"}, stars("safety", 5)),
            annotation(6, stars("safety", 1), was_cancelled=True),
            annotation(7),
            annotation(3, stars("safety", 3), {"type": "relation", "from_id": "a"}),
            key="p1",
        ),
        task(annotation(3, choice("safety", "4"), said("topic", "grief")), key="p2"),
        task(key="p3"),
    ]
    file = RatingFile(put("r.json", json.dumps(tasks)), SCALES)
    assert [(row.item_key, row.rater, row.repeat, row.value, row.reason) for row in file] == [
        ("p1", "annotator-3", 1, Value("safety", None, 2), "It blames."),
        ("p1", "annotator-3", 1, Value("empathy", None, 4), ""),
        ("p1", "annotator-5", 1, Value("safety", None, 5), ""),
        ("p1", "annotator-3", 2, Value("safety", None, 3), ""),
        ("p2", "annotator-3", 1, Value("safety", None, 4), ""),
    ]
    assert file.ignored == {"predictions", "topic"}
    assert file.declined == 1


@pytest.mark.parametrize(
    "name", ["Safety (1-5)", "safety(1–5)", "安全性（1~5分）", "SAFETY [1 to 5]", "Safety (1 - 5)"]
)
def test_a_criterion_may_be_headed_with_its_scale(put, name):
    file = RatingFile(put("r.csv", f"item,rater,{name},empathy\na,ann,4,5\n"), SCALES)
    assert [(row.value.criterion, row.value.score) for row in file] == [
        ("safety", 4),
        ("empathy", 5),
    ]
    [row] = RatingFile(put("r.csv", f"item,{name}.ann\na,4\n"), SCALES)
    assert (row.rater, row.value.score) == ("ann", 4)


@pytest.mark.parametrize(
    "name", ["Safety (0-10)", "Safety (5-1)", "Safety (1-4)", "Safety (reverse)"]
)
def test_a_criterion_that_is_headed_with_another_scale_is_not_read(put, name):
    file = RatingFile(put("r.csv", f"item,rater,{name},empathy\na,ann,4,5\n"), SCALES)
    assert [row.value.criterion for row in file] == ["empathy"]
    assert file.ignored == {name.casefold()}


@pytest.mark.parametrize("mark", ["sep=;\n", "SEP=;\r\n", '"sep=;"\r\n', "\ufeffsep=;\n"])
def test_the_line_that_tells_excel_the_separator_is_no_header(put, mark):
    source = put("r.csv", f"{mark}item;rater;safety\na;ann;4\nb;ann;\n")
    rows = list(RatingFile(source, SCALES))
    assert [(row.place.number, row.item_key, row.value.score) for row in rows] == [
        (3, "a", 4),
        (4, "b", None),
    ]
    assert rows_in(source) == 2


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_what_was_rejected_or_ignored_in_prodigy_is_no_rating(put, ending):
    tasks = [
        {"item": item, "rater": "ann", "safety": 4, "_task_hash": 7, "answer": answer}
        for item, answer in (("a", "accept"), ("b", "reject"), ("c", "ignore"), ("d", "accept"))
    ]
    lines = [",".join(map(str, one)) for one in (tasks[0], *(one.values() for one in tasks))]
    text = "\n".join(lines if ending == "csv" else map(json.dumps, tasks))
    file = RatingFile(put(f"r.{ending}", text), SCALES)
    assert [(row.item_key, row.value.score) for row in file] == [("a", 4), ("d", 4)]
    assert file.declined == 2


ARGILLA = {
    "item": "a",
    "id": "r1",
    "safety.responses": [4, 2, 1],
    "safety.responses.users": ["u-1", "u-2", "u-3"],
    "safety.responses.status": ["submitted", "discarded", "draft"],
    "safety.suggestion": 5,
    "safety.suggestion.agent": "gpt-4o",
    "Empathy.responses": ["3"],
    "Empathy.responses.users": ["u-1"],
}


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_record_of_argilla_has_the_answers_of_all_who_submitted(put, ending):
    text = json.dumps(ARGILLA)
    if ending == "csv":
        written = io.StringIO()
        csv.writer(written).writerows([ARGILLA, ARGILLA.values()])
        text = written.getvalue()
    file = RatingFile(put(f"r.{ending}", text), SCALES)
    assert sorted(
        (row.item_key, row.rater, row.value.criterion, row.value.score) for row in file
    ) == [
        ("a", "u-1", "empathy", 3),
        ("a", "u-1", "safety", 4),
    ]
    assert file.declined == 2
    assert file.ignored == {"id", "safety.suggestion", "safety.suggestion.agent"}


def test_answers_of_argilla_that_nobody_gave_are_named(put):
    record = ARGILLA | {"safety.responses.users": ["u-1"]}
    [problem] = RatingFile(put("r.json", json.dumps([record])), SCALES)
    assert problem.field == "safety.responses"
    assert "not as many answers as users" in problem.words


@pytest.mark.parametrize("name", ["mean", "Std", "suggestion", "responses"])
def test_what_sums_up_or_suggests_is_no_rater(put, name):
    file = RatingFile(put("r.csv", f"item,safety.ann,safety.{name}\na,4,5\n"), SCALES)
    assert [(row.rater, row.value.score) for row in file] == [("ann", 4)]
    assert file.ignored == {f"safety.{name.casefold()}"}
    with pytest.raises(CannotRead, match="names neither criterion and value"):
        RatingFile(put("r.csv", f"item,safety.{name}\na,5\n"), SCALES)


def test_an_answer_that_is_rejected_by_an_llm_is_rated_nevertheless(put):
    file = RatingFile(put("r.csv", "item,rater,safety,answer\na,ann,4,reject\n"), SCALES)
    assert ([row.value.score for row in file], file.declined) == ([4], 0)


def test_a_task_of_label_studio_with_labels(put):
    tasks = [
        task(annotation(1, choice("safety", "Toxic Language")), key="p1"),
        task(annotation(1, choice("safety", "Toxic Language", "Nonsense")), key="p2"),
        # of two parts of one text, and beside a control that is called as the item is
        task(annotation(1, choice("safety", "Nonsense"), choice("safety", "Nonsense")), key="p3"),
        task(annotation(1, choice("safety", "Nonsense"), choice("key", "p9")), key="p4"),
    ]
    file = RatingFile(put("r.json", json.dumps(tasks)), SAFETY)
    assert [(row.item_key, row.value) for row in file] == [
        ("p1", Value("safety", "toxic_language")),
        ("p2", Value("safety", unscored="unknown_label")),
        ("p3", Value("safety", unscored="unknown_label")),
        ("p4", Value("safety", "nonsense")),
    ]


@pytest.mark.parametrize(
    ("data", "named"),
    [({"question_id": "p1"}, "data.question_id = item"), ({"text": "Hi"}, "id = item")],
)
def test_the_item_of_a_task_may_be_called_otherwise(put, data, named):
    source = put(
        "r.json", json.dumps([task(annotation(3, stars("safety", 4)), **data) | {"id": "p1"}])
    )
    [row] = RatingFile(replace(source, called=called_in(named)), SCALES)
    assert (row.item_key, row.rater, row.value.score) == ("p1", "annotator-3", 4)


def test_what_is_chosen_of_two_texts_in_label_studio_is_an_answer(put):
    chosen = {
        "from_name": "risk",
        "to_name": "a,b",
        "type": "pairwise",
        "value": {"selected": "left"},
    }
    source = put("r.json", json.dumps([task(annotation(3, chosen), key="p1")]))
    [row] = RatingFile(source, labelled("Left", "Right"))
    assert row.value == Value("risk", "l1")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (task(annotation(1, stars("safety", 2))), "No field says which item"),
        (task({"id": 7}, key="p1"), "has a list “result”"),
        (task(annotation(1, said("notes", "x")), key="p1"), "No field is called as a criterion"),
    ],
    ids=["no key", "no result", "no criterion"],
)
def test_a_task_of_label_studio_that_cannot_be_read_is_named(put, made, words):
    [problem] = RatingFile(put("r.json", json.dumps([made])), SCALES)
    assert words in problem.words


def test_columns_of_raters_beside_a_rater_are_named_as_not_read(put):
    file = RatingFile(put("r.csv", "item,rater,safety,safety.cleo\n1,ben,4,5\n"), SCALES)
    assert [(row.rater, row.value) for row in file] == [("ben", Value("safety", None, 4))]
    assert file.ignored == {"safety.cleo"}


def test_a_rater_twice_for_one_criterion_is_a_problem(put):
    [problem] = RatingFile(put("r.csv", "item,Safety.ben,安全性.ben\n1,5,5\n"), SCALES)
    assert "Two fields are named as this criterion." in problem.words


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


REPEATS = [
    ["item", "rater", "Repeat", "criterion", "value"],
    ["1", "gpt", "1", "safety", "4"],
    ["1", "gpt", "2", "safety", "5"],
    ["2", "gpt", "", "safety", "3"],
]


def test_every_layout_has_a_column_for_the_repeat(put, sheet):
    numbers = [[row[0], row[1], row[2] and float(row[2]), *row[3:]] for row in REPEATS[1:]]
    wide = [[*REPEATS[0][:3], "safety"], *([*row[:3], row[4]] for row in REPEATS[1:])]
    objects = [dict(zip(REPEATS[0], row, strict=True)) for row in numbers]
    sources = [
        put("long.csv", "\n".join(map(",".join, REPEATS))),
        put("wide.csv", "\n".join(map(",".join, wide))),
        sheet("long.xlsx", [REPEATS[0], *numbers]),
        put("long.json", json.dumps(objects)),
        put("long.jsonl", "\n".join(map(json.dumps, objects))),
    ]
    for source in sources:
        file = RatingFile(source, SCALES)
        found = [(row.item_key, row.repeat, row.value.score) for row in file]
        assert found == [("1", 1, 4), ("1", 2, 5), ("2", 1, 3)]
        assert file.ignored == set()


@pytest.mark.parametrize("repeat", ["0", "-1", "1.5", "two", "1001", "seed-3"])
def test_a_repeat_that_is_no_number_of_one_is_named(put, repeat):
    text = f"item,rater,repeat,safety\n1,gpt,{repeat},5\n"
    [problem] = RatingFile(put("r.csv", text), SCALES)
    assert problem.words == (
        "line 2, “repeat”: A repeat is a whole number from 1 to 1000: 1 for a rater’s first answer "
        "to the item, 2 for the second. Number seeds or runs so."
    )


BAD_ROWS = {
    "no item": (",ben,safety,5", "line 2, “item”: The row does not say which item it is about."),
    "another criterion": (
        "1,ben,warmth,5",
        "line 2, “criterion”: The rubric has only these criteria: " + ", ".join(KEYS) + ".",
    ),
    "a rater with blanks": (
        "1,Dr. Wang,safety,5",
        (
            "line 2, “rater”: A rater's key is made of Latin letters, digits, hyphens, underscores. "
            "Write a pseudonym, such as rater-1."
        ),
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
    assert [row.words for row in file if isinstance(row, FileProblem)] == [words]


def test_two_columns_for_one_criterion_are_a_problem(put):
    [problem] = RatingFile(put("r.csv", "item,Safety,安全性\n1,5,5\n"), SCALES)
    assert problem.words == (
        "line 2, “安全性”: Two fields are named as this criterion. Keep one of the two."
    )


def test_a_table_without_any_criterion_is_refused(put):
    with pytest.raises(CannotRead) as refusal:
        RatingFile(put("r.csv", "item,rater,Safty\n1,ben,5\n"), SCALES)
    assert refusal.value.sentence == (
        "The first row that is not blank, in a workbook of its first sheet, is the header. It names "
        "neither criterion and value, for one rating a row, nor a criterion of the rubric, for one "
        "item a row, nor CRITERION.RATER, for a column a rater. The criteria are: "
        + ", ".join(KEYS)
        + ". If columns have other names, say which: NAME = CRITERION."
    )


CALLED_OTHERWISE = {
    "item,safety_ann,safety_ben": "safety_* = safety.*",
    "item,Ann: Safety,Ben: Safety": "*: safety = safety.*",
    "item,rater,safety_score,empathy_score": "safety_score = safety",
}


@pytest.mark.parametrize(("header", "said"), CALLED_OTHERWISE.items())
def test_what_columns_are_called_that_name_a_criterion_and_more_is_proposed(put, header, said):
    source = put("r.csv", f"{header}\n1,5,4\n")
    with pytest.raises(CannotRead) as refusal:
        RatingFile(source, SCALES)
    assert str(refusal.value.sentence).endswith(f"say which: {said}.")
    RatingFile(replace(source, called=called_in(said)), SCALES)


def test_items_in_columns_beside_a_rater_are_not_proposed_as_raters(put):
    with pytest.raises(CannotRead, match="say which: NAME = CRITERION"):
        RatingFile(put("r.csv", "rater,p1_safety,p2_safety\nann,1,2\n"), SCALES)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_column_for_each_value_is_not_of_raters_of_that_name(put, ending):
    """A 1 there says that the value was chosen, and not that the label with this number was."""
    row = {"item": "1", "safety.ann": 4, "safety.toxic_language": 1}
    text = json.dumps(row) if ending == "jsonl" else f"{','.join(row)}\n1,4,1\n"
    [problem] = RatingFile(put(f"r.{ending}", text), SAFETY)
    assert problem.words == (
        f"{'line 1' if ending == 'jsonl' else 'line 2'}, “safety.toxic_language”: “toxic_language” is a "
        "value of “safety”, and no rater. Write the value that was chosen in one field, and not a field "
        "for each."
    )


def test_raters_may_be_numbers_that_labels_have_too(put):
    rows = RatingFile(put("r.csv", "item,safety.1,safety.2\n1,nonsense,4\n"), SAFETY)
    assert [(row.rater, row.value.label) for row in rows] == [
        ("1", "nonsense"),
        ("2", "toxic_language"),
    ]


def test_who_wrote_a_reply_is_told_by_generator_before_source(put):
    """As ProsocialDialog has a `source` too: an item is known so where items are read."""
    line = {"ConvID": 3, "generator": 0, "source": "web", "rater": "ann", "safety": 4}
    [row] = RatingFile(put("r.jsonl", json.dumps(line)), SCALES)
    assert row.item_key == "3-0"


def test_a_row_without_a_field_for_the_item_is_named_with_what_to_say(put):
    [problem] = RatingFile(put("r.jsonl", '{"prompt": "Hi", "safety": 4}'), SCALES)
    assert problem.words == (
        "line 1, “item”: No field says which item it is about. If one does, say so: NAME = item."
    )


def test_a_table_without_a_column_for_the_value_is_refused(put):
    with pytest.raises(CannotRead, match="has no column “value”"):
        list(RatingFile(put("r.csv", "item,criterion,ann\n1,safety,5\n"), SCALES))


OTHER_NAMES = {
    "a rating a row": "item_id,rater_id,dimension,score,comment\np1,ann,Safety,4,It blames.\n",
    "of a judge": "dialogue_id,judge,metric,rating,explanation\np1,ann,safety,4,It blames.\n",
    "in Chinese": "条目,评分者,维度,得分,理由\np1,ann,安全性,4,It blames.\n",
    "an item a row": "id,item,annotator,safety,rationale\n7,p1,ann,4,It blames.\n",
}


@pytest.mark.parametrize("text", OTHER_NAMES.values(), ids=OTHER_NAMES)
def test_what_others_call_item_rater_criterion_and_value_is_read(put, text):
    file = RatingFile(put("r.csv", text), SCALES)
    [row] = file
    assert (row.item_key, row.rater, row.value) == ("p1", "ann", Value("safety", None, 4))
    assert row.reason.removeprefix("safety: ") == "It blames."
    assert file.ignored == ({"id"} if text.startswith("id") else set())


def test_a_criterion_keeps_its_name_though_a_field_is_called_so(put):
    safety, empathy = (SCALES.criterion(key) for key in ("safety", "empathy"))
    rubric = replace(SCALES, criteria=(safety, replace(empathy, key="rating")))
    rows = list(RatingFile(put("r.csv", "item,rater,safety,rating\n1,ann,4,5\n"), rubric))
    assert [(row.value.criterion, row.value.score) for row in rows] == [
        ("safety", 4),
        ("rating", 5),
    ]


@pytest.mark.parametrize(
    "text",
    ["item,annotator,judge,safety\n1,ann,gpt,4\n", "item_id,dialogue_id,rater,safety\n1,2,ann,4\n"],
)
def test_two_names_for_the_rater_or_the_item_are_not_guessed(put, text):
    with pytest.raises(CannotRead, match=r"Say which: .* = (rater|item) or "):
        RatingFile(put("r.csv", text), SCALES)


def test_an_id_is_not_taken_for_the_item(put):
    with pytest.raises(CannotRead, match="has no column “item”"):
        list(RatingFile(put("r.csv", "id,rater,safety\n1,ann,4\n"), SCALES))


NESTED = {
    "an object": {"item": "p1", "rater": "ann", "scores": {"safety": 4, "empathy": 5}},
    "by rater": {"item": "p1", "ratings": {"ann": {"safety": 4, "empathy": 5}}},
    "a list": {"item": "p1", "annotations": [{"rater": "ann", "safety": 4, "empathy": 5}]},
    "a list of ratings": {
        "item": "p1",
        "rater": "ann",
        "ratings": [{"metric": "safety", "score": 4}, {"metric": "empathy", "score": 5}],
    },
}


@pytest.mark.parametrize("given", NESTED.values(), ids=NESTED)
def test_ratings_may_stand_within_the_object_of_their_item(put, given):
    file = RatingFile(put("r.json", json.dumps([given, given | {"item": "p2"}])), SCALES)
    assert [(row.item_key, row.rater, row.value) for row in file] == [
        (item, "ann", value)
        for item in ("p1", "p2")
        for value in (Value("safety", None, 4), Value("empathy", None, 5))
    ]
    assert file.ignored == set()


def test_ratings_may_stand_within_the_annotations_of_an_item(put):
    given = [
        {"annotator": "ann", "ratings": {"safety": 4, "empathy": 5}},
        {"annotator": "ben", "scores": [{"criterion": "safety", "score": 2}]},
    ]
    rows = RatingFile(put("r.json", json.dumps([{"item": "p", "annotations": given}])), SCALES)
    assert [(row.rater, row.value.criterion, row.value.score) for row in rows] == [
        ("ann", "safety", 4),
        ("ann", "empathy", 5),
        ("ben", "safety", 2),
    ]


def test_replies_that_one_rater_rated_are_not_raters(put):
    given = {"item": "p1", "annotator": "ann", "ratings": {"gpt": {"safety": 4}}}
    [problem] = RatingFile(put("r.json", json.dumps([given])), SCALES)
    assert "No field is called as a criterion" in problem.words


@pytest.mark.parametrize(
    "ratings", [{"ann": {"safety": 4}, "ben": {"safety": 2}}, [{"rater": "ann", "safety": 4}]]
)
def test_a_comment_beside_the_ratings_of_raters_is_none_of_theirs(put, ratings):
    given = {"item": "p1", "comment": "Read twice.", "ratings": ratings}
    file = RatingFile(put("r.json", json.dumps([given])), SCALES)
    assert {row.reason for row in file} == {""}
    assert file.ignored == {"comment"}


def test_the_number_of_a_row_is_not_the_item(put):
    with pytest.raises(CannotRead, match="has no column “item”"):
        list(RatingFile(put("r.csv", "编号,评分者,safety\n1,ann,4\n"), SCALES))


def test_another_name_does_not_take_the_place_of_a_conversation_and_its_source(put):
    text = "ConvID,source,dialogue_id,rater,safety\n7,gpt,1,ann,4\n"
    [row] = RatingFile(put("r.csv", text), SCALES)
    assert row.item_key == "7-gpt"


def test_a_table_of_very_many_columns_is_looked_through_in_time(put):
    names = ",".join(f"c{number}" for number in range(40_000))
    started = time.process_time()
    with pytest.raises(CannotRead, match="has no column “item”"):
        list(RatingFile(put("r.csv", f"safety,{names}\n"), SCALES))
    assert time.process_time() - started < 5


def test_further_sheets_of_a_workbook_are_named_as_not_read(put):
    book = openpyxl.Workbook()
    book.active.append(["item", "rater", "safety"])
    book.active.append(["p1", "ann", 4])
    book.create_sheet("Sheet2")
    book.create_sheet("ben").append(["item", "rater"])
    book.create_sheet("lists").append(["ann"])
    book["lists"].sheet_state = "hidden"
    written = io.BytesIO()
    book.save(written)
    file = RatingFile(put("r.xlsx", written.getvalue()), SCALES)
    assert [row.rater for row in file] == ["ann"]
    assert file.ignored == {"sheet: ben"}


def test_marks_beside_ratings_are_no_ratings(put):
    marked = {"item": 1, "rater": "ann", "safety": 4, "annotations": [{"start": 0}, {"start": 9}]}
    file = RatingFile(put("r.json", json.dumps([marked])), SCALES)
    assert [row.value.score for row in file] == [4]
    assert file.ignored == {"annotations"}


def test_one_object_that_holds_all_rows_is_refused_with_what_to_do(put):
    text = json.dumps({"ratings": [{"item": 1, "rater": "ann", "safety": 4}]}, indent=2)
    with pytest.raises(
        CannotRead, match="as a list, which begins with “\\[”, or one object a line"
    ):
        list(RatingFile(put("r.json", text), SCALES))


def test_another_ending_is_refused(put):
    with pytest.raises(CannotRead, match="Ratings are read from"):
        RatingFile(put("r.sav", "x"), SCALES)


AS_WRITTEN = [  # on a scale of "0 = No: …" and "1 = Yes: …"
    *(
        (raw, 1)
        for raw in (True, "true", "TRUE", "Yes", "是", "1 - Yes", "1：是", "1 (yes)", "1,0")
    ),
    *((raw, 1) for raw in ("Yes (1)", "(1) Yes", "是（1）", "yes [1]", "yes = 1", "Y", "y", "有")),
    *((raw, 0) for raw in ("No (0)", "N", "无", "没有")),
    *((raw, 0) for raw in (False, "false", "no", "否。", "0=No", "0.No", "0,00", "0 分", "×")),
    (CRISIS.criteria[0].points[1].anchor.everywhere[0], 1),
]


@pytest.mark.parametrize(("raw", "score"), AS_WRITTEN, ids=map(str, range(len(AS_WRITTEN))))
def test_a_point_may_be_given_by_its_words_or_as_programs_write_it(put, raw, score):
    rows = [{"item": "a", "rater": "ann", "empathy": raw}]
    [row] = RatingFile(put("r.json", json.dumps(rows)), CRISIS)
    assert row.value == Value("empathy", None, score)


WARMTH = load(
    {
        **shipped()["psycrisis"],
        "groups": [],
        "criteria": [
            shipped()["psycrisis"]["criteria"][0]
            | {
                "measurement": "ordinal",
                "points": [
                    {"value": -1, "anchor": {"en": "cold", "zh_hans": "冷"}},
                    {"value": 0, "anchor": {"en": "neither", "zh_hans": "中"}},
                    {"value": 1, "anchor": {"en": "warm", "zh_hans": "暖"}},
                ],
            }
        ],
    }
)


@pytest.mark.parametrize(
    ("raw", "score"),
    [
        *((raw, -1) for raw in ("-1 - cold", "-1: cold", "cold (-1)", "\N{MINUS SIGN}1 = cold")),
        *((raw, 1) for raw in ("+1 - warm", "warm (+1)", "1 - warm")),
        *((raw, None) for raw in ("1 - cold", "warm (-1)", "-1 - warm")),
    ],
)
def test_words_of_a_point_may_stand_beside_a_number_below_nought(put, raw, score):
    [row] = RatingFile(
        put("r.json", json.dumps([{"item": "a", "rater": "ann", "empathy": raw}])), WARMTH
    )
    assert row.value.score == score


NOT_ITS_WORDS = [
    "1 - no",
    "2 - yes",
    "Yes (0)",
    "(0) Yes",
    "yes (1",
    "(1)",
    "yes and no",
    "maybe",
    "1,000",
    "5-4",
    "none",
    "1 -",
    "1" * 5_000 + " - yes",
]


@pytest.mark.parametrize("raw", NOT_ITS_WORDS, ids=map(str, range(len(NOT_ITS_WORDS))))
def test_words_that_are_not_those_of_one_point_are_no_value(put, raw):
    rows = [{"item": "a", "rater": "ann", "empathy": raw}]
    [row] = RatingFile(put("r.json", json.dumps(rows)), CRISIS)
    assert (row.value.score, bool(row.value.unscored)) == (None, True)


def test_a_truth_value_says_nothing_about_points_that_are_no_yes_and_no(put):
    rows = [{"item": "a", "rater": "ann", "safety": True, "empathy": "4,5"}]
    safety, empathy = RatingFile(put("r.json", json.dumps(rows)), SCALES)
    assert (safety.value.unscored, empathy.value.unscored) == ("not_a_number", "off_scale")


POTATO = [
    {
        "instance_id": "a",
        "user_id": "ann",
        "labels": {"Safety": {"4": "on"}, "empathy": {"scale_5": "5"}, "mood": {"calm": "calm"}},
        "spans": {},
        "links": {},
    },
    {"instance_id": "a", "user_id": "ben", "labels": {"Safety": {"1": "true", "2": "true"}}},
]


def test_what_potato_exports_as_json_lines_is_read(put):
    file = RatingFile(put("r.jsonl", "\n".join(map(json.dumps, POTATO))), SCALES)
    assert [(row.item_key, row.rater, row.value) for row in file] == [
        ("a", "ann", Value("safety", score=4)),
        ("a", "ann", Value("empathy", score=5)),
        ("a", "ben", Value("safety", unscored="not_a_number")),
    ]
    assert file.ignored == {"mood", "spans", "links"}


@pytest.mark.parametrize("separator", [",", "\t"])
def test_what_potato_exports_as_a_table_is_read(put, separator):
    """Its columns CRITERION.LABEL are not those of raters called as the points are."""
    text = (
        "instance_id,user_id,Safety.1,Safety.4,empathy.5,Safety._spans\n"
        "a,ann,,4,5,[]\n"
        "a,ben,1,,,[]\n"
    )
    file = RatingFile(put("r.csv", text.replace(",", separator)), SCALES)
    assert file.layout == "Potato"
    assert [(row.item_key, row.rater, row.value) for row in file] == [
        ("a", "ann", Value("safety", score=4)),
        ("a", "ann", Value("empathy", score=5)),
        ("a", "ben", Value("safety", score=1)),
        ("a", "ben", Value("empathy", unscored="missing")),
    ]
    assert file.ignored == {"safety._spans"}


def test_labels_of_a_taxonomy_come_from_potato_by_their_names(put):
    [label] = [one for one in SAFETY.criteria[0].labels if one.key == "nonsense"]
    rows = [
        {"instance_id": "a", "user_id": "ann", "labels": {"safety": {label.name.in_("en"): "true"}}}
    ]
    [row] = RatingFile(put("r.json", json.dumps(rows)), SAFETY)
    assert row.value.label == label.key


def test_a_value_may_stand_in_an_object_with_its_reason(put):
    given = {
        "item": "a",
        "rater": "gpt",
        "safety": {"score": 4, "reason": "No risk. "},
        "empathy": {"Rating": "3", "Explanation": None},
        "relevance": {"score": 3, "of": 5},
        "guidance": {"value": 4, "confidence": 2},
        "rationale": "All in all.",
    }
    file = RatingFile(put("r.json", json.dumps([given])), SCALES)
    safety, empathy, relevance, guidance = file
    assert (safety.value.score, safety.reason) == (4, "All in all.\nsafety: No risk.")
    assert (empathy.value.score, empathy.reason) == (3, "")
    assert relevance.value == Value("relevance", unscored="not_a_number")
    assert guidance.value.score == 4
    assert file.ignored == {"guidance: confidence"}


def test_several_reasons_are_a_line_each(put):
    given = {
        "item": "a",
        "rater": "gpt",
        "safety": {"score": 4, "reason": ["No risk. ", None, {"quote": "I am here", "turn": 3}]},
        "reason": ["Warm.", "Short."],
    }
    [safety] = RatingFile(put("r.json", json.dumps([given])), SCALES)
    assert safety.reason == "Warm.\nShort.\nsafety: No risk.\nquote: I am here\nturn: 3"


def test_reasons_by_criterion_are_a_line_each(put):
    given = {
        "item": "a",
        "rater": "expert-1",
        "scores": {"共情与合作": 1, "risk_assessment": 0},
        "reasoning": {"共情与合作": "It listens.", "risk_assessment": "", "all": "Short."},
    }
    file = RatingFile(put("r.json", json.dumps([given])), CRISIS)
    empathy, risk = file
    assert (empathy.reason, risk.reason) == ("empathy: It listens.\nall: Short.", "")
    assert not file.ignored


def test_what_qualtrics_writes_under_its_header_is_no_rating(put):
    text = (
        'ResponseId,item,rater,safety\nResponse ID,Item,Rater,"How safe is it?"\n'
        '"{""ImportId"":""_recordId""}","{""ImportId"":""item""}","{""ImportId"":""rater""}",'
        '"{""ImportId"":""QID1""}"\nR_1,a,ann,4\nR_2,b,ann,5\n'
    )
    rows = list(RatingFile(put("q.csv", text), SCALES))
    assert [(row.item_key, row.rater, row.value.score) for row in rows] == [
        ("a", "ann", 4),
        ("b", "ann", 5),
    ]
    assert [row.place.number for row in rows] == [4, 5]


def test_a_second_column_of_one_criterion_is_not_passed_over(put):
    """pandas calls it safety.1, and so both might be of one rater each."""
    [problem] = RatingFile(put("p.csv", "item,safety,safety.1\na,4,5\n"), SCALES)
    assert isinstance(problem, FileProblem)
    assert problem.field == "safety.1"
    [row] = RatingFile(put("q.csv", "item,safety,other.1\na,4,5\n"), SCALES)
    assert row.value.score == 4


def labelled(*labels):
    """A rubric with these labels, numbered from 1."""
    text = {"en": "x", "zh_hans": "x"}
    names = {f"l{n}": {"en": name, "zh_hans": name} for n, name in enumerate(labels, start=1)}
    options = [{"key": key, "text": name, "label": key} for key, name in names.items()]
    return load(
        {
            "key": "r",
            "title": text,
            "instructions": text,
            "criteria": [
                {
                    "kind": "taxonomy",
                    "key": "risk",
                    "name": {"en": "Risk", "zh_hans": "Risk"},
                    "nodes": [{"key": "which", "question": text, "options": options}],
                    "labels": [
                        {"key": key, "code": code, "name": name, "definition": text}
                        for code, (key, name) in enumerate(names.items(), start=1)
                    ],
                }
            ],
        }
    )


@pytest.mark.parametrize(
    ("labels", "raw", "wanted"),
    [
        (("0", "1", "2"), "1", "l2"),
        (("0", "1", "2"), 1, "l2"),
        (("0", "1", "2"), "3", "l3"),
        (("No", "Yes"), "True", "l2"),
        (("No", "Yes"), False, "l1"),
        (("No", "Yes"), "√", "l2"),
        (("No", "Yes"), "有", "l2"),
        (("No", "Yes"), "没有", "l1"),
        (("None", "Some"), "无", None),
        (("No", "Yes"), "2: Yes", "l2"),
        (("No", "Yes"), "1 - Yes", None),
        (("No", "Yes"), "2 (maybe)", None),
        (("None", "Some"), True, None),
        (("None", "Some"), ["Some"], "l2"),
        (("None", "Some"), ["None", "Some"], None),
    ],
)
def test_a_label_is_known_by_its_name_before_any_by_its_number(put, labels, raw, wanted):
    rows = [{"item": "a", "rater": "ann", "risk": raw}]
    [row] = RatingFile(put("r.json", json.dumps(rows)), labelled(*labels))
    assert row.value.label == wanted


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ([4], (4, "")),
        (["4"], (4, "")),
        ([{"rating": 4}], (4, "")),
        ([{"rating": 4, "x": 1}], (None, "not_a_number")),
        ([], (None, "missing")),
        ([4, 4], (None, "not_a_number")),
        ([{"number": 4}], (4, "")),
        ('[{"rating": 4}]', (4, "")),
        ("['4']", (4, "")),
        ('{"score": 4, "reason": "Kind."}', (4, "")),
        ('[{"rating": 4}, {"rating": 2}]', (None, "not_a_number")),
        ('[{"rating": 4', (None, "not_a_number")),
        ("['4' '4']", (None, "not_a_number")),  # as NumPy prints two
        ("{4: 'good'}", (None, "not_a_number")),
        ("{[4]: 'good'}", (None, "not_a_number")),
    ],
)
def test_a_list_of_one_is_the_one(put, raw, wanted):
    """As Label Studio has a rating in JSON-MIN, and as text in CSV."""
    rows = [{"item": "a", "rater": "ann", "safety": raw}]
    [row] = RatingFile(put("r.json", json.dumps(rows)), SCALES)
    assert (row.value.score, row.value.unscored) == wanted


def test_a_minus_may_be_set_as_text_programs_set_it(put):
    rows = [{"item": "a", "rater": "ann", "safety": "\N{MINUS SIGN}1"}]
    [row] = RatingFile(put("r.json", json.dumps(rows)), SCALES)
    assert (row.value.score, row.value.off_scale) == (-1, True)


SHEETS = {"ann": [["p1", 4], ["p2", 9]], "notes": None, "ben": [["p1", 2], [None, 3]]}


def book_of(sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        page = book.create_sheet(name)
        page.append(["item", "safety", None] if rows is not None else ["Read this first."])
        for row in rows or ():
            page.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def test_a_workbook_may_have_a_sheet_for_each_rater(put):
    source = replace(put("r.xlsx", book_of(SHEETS)), called={"Sheet": "rater"})
    file = RatingFile(source, SCALES)
    *rows, problem = file
    assert [(row.item_key, row.rater, row.value.score) for row in rows] == [
        ("p1", "ann", 4),
        ("p2", "ann", 9),
        ("p1", "ben", 2),
    ]
    assert "row 3 of “ben”" in problem.words
    assert file.ignored == {"sheet: notes"}


def test_the_sheets_may_have_their_columns_in_another_order_and_case(put):
    book = openpyxl.Workbook()
    book.active.title = "ann"
    other, stranger = book.create_sheet("ben"), book.create_sheet("kim")
    for page, rows in (
        (book.active, [["item", "safety", "empathy"], ["p1", 4, 5]]),
        (other, [[" Empathy", "Item", "SAFETY "], [1, "p1", 2]]),
        (stranger, [["item", "safety"], ["p1", 3]]),
    ):
        for row in rows:
            page.append(row)
    book.save(written := io.BytesIO())
    source = replace(put("r.xlsx", written.getvalue()), called={"sheet": "rater"})
    file = RatingFile(source, SCALES)
    assert {(row.rater, row.value.criterion, row.value.score) for row in file} == {
        ("ann", "safety", 4),
        ("ann", "empathy", 5),
        ("ben", "safety", 2),
        ("ben", "empathy", 1),
    }
    assert file.ignored == {"sheet: kim"}


@pytest.mark.parametrize(
    ("given", "key"),
    [("Rater 1", "Rater-1"), ("3.0", "3"), ("3", "3"), ("annotator 12.0", "annotator-12")],
)
def test_a_rater_who_is_a_word_and_a_number_has_a_key_of_both(put, given, key):
    [row] = RatingFile(put("r.csv", f"item,rater,safety\na,{given},4\n"), SCALES)
    assert row.rater == key


@pytest.mark.parametrize("given", ["Ann Smith", "ann 1 2", "专家 1", "a@b.org", "1.5"])
def test_a_name_or_an_address_is_no_key_of_a_rater(put, given):
    [problem] = RatingFile(put("r.csv", f"item,rater,safety\na,{given},4\n"), SCALES)
    assert problem.field == "rater"
