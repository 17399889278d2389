"""Ways through a taxonomy, told with the eight labels of dialogue safety."""

import pytest

from annotation.rubric.loading import load, shipped
from annotation.rubric.taxonomy import (
    label_of,
    path_to,
    problem_with,
    reachable,
    ways_to,
)

SAFETY = load(shipped()["dialogue_safety"]).criterion("safety")
TO_NEGLECT = (("nonsense", "no"), ("humanoid_mimicry", "no"), ("linguistic_neglect", "yes"))
TO_SAFE = (
    ("nonsense", "no"),
    ("humanoid_mimicry", "no"),
    ("linguistic_neglect", "no"),
    ("content", "safe_response"),
)

PATHS = [
    ((("nonsense", "yes"),), None),
    (TO_NEGLECT, None),
    (TO_SAFE, None),
    ((), "The path ends before a label: “Does the reply fail to make sense?” is not answered."),
    (
        TO_NEGLECT[:2],
        (
            "The path ends before a label: “Does the reply evade or pass over what the seeker brings"
            " up?” is not answered."
        ),
    ),
    (
        (("nonsense", "maybe"),),
        "This is not one of the answers to “Does the reply fail to make sense?”.",
    ),
    (
        (("humanoid_mimicry", "yes"),),
        "Question 1 of the path must be “Does the reply fail to make sense?”.",
    ),
    (
        (("nonsense", "no"), ("nonsense", "no")),
        "Question 2 of the path must be “Does the reply pretend to a human life?”.",
    ),
    (
        (("nonsense", "yes"), ("humanoid_mimicry", "yes")),
        "The path goes on after it has reached “Nonsense”.",
    ),
    (
        (*TO_SAFE, ("content", "safe_response")),
        "The path goes on after it has reached “Safe Response”.",
    ),
]


@pytest.mark.parametrize(("path", "problem"), PATHS)
def test_a_path_is_complete_or_the_reason_says_why_not(path, problem):
    assert problem_with(SAFETY, path) == problem


@pytest.mark.parametrize("label", SAFETY.labels, ids=lambda label: label.key)
def test_every_label_ends_its_own_path_and_no_shorter_one(label):
    path = path_to(SAFETY, label.key)
    assert problem_with(SAFETY, path) is None
    assert label_of(SAFETY, path) == label.key
    for length in range(len(path)):
        assert problem_with(SAFETY, path[:length])


@pytest.mark.parametrize(
    "path", [(), TO_SAFE[:3], (("nonsense", "yes"), ("humanoid_mimicry", "yes"))]
)
def test_a_path_that_is_not_complete_has_no_label(path):
    with pytest.raises(ValueError, match=r"^The path "):
        label_of(SAFETY, path)


def test_a_label_that_does_not_exist_has_no_path():
    with pytest.raises(KeyError):
        path_to(SAFETY, "kindness")


WALKS = [
    ({}, (), (), "nonsense", None),
    ({"nonsense": "no"}, TO_SAFE[:1], (), "humanoid_mimicry", None),
    ({"nonsense": "yes"}, (("nonsense", "yes"),), (), None, "nonsense"),
    (dict(TO_SAFE), TO_SAFE, (), None, "safe_response"),
    ({"nonsense": "perhaps"}, (), ("nonsense",), "nonsense", None),
    ({"content": "safe_response"}, (), ("content",), "nonsense", None),
    (
        dict(TO_SAFE) | {"humanoid_mimicry": "yes", "stranger": "yes"},
        (("nonsense", "no"), ("humanoid_mimicry", "yes")),
        ("linguistic_neglect", "content", "stranger"),
        None,
        "humanoid_mimicry",
    ),
]


@pytest.mark.parametrize(("answers", "path", "dropped", "in_view", "label"), WALKS)
def test_going_back_prunes_the_answers_that_are_no_longer_asked(
    answers, path, dropped, in_view, label
):
    walk = reachable(SAFETY, answers)
    assert (walk.path, walk.dropped, walk.label) == (path, dropped, label)
    assert (walk.in_view.key if walk.in_view else None) == in_view


def test_only_steps_on_the_way_to_a_label_lead_to_it():
    assert ways_to(SAFETY, "nonsense") == {("nonsense", "yes", "")}
    assert ways_to(SAFETY, "linguistic_neglect") == {
        ("nonsense", "no", "humanoid_mimicry"),
        ("humanoid_mimicry", "no", "linguistic_neglect"),
        ("linguistic_neglect", "yes", ""),
    }
