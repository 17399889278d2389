"""Graphs of questions: which ways are valid, what they come to, and what is unsound."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rubric.answers import Answer, Reason, read, read_all
from annotation.rubric.loading import RubricError, dump, load, mistakes_in, parse_toml, shipped
from annotation.rubric.taxonomy import (
    every_path,
    in_order,
    label_of,
    levels,
    n_paths,
    path_as_text,
    path_from_text,
    path_to,
    problem_with,
    reachable,
)
from annotation.rubric.versions import breaking_changes, fingerprint
from annotation.rubric.writing import as_toml
from annotation.rules.carrying import in_question
from annotation.rules.completeness import CannotJudge, fill
from annotation.rules.disagreement import parting_node
from tests.graphs import CARE, CARE_TOML, WALK, graphs

COMES_TO = [
    ({"risk": "refused"}, "nothing", 0, 0),
    ({"risk": "no", "tone": "no"}, "warm", 1, 0),
    ({"risk": "yes", "missed": "yes", "tone": "yes"}, "cold", 3, 0),
    ({"risk": "yes", "missed": "partly", "resources": "no", "tone": "no"}, "warm", 2, 1),
    ({"risk": "yes", "missed": "no", "resources": "yes", "tone": "no"}, "warm", 1, 3),
]


@pytest.mark.parametrize(("given", "label", "noticing", "guiding"), COMES_TO)
def test_a_walk_comes_to_a_label_and_to_the_worst_that_was_met_on_each_scale(
    given, label, noticing, guiding
):
    reading = read_all(CARE, {"walk": given})
    assert reading.problems == ()
    assert reading.answers == (
        Answer(criterion="walk", label=label),
        Answer(criterion="noticing", score=noticing),
        Answer(criterion="guiding", score=guiding),
    )
    assert reading.answers[0].path == tuple(given.items())


def test_a_walk_decides_on_its_taxonomy_and_on_what_it_gives_a_value_to():
    assert [CARE.walk_of(one) for one in CARE.criteria] == [WALK, WALK, WALK]
    asked = load(shipped()["mentalalign"])
    assert {asked.walk_of(one) for one in asked.criteria} == {None}


def test_two_ways_to_one_label_are_one_answer():
    one = read(WALK, {"risk": "no", "tone": "no"})
    other = read(WALK, {"risk": "yes", "missed": "no", "resources": "no", "tone": "no"})
    assert one == other
    assert one.path != other.path
    assert parting_node(WALK, [one, other]) == 0
    assert parting_node(WALK, [one, one]) is None


def test_ways_part_about_a_scale_at_a_question_about_it():
    one = read(WALK, {"risk": "yes", "missed": "partly", "resources": "no", "tone": "no"})
    other = read(WALK, {"risk": "yes", "missed": "no", "resources": "yes", "tone": "no"})
    assert parting_node(WALK, [one, other]) == 1
    assert parting_node(WALK, [one, other], about="guiding") == 2
    skips = read(WALK, {"risk": "no", "tone": "no"})
    assert parting_node(WALK, [one, skips], about="guiding") == 2


@pytest.mark.parametrize(
    ("raw", "problems"),
    [
        ({"walk": {"risk": "yes"}}, [("walk", Reason.INCOMPLETE_PATH)]),
        ({"walk": {"risk": "no", "missed": "no", "tone": "no"}}, [("walk", Reason.UNREACHABLE)]),
        ({"walk": "warm"}, [("noticing", Reason.MISSING), ("guiding", Reason.MISSING)]),
        ({"walk": {"risk": "refused"}, "noticing": 3}, [("noticing", Reason.UNREACHABLE)]),
        ({"walk": {"risk": "refused"}, "noticing": 0}, []),
        ({"walk": "warm", "noticing": 1, "guiding": 0}, []),
        ({}, [("walk", Reason.MISSING)]),
    ],
)
def test_levels_follow_from_the_way_or_are_given_with_the_label(raw, problems):
    found = read_all(CARE, raw).problems
    assert [(problem.criterion, problem.reason) for problem in found] == problems


def test_who_cannot_judge_the_walk_cannot_judge_what_follows_from_it():
    filled = fill(CARE, {}, {"walk": "unclear"})
    assert filled.cannot_judge == dict.fromkeys(
        ("walk", "noticing", "guiding"), CannotJudge.UNCLEAR
    )


def changed(*replacements):
    text = CARE_TOML
    for before, after in replacements:
        assert before in text
        text = text.replace(before, after, 1)
    return text


HEAD_OF_LABEL = "[[criteria.labels]]"
UNSOUND = [
    # what is written instead of what, what is said of it, and what stands in the line named
    (('label = "cold" },', 'goto = "risk" },'), "leads back to “risk”", 'goto = "risk"'),
    (('label = "cold" },', 'goto = "rsik" },'), "“rsik” is not among the questions", '"rsik"'),
    (('label = "cold" },', 'label = "cold", goto = "risk" },'), "not both", '"cold"'),
    ((', label = "cold" },', " },"), "no question comes after the last one", 'key = "yes"'),
    (('label = "cold" },', 'label = "warm" },'), "no option leads to “cold”", HEAD_OF_LABEL),
    (('"cold" },', '"cold", severity = 2 },'), "needs a question with a dimension", '"cold"'),
    (("severity = 2 }", "severity = 7 }"), "7 is not a level of “noticing”", "severity = 7"),
    (('= "guiding"', '= "guidance"'), "“guidance” is not a scale", '"guidance"'),
    (('taxonomy = "walk"', 'taxonomy = "wlak"'), "no question of a taxonomy “wlak”", '"wlak"'),
    (("clear = 1", "clear = 9"), "9 is not a level of “noticing”", "clear = 9"),
    (("not_asked = 0", "not_asked = 8"), "8 is not a level of “noticing”", "not_asked = 8"),
    (('key = "guiding"', 'key = "walk_tone"'), "something else is called “walk_tone”", '"tone"'),
    (("walked = {", "walkde = {"), "check its spelling", "walkde"),
    (("clear = 1", "claer = 1"), "criteria[1].walked.claer is not known", "claer"),
]


@pytest.mark.parametrize(("change", "says", "stands"), UNSOUND)
def test_what_is_unsound_is_named_with_its_line(change, says, stands):
    text = changed(change)
    [mistake] = [one for one in mistakes_in(text) if says in one.sentence]
    assert stands in text.splitlines()[mistake.line - 1]


@pytest.mark.parametrize("dimension", ["notcing", None])
def test_what_is_wrong_with_a_later_level_is_named_too(dimension):
    definition = dump(CARE)
    risk, _missed, resources, _tone = definition["criteria"][0]["nodes"]
    risk["dimension"] = dimension
    del risk["options"][2]["severity"]
    resources["options"][0]["severity"] = 8
    with pytest.raises(RubricError) as refusal:
        load(definition)
    said = "criteria[0].nodes[2].options[0].severity: 8 is not a level of “guiding”."
    assert said in refusal.value.problems


def test_a_question_that_no_answer_leads_to_is_named():
    definition = dump(CARE)
    for option in definition["criteria"][0]["nodes"][1]["options"]:
        option["goto"] = "tone"
    with pytest.raises(RubricError) as refusal:
        load(definition)
    assert [str(one) for one in refusal.value.problems] == [
        "criteria[0].nodes[2]: no answer leads to the question “resources”."
    ]


@given(graphs())
def test_a_graph_survives_json_and_toml(rubric):
    definition = json.loads(json.dumps(dump(rubric)))
    assert load(definition) == rubric
    assert load(parse_toml(as_toml(definition))) == rubric
    assert fingerprint(definition) == fingerprint(dump(load(definition)))
    assert breaking_changes(rubric, load(definition)) == ()
    assert list(in_question(rubric, load(definition))) == []


@given(graphs())
def test_every_path_is_valid_and_no_proper_prefix_is(rubric):
    walk = rubric.criteria[0]
    paths = list(every_path(walk))
    assert len(paths) == len(set(paths)) == n_paths(walk)
    for path in paths:
        assert problem_with(walk, path) is None
        assert all(problem_with(walk, path[:length]) for length in range(len(path)))
        assert problem_with(walk, (*path, path[-1]))
        assert reachable(walk, dict(path)).path == path
        assert label_of(walk, path) == reachable(walk, dict(path)).label
        assert path_from_text(path_as_text(path)) == path
    for label in walk.labels:
        shortest = min(len(path) for path in paths if label_of(walk, path) == label.key)
        assert len(path_to(walk, label.key)) == shortest


@given(graphs())
def test_each_question_comes_after_all_that_lead_to_it(rubric):
    walk = rubric.criteria[0]
    order = [node.key for node in in_order(walk)]
    assert sorted(order) == sorted(node.key for node in walk.nodes)
    for path in every_path(walk):
        places = [order.index(node) for node, _option in path]
        assert places == sorted(places)


@given(graphs())
def test_a_level_is_the_worst_severity_of_the_way_and_never_of_another_scale(rubric):
    walk, *scales, _asked = rubric.criteria
    nodes = {node.key: node for node in walk.nodes}
    for path in every_path(walk):
        found = levels(walk, scales, path)
        for scale in scales:
            about = [
                next(each for each in nodes[node].options if each.key == option)
                for node, option in path
                if nodes[node].dimension == scale.key
            ]
            met = [one.severity for one in about if one.severity is not None]
            worst = max if scale.walked.worst_is_highest else min
            otherwise = scale.walked.clear if about else scale.walked.not_asked
            assert found[scale.key] == (worst(met) if met else otherwise)


@settings(max_examples=50)
@given(graphs(), st.data())
def test_ways_are_alike_up_to_where_they_part(rubric, data):
    walk = rubric.criteria[0]
    paths = list(every_path(walk))
    one, other = data.draw(st.sampled_from(paths)), data.draw(st.sampled_from(paths))
    parts_at = parting_node(walk, [read(walk, dict(one)), read(walk, dict(other))])
    if parts_at is None:
        assert one == other
    else:
        steps = [node for node, _option in one].index(walk.nodes[parts_at].key)
        assert one[:steps] == other[:steps]
        assert one[steps] != other[steps]


def test_a_change_of_severity_is_a_change_of_what_was_answered():
    new = load(parse_toml(changed(("severity = 2 }", "severity = 3 }"))))
    assert breaking_changes(CARE, new) == ("“walk”: an answer has another severity.",)
    assert {one.criterion for one in in_question(CARE, new)} == {"walk", "noticing", "guiding"}


def test_another_value_where_nothing_was_met_is_a_change_of_the_scale():
    new = load(parse_toml(changed(("clear = 1, not_asked = 0", "clear = 0, not_asked = 0"))))
    assert breaking_changes(CARE, new) == (
        "The value of “noticing” follows from a walk in another way.",
    )
    assert {one.criterion for one in in_question(CARE, new)} == {"noticing"}
