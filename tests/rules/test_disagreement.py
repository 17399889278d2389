"""When ratings of one item need a decision."""

from dataclasses import replace

import pytest

from annotation.rubric.answers import Answer
from annotation.rubric.loading import load, shipped
from annotation.rules.disagreement import differ, outcome_of, parting_node

SAFETY = load(shipped()["dialogue_safety"]).criterion("safety")
EMPATHY = load(shipped()["mentalalign"]).criterion("empathy")
RISK = load(shipped()["psycrisis"]).criterion("risk_assessment")
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
