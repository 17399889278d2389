"""The open split: stratified, reproducible, dialogues whole."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.rules.splitting import ToDivide, opened, stratum_of


def dialogues(n, stratum="a", first=0):
    return [
        ToDivide(
            dialogue=number, key=f"{stratum}{number}", stratum=stratum, items=(number, -number)
        )
        for number in range(first + 1, first + n + 1)
    ]


@given(st.permutations(dialogues(20)), st.integers(0, 100))
def test_the_same_seed_draws_the_same_in_whatever_order(shuffled, percent):
    drawn = opened(shuffled, open_percent=percent, seed="s")
    assert drawn == opened(dialogues(20), open_percent=percent, seed="s")


def test_another_seed_draws_others():
    first, second = (opened(dialogues(40), open_percent=50, seed=seed) for seed in "xy")
    assert first != second


def test_each_stratum_gives_the_same_share():
    many = dialogues(40) + dialogues(20, "b", first=100)
    drawn = [item for item in opened(many, open_percent=25, seed="s") if item > 0]
    assert (sum(item <= 100 for item in drawn), sum(item > 100 for item in drawn)) == (10, 5)


def test_the_items_of_a_dialogue_stay_together():
    drawn = opened(dialogues(30), open_percent=40, seed="s")
    assert {item for item in drawn if item > 0} == {-item for item in drawn if item < 0}


def test_a_larger_share_holds_the_smaller_one():
    less, more = (opened(dialogues(30), open_percent=share, seed="s") for share in (20, 60))
    assert set(less) < set(more)


def test_a_stratum_knows_no_order():
    one = stratum_of({"x": "1", "y": None}, ["b", "a", "a"])
    assert one == stratum_of({"y": None, "x": "1"}, ["a", "b"])
