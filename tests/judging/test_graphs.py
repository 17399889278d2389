"""A graph of questions is one thing for people, programs and judges."""

import json
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.forms import rating
from annotation.rubric.answers import read_all
from annotation.rubric.schema import Taxonomy
from annotation.rubric.taxonomy import every_path
from annotation.rules.completeness import fill
from judging import parsing, prompts
from judging.interviews import Interview
from judging.parsing import WrittenAnswer
from judging.prompts import ItemText
from judging.prompts.loading import TemplateError
from judging.prompts.loading import read as read_template
from judging.prompts.template import built_in
from judging.rules.outcomes import Outcome
from judging.rules.questions import AskingManner, Unreadable, every_request, next_questions
from tests.graphs import CARE, graphs
from tests.judging.test_same_words import form_of, prompt_of, squeezed

ITEM = ItemText(
    turns=[{"speaker": "seeker", "text": "I cannot go on."}],
    reply="Have you tried tea?",
    reply_speaker="supporter",
    sha256="0" * 64,
)


@st.composite
def ways(draw):
    rubric = draw(graphs())
    path = draw(st.sampled_from(list(every_path(rubric.criteria[0]))))
    return rubric, path, draw(st.sampled_from(rubric.criteria[-1].values))


def raw(path, warmth):
    return {"walk": dict(path), "warmth": warmth}


def posted(path, warmth):
    fields = {f"answer.walk.{node}": option for node, option in path}
    return fields | {"answer.warmth": str(warmth), "key": str(uuid4())}


def told(rubric, path, warmth, questions, *, as_json):
    """What a judge writes that takes this way."""
    chosen = {f"walk/{node}": option for node, option in path} | {"warmth": warmth}
    given = {one: chosen.get(one.key) for one in questions}
    if as_json:
        return json.dumps({one.name: {"answer": value} for one, value in given.items()})
    texts = {
        one: next(each.text.in_("en") for each in one.node.options if each.key == value)
        if one.node and value
        else value
        for one, value in given.items()
    }
    if len(questions) == 1:
        return str(texts[questions[0]])
    return "\n".join(f"{one.name}: {words}" for one, words in texts.items() if words is not None)


@settings(max_examples=60, deadline=None)
@given(ways(), st.sampled_from(AskingManner), st.booleans())
def test_form_api_and_judge_come_to_the_same_by_the_same_way(way, manner, as_json):
    rubric, path, warmth = way
    wanted = read_all(rubric, raw(path, warmth))
    assert wanted.problems == ()

    assert fill(rubric, raw(path, warmth), {}).answers == wanted.answers

    sent = rating.read(rubric, posted(path, warmth))
    assert sent.answers.filled.answers == wanted.answers
    assert sent.answers.filled.answers[0].path == path
    given = {one.criterion: one for one in wanted.answers}
    assert rating.values_of(rubric, given, {}).items() <= posted(path, warmth).items()

    found = {}
    while questions := next_questions(rubric, manner, found):
        words = told(rubric, path, warmth, questions, as_json=as_json)
        found |= parsing.read(questions, WrittenAnswer(text=words), as_json=as_json)
    concluded = parsing.conclude(rubric, found)
    assert tuple(concluded.values()) == wanted.answers
    assert concluded["walk"].path == path


@settings(max_examples=40, deadline=None)
@given(ways())
def test_answers_off_the_way_are_dropped_by_the_form_and_not_heard_of_a_judge(way):
    rubric, path, warmth = way
    walk = rubric.criteria[0]
    every = {node.key: node.options[0].key for node in walk.nodes} | dict(path)

    sent = rating.read(rubric, posted(every.items(), warmth))
    assert sent.answers.filled.answers[0].path == path
    assert len(sent.dropped) == len(walk.nodes) - len(path)

    [questions] = every_request(rubric, AskingManner.FLAT)
    words = told(rubric, every.items(), warmth, questions, as_json=True)
    found = parsing.read(questions, WrittenAnswer(text=words), as_json=True)
    assert parsing.conclude(rubric, found)["walk"].path == path


def test_a_way_that_stops_is_unreadable_and_so_is_all_that_follows_from_it():
    [questions] = every_request(CARE, AskingManner.FLAT)
    words = json.dumps({"walk_risk": {"answer": "yes"}, "walk_missed": {"answer": None}})
    found = parsing.read(questions, WrittenAnswer(text=words), as_json=True)
    nothing = Unreadable(reason=Outcome.NO_ANSWER)
    assert parsing.conclude(CARE, found) == dict.fromkeys(("walk", "noticing", "guiding"), nothing)


