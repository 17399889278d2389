"""What becomes of an old value under another edition of a rubric."""

import copy

import pytest

from annotation.rubric.differences import differences
from annotation.rubric.loading import load, shipped
from annotation.rules.carrying import (
    AGAIN,
    LEFT,
    all_again,
    as_new,
    completed,
    fate_of,
    in_question,
    problem_with_plan,
)

OLD = shipped()["dialogue_safety"]


def edition(change):
    definition = copy.deepcopy(dict(OLD))
    change(definition)
    return definition


def reworded(definition):
    definition["instructions"] = {"en": "Read it twice."}


def recoded(definition):
    definition["criteria"][0]["labels"][0]["code"] = 99


def with_tone(definition):
    tone = copy.deepcopy(shipped()["mentalalign"]["criteria"][0])
    definition["criteria"].append(tone | {"key": "tone"})


def asked(change):
    return {one.place: one.proposed for one in in_question(load(OLD), load(edition(change)))}


def test_words_ask_for_nothing():
    assert asked(reworded) == {}
    assert completed({}, load(OLD), load(edition(reworded))) == {}


def test_a_label_that_means_something_else_is_rated_again_unless_somebody_says_otherwise():
    first = OLD["criteria"][0]["labels"][0]["key"]
    found = asked(recoded)
    assert {place for place, fate in found.items() if fate == AGAIN} == {f"safety={first}"}
    new = load(edition(recoded))
    assert completed({}, load(OLD), new) == {f"safety={first}": AGAIN}
    assert completed({f"safety={first}": first}, load(OLD), new) == {}


@pytest.mark.parametrize(("fate", "is_all"), [(LEFT, False), (AGAIN, True)])
def test_a_new_criterion_is_left_open_or_has_all_items_rated_again(fate, is_all):
    plan = completed({"tone=": fate}, load(OLD), load(edition(with_tone)))
    assert all_again(plan) is is_all


def of_fewer_points(definition):
    scale = definition["criteria"][0]
    scale["points"] = scale["points"][:-1]


def test_points_of_a_scale_are_rated_again_or_become_points_that_there_are():
    old = shipped()["mentalalign"]
    definition = copy.deepcopy(dict(old))
    of_fewer_points(definition)
    found = list(in_question(load(old), load(definition)))
    scale = load(old).criteria[0]
    assert [(one.value, one.name, one.proposed) for one in found] == [
        (str(value), str(value), AGAIN) for value in range(1, 6)
    ]
    assert {one.criterion_name for one in found} == {scale.name}
    assert [(heir.value, heir.name) for heir in found[0].heirs] == [
        (str(value), str(value)) for value in range(1, 5)
    ]


def test_only_a_new_criterion_is_left_without_a_value():
    first = OLD["criteria"][0]["labels"][0]["key"]
    without = {f"safety={first}": LEFT}
    assert problem_with_plan(without, load(OLD), load(edition(recoded)))
    assert problem_with_plan({"tone=": LEFT}, load(OLD), load(edition(with_tone))) is None


def test_a_plan_names_values_that_there_are():
    new = load(edition(recoded))
    first = OLD["criteria"][0]["labels"][0]["key"]
    assert problem_with_plan({f"safety={first}": "nowhere"}, load(OLD), new)
    assert problem_with_plan({f"safety={first}": AGAIN}, load(OLD), new) is None
    assert problem_with_plan({}, load(OLD), load(shipped()["mentalalign"]))


def test_texts_are_compared_by_place():
    (one,) = differences({"a": [{"key": "x", "t": "1"}]}, {"a": [{"key": "x", "t": "2"}]})
    assert (one.place, one.before, one.after) == ("a[x].t", "1", "2")
    words = [{"asks": ["Why?"]}, {"asks": ["Why?", "Since when?"]}]
    (one,) = differences(*words)
    assert (one.place, one.before, one.after) == ("asks[2]", "", "Since when?")


def test_a_value_that_the_new_edition_does_not_have_is_no_answer_to_it():
    scale = load(shipped()["mentalalign"]).criteria[0]
    assert as_new(scale, "3").score == 3
    with pytest.raises(ValueError, match="from 1 to 5"):
        as_new(scale, "6")


@pytest.mark.parametrize(
    ("criterion", "value", "fate"),
    [
        ("warmth", "5", "4"),
        ("warmth", "4", AGAIN),
        ("tone", "", LEFT),
        ("warmth", "3", None),
        ("tone", "5", None),
    ],
)
def test_a_value_of_which_a_plan_says_nothing_stays_what_it_is(criterion, value, fate):
    plan = {"warmth=5": "4", "warmth=4": AGAIN, "tone=": LEFT}
    assert fate_of(plan, criterion, value) == fate
