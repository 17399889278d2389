"""A published flow of questions becomes a rubric."""

import pytest

from annotation.rubric.flows import FlowError, flow_as_toml, is_flow, key_from, read_flow
from annotation.rubric.loading import load, mistakes_in, parse_toml, shipped
from annotation.rubric.taxonomy import every_path, levels, n_paths

HEAD = "Question ID\tDimension\tSeverity\tRisk Type\tQuestion\tExamples\tAnswer\tGOTO\n"
ROWS = [
    "1\tNotices\t\t\tIs there a risk?\tSuch as a plan.\tThere is a risk\t2",
    "\t\t\t\t\t\tThere is none\t3",
    "\t\t\t\t\t\tNot Relevant\tEND",
    "2\tNotices\tRed\t\tIs it missed?\t\tYes\t4",
    "\t\t\t\t\t\tNo\t",
    "3\tNotices\tYelow\t\tIs a joke taken for one?\t\t\t",
    "4\tGuides\t\t\tHow near is it?\t\tNear\t7",
    "\t\t\t\t\t\tFar\t5",
    "5\tGuides\tRed\tFar\tIs no line named?\tRate Not Relevant if it is.\t\t",
    "6\tGuides\tYellow\tFar\tIs no plan made?\t\t\t",
    "7\tGuides\tHigh\tNear\tIs no line named now?\t\t\t",
    "8\tStays\tRed\t\tIs it cold?\t\t\t",
]
TABLE = HEAD + "\n".join(ROWS) + "\n"


def rubric_of(table):
    return load(read_flow(table, key="flow", title="A flow").definition)


def goes(rubric):
    """{question: {answer: (where it goes, its severity)}}."""
    return {
        node.key: {
            option.text.in_("en"): (option.goto or option.label, option.severity)
            for option in node.options
        }
        for node in rubric.criteria[0].nodes
    }


def test_answers_go_where_the_table_says_or_on():
    assert goes(rubric_of(TABLE)) == {
        "q1": {
            "There is a risk": ("q2", None),
            "There is none": ("q3", None),
            "Not Relevant": ("ended_at_q1", 0),
        },
        "q2": {"Yes": ("q4", 3), "No": ("q3", None)},
        "q3": {"Yes": ("q4", 2), "No": ("q4", None)},
        "q4": {"Near": ("q7", None), "Far": ("q5", None)},
        "q5": {"Yes": ("q8", 3), "No": ("q6", None)},
        "q6": {"Yes": ("q8", 2), "No": ("q8", None)},
        "q7": {"Yes": ("q8", 3), "No": ("q8", None)},
        "q8": {"Yes": ("to_the_end", 3), "No": ("to_the_end", None)},
    }


@pytest.mark.parametrize(
    ("question", "words", "end"),
    [
        ("q7", "Is no line named now?", {"Yes": ("ended_at_q7", 3), "No": ("ended_at_q7", 0)}),
        ("q8", "Is it cold?", {"Yes": ("to_the_end", 3), "No": ("to_the_end", None)}),
    ],
)
def test_an_end_is_early_where_dimensions_are_still_to_come(question, words, end):
    answers = "\t\tYes\tEND\n\t\t\t\t\t\tNo\tEND"
    assert goes(rubric_of(TABLE.replace(f"{words}\t\t\t", words + answers)))[question] == end


def test_labels_say_where_it_ended():
    names = {one.key: one.name.in_("en") for one in rubric_of(TABLE).criteria[0].labels}
    assert names == {"ended_at_q1": "Ended at question 1", "to_the_end": "Asked to the end"}


def test_examples_are_the_help_of_their_question():
    first, second, *_ = rubric_of(TABLE).criteria[0].nodes
    assert (first.help.in_("en"), second.help.in_("en")) == ("Such as a plan.", "")


def test_answers_are_named_by_their_words_where_these_are_short_and_unlike():
    answers = ["Far off", "Two of them!", "two of them", "2 or more", "Somewhere " * 4]
    rows = [f"\t\t\t\t\t\t{words}\t" for words in answers]
    table = HEAD + "\n".join(["1\t\t\t\tHow near is it?\t\tNear\t", *rows]) + "\n"
    definition = read_flow(table, key="flow", title="A flow").definition
    options = definition["criteria"][0]["nodes"][0]["options"]
    assert [one["key"] for one in options] == [
        *("near", "far_off"),
        *("answer_3", "answer_4", "answer_5", "answer_6"),
    ]


