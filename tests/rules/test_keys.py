"""Which keys of the work screens a person may change, and to which."""

import pytest

from annotation.rules.keys import CHANGEABLE, changed, problem_with_keys


@pytest.mark.parametrize(
    "own",
    [
        {},
        {"j": "j"},
        {"j": "m"},
        {"j": "+", "k": ";"},
        {"j": "k", "k": "j"},
        {"j": "a", "k": "z"},
        dict(zip(CHANGEABLE, "afghilmpqsvw", strict=True)),
    ],
)
def test_any_other_free_key_may_do_it(own):
    assert problem_with_keys(own) is None


@pytest.mark.parametrize("key", ["", "J", "1", " ", "ab", "é", "/"])
def test_a_key_is_one_small_letter_or_sign(key):
    assert "small letter" in problem_with_keys({"j": key})


@pytest.mark.parametrize(
    "own", [{"j": "k"}, {"j": "m", "k": "m"}, {"j": "y"}, {"j": "n"}, {"j": "y", "k": "j"}]
)
def test_no_two_keys_are_the_same_and_none_is_yes(own):
    assert "same key" in problem_with_keys(own)


def test_what_is_as_usual_or_not_of_the_screens_is_not_kept():
    assert changed({"j": "m", "k": "k", "q": "p", "c": "."}) == {"j": "m", "c": "."}
