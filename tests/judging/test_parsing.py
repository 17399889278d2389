"""What LLMs write becomes answers, or unscored with the reason; nothing is guessed."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation.rubric.answers import Answer
from annotation.rubric.loading import load, shipped
from annotation.rubric.schema import Text
from judging import parsing
from judging.parsing import WrittenAnswer
from judging.rules.outcomes import Outcome
from judging.rules.questions import AskingManner, Question, Unreadable, next_questions
from tests.graphs import CARE

TRANSCRIPTS = Path(__file__).resolve().parent.parent / "transcripts"
RUBRICS = {key: load(definition) for key, definition in shipped().items()}


def questions_of(transcript):
    rubric = RUBRICS[transcript["rubric"]]
    if "node" in transcript:
        criterion = rubric.criteria[0]
        nodes = {node.key: node for node in criterion.nodes}
        return (Question(criterion=criterion, node=nodes[transcript["node"]]),)
    if "criterion" in transcript:
        return (Question(criterion=rubric.criterion(transcript["criterion"])),)
    return next_questions(rubric, AskingManner(transcript["manner"]), {})


def cases():
    for file in sorted(TRANSCRIPTS.glob("*.toml")):
        transcript = tomllib.loads(file.read_text(encoding="utf-8"))
        for number, case in enumerate(transcript["case"], 1):
            yield pytest.param(transcript, case, id=f"{file.stem}-{number}")


def test_a_criterion_whose_name_lies_in_anothers_takes_its_own_value_alone():
    first, second = RUBRICS["mentalalign"].asked[:2]
    both = replace(first, key="tact", name=Text(en="Warmth and tone"))
    questions = (
        Question(criterion=both),
        Question(criterion=replace(second, name=Text(en="Tone"))),
    )
    written = WrittenAnswer(text="Warmth and tone: 2\nTone: 4", finish="stop")
    found = parsing.read(questions, written, as_json=False)
    assert list(found.values()) == [2, 4]


def a_scale(least, most):
    """A shipped scale with other points."""
    empathy = RUBRICS["mentalalign"].criterion("empathy")
    points = tuple(
        replace(empathy.points[0], value=value, anchor=Text(en=f"Step {value}."))
        for value in range(least, most + 1)
    )
    return Question(criterion=replace(empathy, points=points))


def read_one(question, text):
    """The value that is read, or None."""
    found = parsing.read([question], WrittenAnswer(text=text), as_json=False)[question.key]
    return None if isinstance(found, Unreadable) else found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1", -1),
        ("+2", 2),
        ("**+2** (much better)", 2),
        ("minus one", -1),
        ("负一分", -1),
        ("Empathy: +1, somewhat better", 1),
        ("I'd give it a -1 on the scale from -2 to +2.", -1),
        ("Empathy - 1", None),
        ("Score: - 1", None),
        ("Empathy – 2", None),
        ("Score: –1", -1),
        ("Not 1 but –1", -1),
        ("[RESULT] –1", -1),
        ("[RESULT] +1", 1),
        ("Score: 1 (not –1)", 1),
        ("Effect –2–2", None),
        ("-1 to -2", None),
        ("minus two or minus one", None),
        ("minus 1.5", None),
        ("minus 3", None),
    ],
)
def test_a_scale_with_negative_points_is_read_by_its_signs(text, value):
    assert read_one(a_scale(-2, 2), text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("85%", 85),
        ("Score: 85%", 85),
        ("Confidence: 85%", None),
        ("I am 85% sure.", None),
        ("About 85%", None),
        ("185%", None),
    ],
)
def test_a_percentage_is_a_score_of_a_scale_to_100(text, value):
    assert read_one(a_scale(0, 100), text) == value
    assert read_one(a_scale(0, 10), text) is None


def test_the_last_of_five_scores_out_of_five_is_no_share_of_them():
    questions = next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})[:5]
    written = WrittenAnswer(
        text="Guidance: 4/5. Informativeness: 3/5. Relevance: 2/5. Safety: 5/5. Empathy: 4/5."
    )
    found = parsing.read(questions, written, as_json=False)
    assert list(found.values()) == [4, 3, 2, 5, 4]


def test_a_form_that_comes_back_as_it_was_sent_answers_nothing():
    questions = next_questions(CARE, AskingManner.FLAT, {})
    form = {
        one.name: {
            "reasoning": "…",
            "answer": " | ".join([*(option.key for option in one.node.options), "null"]),
        }
        for one in questions
    }
    written = WrittenAnswer(text=json.dumps(form), finish="stop")
    found = parsing.read(questions, written, as_json=True)
    assert all(isinstance(one, Unreadable) for one in found.values())
    assert found["walk/risk"] == Unreadable(reason=Outcome.NO_ANSWER)


@pytest.mark.parametrize(("transcript", "case"), list(cases()))
def test_a_transcript_is_read_as_it_was_meant(transcript, case):
    questions = questions_of(transcript)
    written = WrittenAnswer(text=case["text"], finish=case.get("finish", "stop"))

    found = parsing.read(questions, written, as_json=transcript["as_json"])

    read = {
        key: value.reason.value if isinstance(value, Unreadable) else value
        for key, value in found.items()
    }
    expected = case.get("read", case.get("unreadable"))
    if not isinstance(expected, dict):
        expected = {questions[0].key: expected}
    assert read == expected


def test_a_refusal_that_the_endpoint_reports_is_a_refusal_whatever_the_text():
    rubric = RUBRICS["dialogue_safety"]
    questions = next_questions(rubric, AskingManner.FLAT, {})

    found = parsing.read(
        questions, WrittenAnswer(text="Safe Response", is_refusal=True), as_json=False
    )

    assert found == {"safety": Unreadable(reason=Outcome.REFUSED)}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("rubric", list(RUBRICS.values()), ids=list(RUBRICS))
def test_every_label_option_and_point_is_read_by_its_own_name(rubric, language):
    for criterion in rubric.criteria:
        whole = Question(criterion=criterion)
        for label in getattr(criterion, "labels", ()):
            said = WrittenAnswer(text=label.name.in_(language))
            assert parsing.read([whole], said, as_json=False) == {whole.key: label.key}
        for node in getattr(criterion, "nodes", ()):
            question = Question(criterion=criterion, node=node)
            for option in node.options:
                said = WrittenAnswer(text=option.text.in_(language))
                assert parsing.read([question], said, as_json=False) == {question.key: option.key}
        for point in getattr(criterion, "points", ()):
            said = WrittenAnswer(text=str(point.value))
            assert parsing.read([whole], said, as_json=False) == {whole.key: point.value}


CONCLUSIONS = [
    ({"safety": "nonsense"}, "nonsense"),
    ({"safety/nonsense": "yes"}, "nonsense"),
    (
        {
            "safety/nonsense": "no",
            "safety/humanoid_mimicry": "no",
            "safety/linguistic_neglect": "no",
            "safety/content": "toxic_language",
        },
        "toxic_language",
    ),
    ({"safety": Unreadable(reason=Outcome.REFUSED)}, Outcome.REFUSED),
    (
        {"safety/nonsense": "no", "safety/humanoid_mimicry": Unreadable(reason=Outcome.AMBIGUOUS)},
        Outcome.AMBIGUOUS,
    ),
    ({"safety/nonsense": "no"}, Outcome.NO_ANSWER),
    ({}, Outcome.NO_ANSWER),
]


@pytest.mark.parametrize(("found", "expected"), CONCLUSIONS)
def test_findings_conclude_in_one_answer_a_criterion(found, expected):
    concluded = parsing.conclude(RUBRICS["dialogue_safety"], found)

    if isinstance(expected, Outcome):
        assert concluded == {"safety": Unreadable(reason=expected)}
    else:
        assert concluded == {"safety": Answer(criterion="safety", label=expected)}


@pytest.mark.parametrize(
    "form", ['{"%s": %s}', "{'%s': %s}", '{"%s": [%s', '{"%s": {"score": %s}}']
)
def test_digits_without_an_end_are_no_value(form):
    """As an LLM writes them that has got caught in a loop."""
    questions = next_questions(RUBRICS["mentalalign"], AskingManner.FLAT, {})
    written = WrittenAnswer(text=form % (questions[0].criterion.key, "9" * 5_000), finish="stop")
    found = parsing.read(questions, written, as_json=True)
    assert all(isinstance(one, Unreadable) for one in found.values())


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("-\n" * 2_000 + "4", 4),
        ("| " * 2_000 + "\nEmpathy: 4", 4),
        ("' " * 2_000 + "\nEmpathy: 4", 4),
        ("Empathy: 4\n" * 500, 4),
        ("Empathy: 3\n" * 500 + "Empathy: 4", None),
        ("4" * 2_000, None),
    ],
    ids=["dashes", "bars", "quotes", "one value", "two values", "digits"],
)
def test_a_loop_says_what_it_repeats(answer, value):
    """As of an LLM that finds no end: marks alone took minutes, and held up the judge's worker."""
    question = Question(criterion=RUBRICS["mentalalign"].criterion("empathy"))
    assert read_one(question, answer) == value


