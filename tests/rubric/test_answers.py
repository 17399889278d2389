"""Raw values become answers, or problems with a reason; nothing is guessed."""

import math

import pytest

from annotation.rubric.answers import Answer, Problem, Reason, read, read_all
from annotation.rubric.loading import load, shipped

SAFETY_RUBRIC = load(shipped()["dialogue_safety"])
MENTALALIGN = load(shipped()["mentalalign"])
PSYCRISIS = load(shipped()["psycrisis"])
SAFETY = SAFETY_RUBRIC.criterion("safety")
EMPATHY = MENTALALIGN.criterion("empathy")
RISK = PSYCRISIS.criterion("risk_assessment")

SCORES = [
    (1, 1),
    (5, 5),
    (4.0, 4),
    ("3", 3),
    (" 2 ", 2),
    ("５", 5),
    ("+4", 4),
    ("3.0", 3),
    ("④", 4),
]


@pytest.mark.parametrize(("raw", "score"), SCORES)
def test_a_number_on_the_scale_is_a_score(raw, score):
    assert read(EMPATHY, raw) == Answer(criterion="empathy", score=score)


NOT_SCORES = [
    (None, Reason.MISSING, None),
    ("", Reason.MISSING, None),
    (" \n", Reason.MISSING, None),
    ({}, Reason.MISSING, None),
    (True, Reason.NOT_A_NUMBER, None),
    (False, Reason.NOT_A_NUMBER, None),
    (math.nan, Reason.NOT_A_NUMBER, None),
    (math.inf, Reason.NOT_A_NUMBER, None),
    (-math.inf, Reason.NOT_A_NUMBER, None),
    ("nan", Reason.NOT_A_NUMBER, None),
    ("inf", Reason.NOT_A_NUMBER, None),
    ("1e0", Reason.NOT_A_NUMBER, None),
    ("4/5", Reason.NOT_A_NUMBER, None),
    ("4 or 5", Reason.NOT_A_NUMBER, None),
    ("four", Reason.NOT_A_NUMBER, None),
    ("9" * 400, Reason.NOT_A_NUMBER, None),
    ([], Reason.NOT_A_NUMBER, None),
    ([4], Reason.NOT_A_NUMBER, None),
    ({"score": 4}, Reason.NOT_A_NUMBER, None),
    (0, Reason.OFF_SCALE, 0),
    (6, Reason.OFF_SCALE, 6),
    ("0", Reason.OFF_SCALE, 0),
    (-1, Reason.OFF_SCALE, -1),
    ("－1", Reason.OFF_SCALE, -1),
    (6.0, Reason.OFF_SCALE, 6),
    (2.5, Reason.OFF_SCALE, None),
    ("2.5", Reason.OFF_SCALE, None),
    (1e300, Reason.OFF_SCALE, None),
    (32_768, Reason.OFF_SCALE, None),
]


@pytest.mark.parametrize(("raw", "reason", "released"), NOT_SCORES)
def test_what_is_not_a_score_says_why(raw, reason, released):
    problem = read(EMPATHY, raw)
    assert isinstance(problem, Problem)
    assert (problem.criterion, problem.reason, problem.node) == ("empathy", reason, None)
    assert problem.released == released


def test_a_number_too_long_to_print_is_still_only_off_the_scale():
    assert read(EMPATHY, 10**5000).reason is Reason.OFF_SCALE
    assert read(EMPATHY, "9" * 5000).reason is Reason.NOT_A_NUMBER
    assert read(SAFETY, 10**5000).reason is Reason.UNKNOWN_LABEL


SENTENCES = [
    (EMPATHY, None, "“Empathy” is not answered."),
    (EMPATHY, "four", "“Empathy” takes a number."),
    (EMPATHY, 6, "“Empathy” takes a whole number from 1 to 5."),
    (RISK, 2, "“Risk assessment” takes a whole number from 0 to 1."),
    (
        SAFETY,
        {"nonsens": "no"},
        (
            "“Safety of the reply” asks only these questions: nonsense, humanoid_mimicry,"
            " linguistic_neglect, content."
        ),
    ),
    (
        SAFETY,
        {"nonsense": "yes", "content": "safe_response"},
        (
            "“Which of these describes the content of the reply?” is not asked once an earlier answer"
            " has decided the label."
        ),
    ),
]


@pytest.mark.parametrize(("criterion", "raw", "sentence"), SENTENCES)
def test_a_problem_is_a_sentence_that_says_what_to_do(criterion, raw, sentence):
    assert read(criterion, raw).sentence == sentence


def test_a_problem_does_not_repeat_what_was_said():
    said = "she told me about her mother"
    for criterion, raw in [(EMPATHY, said), (SAFETY, said), (SAFETY, {said: said})]:
        assert said not in str(read(criterion, raw))


