"""A list of items: how it is read, and what is drawn at random beside it."""

import pytest

from annotation.rules.drawing import read_list, reason_not_to_audit, with_audit

READ = [
    ("item\nd1\nd2\n", {"d1": 1.0, "d2": 1.0}),
    ("item,why,probability\nd1,judge unsure,1\nd2,audit,0.05\n", {"d1": 1.0, "d2": 0.05}),
    ("item,probability\nd1,\n", {"d1": 1.0}),
    ("item;probability\nd1;0.05\n", {"d1": 0.05}),
    ("item\tprobability\nd1\t0.05\n", {"d1": 0.05}),
]


@pytest.mark.parametrize(("text", "chances"), READ)
def test_a_list_says_what_chance_each_item_had(text, chances):
    assert read_list(text).chances == chances
    assert read_list(text).problem is None


REFUSED = [
    ("key\nd1\n", "The list has no column “item”."),
    ("item\n", "The list is empty."),
    ("item\nd1\nd1\n", "“d1” is on the list twice."),
    ("item,probability\nd1,0\n", "“d1”: a probability lies above 0 and is at most 1."),
    ("item,probability\nd1,1.5\n", "“d1”: a probability lies above 0 and is at most 1."),
    ("item,probability\nd1,often\n", "“d1”: a probability lies above 0 and is at most 1."),
    ("item,probability\nd1,nan\n", "“d1”: a probability lies above 0 and is at most 1."),
    ("item\rd1\r", "The list is not CSV. Save it as CSV in UTF-8."),
    (f"item\n{'d' * 200_000}\n", "The list is not CSV. Save it as CSV in UTF-8."),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_a_list_that_cannot_be_read_says_why(text, sentence):
    assert read_list(text).problem == sentence
    assert read_list(text).chances == {}


def test_the_random_part_is_drawn_with_the_chance_that_it_says():
    others = range(10, 50)
    found = with_audit({1: 1.0, 2: 1.0}, others, 11, seed="pond:2")
    drawn = {item: chance for item, chance in found.items() if item in others}
    assert len(drawn) == 5
    assert set(drawn.values()) == {5 / 40}
    assert found == with_audit({1: 1.0, 2: 1.0}, others, 11, seed="pond:2")
    assert found != with_audit({1: 1.0, 2: 1.0}, others, 11, seed="pond:3")
    assert with_audit({1: 1.0}, (), 50, seed="pond:2") == {1: 1.0}
    assert with_audit({1: 1.0}, (2,), 100, seed="pond:2") == {1: 1.0, 2: 1.0}


def test_each_item_off_the_list_is_drawn_as_often_as_the_others():
    often = dict.fromkeys(range(20), 0)
    for seed in range(600):
        for item in with_audit({99: 1.0}, range(20), 25, seed=str(seed)):
            often[item] = often.get(item, 0) + 1
    assert all(110 <= often[item] <= 190 for item in range(20))


def test_a_list_with_a_random_part_gets_no_second_one():
    assert reason_not_to_audit({1: 1.0, 2: 0.05}, 10) == (
        "The list has a random part of its own, with probabilities below 1, so no second one is "
        "drawn beside it."
    )
    assert reason_not_to_audit({1: 1.0, 2: 0.05}, 0) is None
    assert reason_not_to_audit({1: 1.0}, 10) is None
