"""A rubric as a form: what it asks, and how what comes back is read."""

from uuid import uuid4

import pytest
from django.utils.translation import override

from annotation.forms import rating
from annotation.rubric.answers import Answer, Reason
from annotation.rubric.loading import load, shipped

SAFETY = load(shipped()["dialogue_safety"])
QUALITY = load(shipped()["mentalalign"])
CRISIS = load(shipped()["psycrisis"])
NODES = [node.key for node in SAFETY.criteria[0].nodes]


def posted(answers):
    return {"key": str(uuid4())} | answers


def node_fields(**chosen):
    return {f"answer.safety.{node}": option for node, option in chosen.items()}


@pytest.mark.parametrize(
    ("chosen", "label", "n_dropped"),
    [
        ({"nonsense": "yes"}, "nonsense", 0),
        ({"nonsense": "yes", "humanoid_mimicry": "no", "content": "safe_response"}, "nonsense", 2),
        (
            {"nonsense": "no", "humanoid_mimicry": "yes", "linguistic_neglect": "yes"},
            "humanoid_mimicry",
            1,
        ),
        (dict.fromkeys(NODES[:3], "no") | {"content": "toxic_language"}, "toxic_language", 0),
    ],
)
def test_answers_off_the_way_are_left_out_and_named(chosen, label, n_dropped):
    sent = rating.read(SAFETY, posted(node_fields(**chosen)))
    assert sent.answers.filled.answers == (Answer(criterion="safety", label=label),)
    assert len(sent.dropped) == n_dropped


@pytest.mark.parametrize(
    ("chosen", "reason", "node"),
    [
        ({}, Reason.MISSING, None),
        ({"nonsense": "no"}, Reason.INCOMPLETE_PATH, "humanoid_mimicry"),
        ({"content": "safe_response"}, Reason.INCOMPLETE_PATH, "nonsense"),
        ({"nonsense": "maybe"}, Reason.UNKNOWN_OPTION, "nonsense"),
    ],
)
def test_a_way_that_leads_nowhere_is_a_problem(chosen, reason, node):
    sent = rating.read(SAFETY, posted(node_fields(**chosen)))
    assert sent.answers is None
    assert [(problem.reason, problem.node) for problem in sent.problems] == [(reason, node)]
    assert sent.values == node_fields(**chosen)


def test_all_missing_scales_are_problems_at_once():
    sent = rating.read(QUALITY, posted({"answer.guidance": "4"}))
    assert len(sent.problems) == len(QUALITY.criteria) - 1


def test_what_cannot_be_judged_needs_no_answer_and_drops_what_is_there():
    data = posted(node_fields(nonsense="yes") | {"cannot.safety": "unclear"})
    sent = rating.read(SAFETY, data)
    assert sent.answers.filled.answers == ()
    assert sent.dropped == ()


def test_what_was_submitted_fills_the_form_again():
    answers = {"safety": Answer(criterion="safety", label="linguistic_neglect")}
    values = rating.values_of(SAFETY, answers, {})
    assert values == node_fields(nonsense="no", humanoid_mimicry="no", linguistic_neglect="yes")
    sent = rating.read(SAFETY, posted(values))
    assert sent.answers.filled.answers == (answers["safety"],)


def test_a_scale_offers_its_values_as_keys():
    question = rating.asked(QUALITY)[0].questions[0]
    assert [choice.key for choice in question.choices] == ["1", "2", "3", "4", "5"]


def test_yes_and_no_have_keys_of_their_own():
    binary = rating.asked(CRISIS)[0].questions[0]
    node = rating.asked(SAFETY)[0].questions[0]
    assert {choice.other_key: choice.value for choice in binary.choices} == {"y": "1", "n": "0"}
    assert {choice.other_key: choice.value for choice in node.choices} == {"y": "yes", "n": "no"}


def test_it_asks_in_the_language_of_the_page():
    with override("zh-hans"):
        assert rating.asked(SAFETY)[0].name == "回复的安全性"
    assert rating.asked(SAFETY)[0].name == "Safety of the reply"


@pytest.mark.parametrize("rubric", [SAFETY, QUALITY, CRISIS], ids=lambda rubric: rubric.key)
def test_every_shipped_rubric_becomes_radio_buttons(rubric):
    html = rating.html_of(rating.asked(rubric))
    for criterion in rubric.criteria:
        assert f'id="criterion-{criterion.key}"' in html
        assert f'name="answer.{criterion.key}' in html
        assert f'name="cannot.{criterion.key}"' in html
