"""When ratings of one item need a decision."""

from dataclasses import replace

import pytest

from annotation.rubric.answers import Answer
from annotation.rubric.loading import load, parse_toml, shipped
from annotation.rules.disagreement import differ, gap_between, outcome_of, parting_node, way_of
from tests.graphs import CARE_TOML

SAFETY = load(shipped()["dialogue_safety"]).criterion("safety")
EMPATHY = load(shipped()["mentalalign"]).criterion("empathy")
RISK = load(shipped()["psycrisis"]).criterion("risk_assessment")
WALK = load(parse_toml(CARE_TOML)).criterion("walk")
STRICT = replace(EMPATHY, adjudicate_from_gap=1)


def answers(criterion, values):
    kind = "label" if criterion is SAFETY else "score"
    return [
        None if value is None else Answer(criterion=criterion.key, **{kind: value})
        for value in values
    ]


CASES = [
    # criterion, ratings, do they differ, unanimous value
    (SAFETY, ["nonsense", "nonsense", "nonsense"], False, "nonsense"),
    (SAFETY, ["nonsense", "nonsense", "safe_response"], True, None),
    (SAFETY, ["nonsense", "nonsense", None], True, None),
    (SAFETY, ["nonsense"], False, "nonsense"),
    (SAFETY, [None, None], True, None),
    (SAFETY, [], False, None),
    (EMPATHY, [4, 4, 4], False, 4),
    (EMPATHY, [4, 5, 4], False, None),
    (EMPATHY, [3, 4, 5], True, None),
    (EMPATHY, [1, 5], True, None),
    (EMPATHY, [4, None], True, None),
    (EMPATHY, [3], False, 3),
    (EMPATHY, [], False, None),
    (STRICT, [4, 5], True, None),
    (STRICT, [4, 4], False, 4),
    (RISK, [0, 0], False, 0),
    (RISK, [1, 1, 1], False, 1),
    (RISK, [0, 1, 1], True, None),
    (RISK, [0, None], True, None),
]


@pytest.mark.parametrize(("criterion", "values", "do_differ", "unanimous"), CASES)
def test_ratings_need_a_decision_or_are_unanimous(criterion, values, do_differ, unanimous):
    given = answers(criterion, values)
    assert differ(criterion, given) is do_differ
    outcome = outcome_of(given)
    if unanimous is None:
        assert outcome is None
    else:
        assert unanimous in (outcome.label, outcome.score)


@pytest.mark.parametrize(
    ("criterion", "values", "gap"),
    [
        (EMPATHY, [4, 2, 3], 2),
        (EMPATHY, [1, 5], 4),
        (EMPATHY, [4, 4], 0),
        (EMPATHY, [3, None], 0),
        (EMPATHY, [None], None),
        (RISK, [0, None, 1], 1),
        (RISK, [0, 0], 0),
        (SAFETY, ["nonsense", "safe_response"], None),
    ],
)
def test_a_gap_lies_between_the_highest_and_the_lowest_score(criterion, values, gap):
    assert gap_between(criterion, answers(criterion, values)) == gap


DIVERGENCES = [
    ("nonsense", "safe_response", 0),
    ("humanoid_mimicry", "linguistic_neglect", 1),
    ("linguistic_neglect", "toxic_language", 2),
    ("toxic_language", "safe_response", 3),
    ("toxic_language", "toxic_language", None),
]


@pytest.mark.parametrize(("one", "other", "depth"), DIVERGENCES)
def test_two_labels_part_at_a_node(one, other, depth):
    assert parting_node(SAFETY, answers(SAFETY, [one, other])) == depth
    assert parting_node(SAFETY, answers(SAFETY, [other, one, None])) == depth


AT_ONCE = (("risk", "no"), ("tone", "no"))
BY_RESOURCES = (("risk", "yes"), ("missed", "no"), ("resources", "no"), ("tone", "no"))
PAST_THEM = (("risk", "yes"), ("missed", "yes"), ("tone", "no"))
RISK_NODE, MISSED_NODE, RESOURCES_NODE = range(3)


def warm(way):
    return Answer(criterion="walk", label="warm", path=way)


@pytest.mark.parametrize(
    ("one", "other", "about", "node"),
    [
        (AT_ONCE, BY_RESOURCES, None, RISK_NODE),
        (BY_RESOURCES, PAST_THEM, None, MISSED_NODE),
        (BY_RESOURCES, PAST_THEM, "noticing", MISSED_NODE),
        (BY_RESOURCES, PAST_THEM, "guiding", RESOURCES_NODE),
        (AT_ONCE, PAST_THEM, "guiding", None),
        (AT_ONCE, AT_ONCE, None, None),
    ],
)
def test_two_ways_through_a_graph_part_at_a_question(one, other, about, node):
    assert parting_node(WALK, [warm(one), warm(other)], about=about) == node
    assert parting_node(WALK, [warm(other), None, warm(one)], about=about) == node


def test_a_way_is_known_where_it_was_taken_in_this_edition():
    assert way_of(WALK, warm(PAST_THEM)) == PAST_THEM
    assert way_of(WALK, warm((("risk", "perhaps"), *PAST_THEM[1:]))) == ()
    assert way_of(WALK, warm(())) == ()  # several ways lead there
    assert way_of(SAFETY, Answer(criterion="safety", label="of_old")) == ()
    assert way_of(SAFETY, Answer(criterion="safety", label="nonsense"))


def test_an_outcome_keeps_the_way_that_all_went():
    assert outcome_of([warm(PAST_THEM), warm(PAST_THEM)]).path == PAST_THEM
    several = outcome_of([warm(PAST_THEM), warm(AT_ONCE)])
    assert (several.label, several.path) == ("warm", ())