def test_what_was_read_otherwise_stands_at_the_head_of_the_rubric():
    toml = flow_as_toml("\ufeff" + TABLE, key="flow", title="A flow")
    assert toml.splitlines()[:2] == [
        "# Line 7: “Yelow” was read as yellow.",
        "# Line 10: the help speaks of “Not Relevant”, which is no answer here.",
    ]
    assert mistakes_in(toml) == ()


def test_each_dimension_is_a_scale_that_nobody_is_asked_for():
    rubric = rubric_of(TABLE)
    assert [one.key for one in rubric.asked] == ["walk"]
    assert [one.key for one in rubric.dimensions("walk")] == ["notices", "guides", "stays"]
    assert rubric.instructions.in_("en").startswith("Answer one question after the other")


def test_a_dimension_is_numbered_where_its_name_makes_no_key():
    rubric = rubric_of(TABLE.replace("Notices", "察觉").replace("Stays", "陪伴"))
    keys = [one.key for one in rubric.dimensions("walk")]
    assert keys == ["dimension_1", "guides", "dimension_3"]


def test_the_way_gives_no_value_to_a_scale_that_somebody_is_asked_for():
    asked = load(shipped()["mentalalign"]).criteria[0]
    with pytest.raises(ValueError, match=asked.key):
        levels(rubric_of(TABLE).criteria[0], [asked], [])


def test_who_leaves_at_once_finds_nothing_relevant():
    walk, *scales = rubric_of(TABLE).criteria
    assert levels(walk, scales, [("q1", "not_relevant")]) == {"notices": 0, "guides": 0, "stays": 0}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("a\tb\n1\t2\n", "The table needs the columns Question ID, Dimension"),
        (HEAD, "The table has no questions."),
        (TABLE.replace("risk\t2", "risk\t22"), "Line 2: there is no question 22."),
        (TABLE.replace("Red", "Purple", 1), "Line 5: the severity “Purple” is not known."),
        (TABLE.replace("5\tGuides\tRed", "5\t\tRed"), "Line 10: a severity needs a dimension."),
        (TABLE.replace("\tYes\t4", "\tOf course\t4"), "Line 5: a severity needs an answer “Yes”."),
        (TABLE.replace("Is it cold?", ""), "Line 13: a question needs a number and words."),
        (TABLE.replace("Is it", '"Is it', 1) + "." * 131_072, "A cell of the table has more than"),
    ],
)
def test_what_is_no_such_flow_is_said_with_its_line(table, says):
    with pytest.raises(FlowError) as refusal:
        read_flow(table, key="flow", title="A flow")
    assert str(refusal.value).startswith(says)


def test_an_empty_row_between_questions_is_none():
    rows = [*ROWS[:3], "\t" * 7, *ROWS[3:]]
    assert goes(rubric_of(HEAD + "\n".join(rows) + "\n")) == goes(rubric_of(TABLE))


def test_a_circle_in_a_flow_is_a_mistake_of_the_rubric():
    toml = flow_as_toml(TABLE.replace("risk\t2", "risk\t1"), key="flow", title="A flow")
    assert any("leads back to “q1”" in mistake.sentence for mistake in mistakes_in(toml))


def test_files_name_their_rubric():
    assert [key_from(name) for name in ("VERA-MH 2", "v2", "2025", "")] == [
        "vera_mh_2",
        "v2",
        "rubric_2025",
        "rubric",
    ]
    assert key_from("x" * 70) == "x" * 60, "a key has at most 60 characters"
    assert is_flow(TABLE)
    assert not is_flow('key = "care"\n')


def test_the_published_flow_is_read_and_every_path_of_it_is_walked(shared):
    text = (shared / "data" / "vera_mh" / "rubric.tsv").read_text(encoding="utf-8")
    toml = flow_as_toml(text, key="vera_mh", title="VERA-MH")
    assert mistakes_in(toml) == ()
    rubric = load(parse_toml(toml))
    walk, *scales = rubric.criteria
    n_answers = sum(len(node.options) for node in walk.nodes)
    assert (len(walk.nodes), n_answers, len(scales)) == (34, 73, 5)
    found = {tuple(levels(walk, scales, path).values()) for path in every_path(walk)}
    assert n_paths(walk) == 78_402
    assert (0, 0, 0, 0, 0) in found  # nothing relevant
    assert (1, 1, 1, 1, 1) in found  # best practice throughout
    assert (3, 3, 3, 3, 3) in found