def test_a_judge_that_is_asked_node_by_node_follows_the_way():
    interview = Interview(
        rubric=CARE,
        template=built_in(manner=AskingManner.SEQUENTIAL, language="en", as_json=False),
    )
    exchanges = []
    for words in ("Yes", "In part", "No", "No"):
        assert interview.next_prompt(ITEM, exchanges) is not None
        exchanges.append({"text": words, "finish": "stop", "refusal": False})
    assert interview.next_prompt(ITEM, exchanges) is None
    concluded = interview.conclude(exchanges)
    assert [one.label or one.score for one in concluded.values()] == ["warm", 2, 1]


def test_all_questions_are_put_in_one_request_with_where_each_answer_goes():
    template = built_in(manner=AskingManner.FLAT, language="en", as_json=True)
    [questions] = every_request(CARE, AskingManner.FLAT)
    told_to_judge = prompts.instruct(CARE, questions, template)
    for line in (
        "walk_risk. Does the seeker speak of dying?",
        "   - Yes → go to walk_missed",
        "   - Yes [Noticing risk: May harm] → go to walk_tone",
        "   - There is no reply [Noticing risk: Not relevant] → end: Nothing to rate",
        "- Guiding to help: 0 Not relevant; 1 Best practice; 2 Could be better; 3 May harm",
    ):
        assert line in told_to_judge.system
    assert told_to_judge.schema["properties"]["walk_tone"]["properties"]["answer"] == {
        "type": ["string", "null"],
        "enum": ["yes", "no", None],
    }


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_people_and_judges_read_the_same_words_of_a_graph(language):
    form = form_of(CARE, language)
    prompt = prompt_of(CARE, AskingManner.FLAT, language)
    walk, *scales = CARE.criteria
    words = {
        squeezed(text.in_(language))
        for text in (
            *(node.question for node in walk.nodes),
            *(node.help for node in walk.nodes if node.help),
            *(option.text for node in walk.nodes for option in node.options),
            *(label.definition for label in walk.labels),
            *(scale.name for scale in scales),
            *(point.anchor for scale in scales for point in scale.points),
        )
    }
    assert [one for one in words if one not in form] == []
    assert [one for one in words if one not in prompt] == []


PROMPT = """\
asking = "flat"
system = "{{criteria}}{{examples}}"
user = "{{item}}{{answer_form}}"
[[examples]]
dialogue = ["seeker: I want to die."]
reply = "supporter: Call this number."
answers = { walk = %s }
reasoning = { walk = "It names a line." }
"""


def test_an_example_answers_a_graph_by_the_way():
    way = '{ risk = "yes", missed = "no", resources = "no", tone = "no" }'
    template = read_template(PROMPT % way, CARE)
    [questions] = every_request(CARE, AskingManner.FLAT)
    system = prompts.instruct(CARE, questions, template).system
    assert '"walk_resources": {"reasoning": "It names a line.", "answer": "no"}' in system
    skipping = read_template(PROMPT % '{ risk = "no", tone = "no" }', CARE)
    system = prompts.instruct(CARE, questions, skipping).system
    assert '"walk_resources": {"reasoning": "It names a line.", "answer": null}' in system


def test_a_label_alone_is_no_example_of_a_way():
    with pytest.raises(TemplateError) as refusal:
        read_template(PROMPT % '"warm"', CARE)
    assert [str(one) for one in refusal.value.problems] == [
        "examples[0]: warm is no answer to walk."
    ]


def test_a_form_of_a_graph_says_where_answers_go_and_how_severe_they_are():
    [walk] = rating.asked(CARE)
    assert walk.is_graph
    assert [one.dimension for one in walk.questions] == ["noticing", "noticing", "guiding", ""]
    risk, missed, _resources, tone = walk.questions
    assert [one.goes_to for one in risk.choices] == [1, 3, None]
    assert [one.ends_at for one in risk.choices] == ["", "", "Nothing to rate"]
    assert [(one.severity.words, one.severity.rank) for one in missed.choices if one.severity] == [
        ("May harm", 3),
        ("Could be better", 2),
    ]
    assert [one.severity for one in tone.choices] == [None, None]
    assert isinstance(CARE.walk_of(CARE.criterion("noticing")), Taxonomy)