def test_a_binary_scale_takes_nought_and_one():
    assert read(RISK, 0) == Answer(criterion="risk_assessment", score=0)
    assert read(RISK, "１") == Answer(criterion="risk_assessment", score=1)


NO = {"nonsense": "no", "humanoid_mimicry": "no", "linguistic_neglect": "no"}
LABELS = [
    ("safe_response", "safe_response"),
    ("Safe Response", "safe_response"),
    ("SAFE RESPONSE", "safe_response"),
    (" Safe  Response.\n", "safe_response"),
    ("**Safe Response**", "safe_response"),
    ("“Ｓａｆｅ Response”", "safe_response"),
    ("安全回复", "safe_response"),
    ("【言语忽视】。", "linguistic_neglect"),
    (7, "safe_response"),
    (0, "nonsense"),
    (3.0, "unamiable_judgment"),
    ("2", "linguistic_neglect"),
    ("２", "linguistic_neglect"),
    ({"nonsense": "yes"}, "nonsense"),
    ({"nonsense": "是"}, "nonsense"),
    ({"nonsense": "No", "humanoid_mimicry": " YES "}, "humanoid_mimicry"),
    (NO | {"content": "toxic_language"}, "toxic_language"),
    (NO | {"content": "Safe Response"}, "safe_response"),
    ({"nonsense": "yes", "humanoid_mimicry": None, "content": ""}, "nonsense"),
]


@pytest.mark.parametrize(("raw", "label"), LABELS)
def test_a_label_may_be_given_by_key_code_name_or_path(raw, label):
    found = read(SAFETY, raw)
    assert found == Answer(criterion="safety", label=label)
    assert found.path == (), "the label says the way"


NOT_LABELS = [
    (None, Reason.MISSING, None),
    ("  ", Reason.MISSING, None),
    ({}, Reason.MISSING, None),
    ({"nonsense": None, "content": " "}, Reason.MISSING, None),
    ("Kindness", Reason.UNKNOWN_LABEL, None),
    ("Safe Response or Nonsense", Reason.UNKNOWN_LABEL, None),
    ("Not a Safe Response", Reason.UNKNOWN_LABEL, None),
    ("...", Reason.UNKNOWN_LABEL, None),
    (8, Reason.UNKNOWN_LABEL, None),
    (-1, Reason.UNKNOWN_LABEL, None),
    (0.5, Reason.UNKNOWN_LABEL, None),
    (True, Reason.UNKNOWN_LABEL, None),
    (False, Reason.UNKNOWN_LABEL, None),
    (math.nan, Reason.UNKNOWN_LABEL, None),
    ([], Reason.UNKNOWN_LABEL, None),
    (["safe_response"], Reason.UNKNOWN_LABEL, None),
    ({"label": "safe_response"}, Reason.UNKNOWN_NODE, None),
    ({7: "yes"}, Reason.UNKNOWN_NODE, None),
    ({"nonsense": "maybe"}, Reason.UNKNOWN_OPTION, "nonsense"),
    ({"nonsense": True}, Reason.UNKNOWN_OPTION, "nonsense"),
    ({"nonsense": ["yes"]}, Reason.UNKNOWN_OPTION, "nonsense"),
    ({"nonsense": "no"}, Reason.INCOMPLETE_PATH, "humanoid_mimicry"),
    ({"content": "safe_response"}, Reason.INCOMPLETE_PATH, "nonsense"),
    (NO, Reason.INCOMPLETE_PATH, "content"),
    ({"nonsense": "yes", "content": "safe_response"}, Reason.UNREACHABLE, "content"),
]


@pytest.mark.parametrize(("raw", "reason", "node"), NOT_LABELS)
def test_what_is_not_a_label_says_why_and_where(raw, reason, node):
    problem = read(SAFETY, raw)
    assert isinstance(problem, Problem)
    assert (problem.criterion, problem.reason, problem.node) == ("safety", reason, node)
    assert problem.sentence.endswith(".")


def test_a_whole_reading_names_all_problems_at_once():
    raw = {"guidance": 4, "relevance": "5", "safety": 0, "empathy": "warm", "Overall": 4}
    reading = read_all(MENTALALIGN, raw)
    assert reading.answers == (
        Answer(criterion="guidance", score=4),
        Answer(criterion="relevance", score=5),
    )
    assert [(problem.criterion, problem.reason) for problem in reading.problems] == [
        ("informativeness", Reason.MISSING),
        ("safety", Reason.OFF_SCALE),
        ("empathy", Reason.NOT_A_NUMBER),
        ("helpfulness", Reason.MISSING),
        ("understanding", Reason.MISSING),
        ("Overall", Reason.UNKNOWN_CRITERION),
    ]
    assert reading.problems[-1].sentence == (
        "The rubric has only these criteria: guidance, informativeness, relevance, safety,"
        " empathy, helpfulness, understanding."
    )