@given(
    text=st.text(),
    finish=st.sampled_from(["stop", "length", ""]),
    as_json=st.booleans(),
    rubric=st.sampled_from(list(RUBRICS.values())),
    manner=st.sampled_from(list(AskingManner)),
)
def test_whatever_comes_back_every_question_has_a_finding(text, finish, as_json, rubric, manner):
    questions = next_questions(rubric, manner, {})

    found = parsing.read(questions, WrittenAnswer(text=text, finish=finish), as_json=as_json)

    assert set(found) == {question.key for question in questions}
    concluded = parsing.conclude(rubric, found)
    assert set(concluded) == {criterion.key for criterion in rubric.criteria}


SAYS_NOTHING = [Unreadable(reason=reason) for reason in (Outcome.EMPTY, Outcome.NO_ANSWER)]
# Words that take back what was said before them, or give it to somebody else.
TAKES_AWAY = re.compile(r"correction|◁/think▷|the rater", re.IGNORECASE)


@given(st.sampled_from(RUBRICS["dialogue_safety"].criteria[0].labels), st.text(max_size=40))
def test_a_label_with_a_sentence_after_it_is_still_that_label(label, sentence):
    """One that names another label, hedges, refuses or takes it back is read as what it says."""
    question = Question(criterion=RUBRICS["dialogue_safety"].criteria[0])

    def read(text):
        return parsing.read([question], WrittenAnswer(text=text), as_json=False)["safety"]

    assume(read(sentence) in SAYS_NOTHING)
    assume(not TAKES_AWAY.search(sentence))

    assert read(f"{label.name.in_('en')}. {sentence}") == label.key
