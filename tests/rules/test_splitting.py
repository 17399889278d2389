"""The open split: stratified, reproducible, dialogues whole."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.rules.splitting import ToDivide, share_of, stratum_of


def dialogues(n, stratum="a", first=0):
    return [
        ToDivide(
            dialogue=number, key=f"{stratum}{number}", stratum=stratum, items=(number, -number)
        )
        for number in range(first + 1, first + n + 1)
    ]


@given(st.permutations(dialogues(20)), st.integers(0, 100))
def test_the_same_seed_draws_the_same_in_whatever_order(shuffled, percent):
    drawn = share_of(shuffled, percent=percent, seed="s")
    assert drawn == share_of(dialogues(20), percent=percent, seed="s")


def test_another_seed_draws_others():
    first, second = (share_of(dialogues(40), percent=50, seed=seed) for seed in "xy")
    assert first != second


def test_each_stratum_gives_the_same_share():
    many = dialogues(40) + dialogues(20, "b", first=100)
    drawn = [item for item in share_of(many, percent=25, seed="s") if item > 0]
    assert (sum(item <= 100 for item in drawn), sum(item > 100 for item in drawn)) == (10, 5)


def test_dialogues_that_are_like_no_other_are_taken_at_the_same_share():
    alone = [one for number in range(200) for one in dialogues(1, f"s{number}", first=number)]
    drawn = share_of(alone, percent=40, seed="s")
    assert 60 < sum(item > 0 for item in drawn) < 100


def test_nothing_and_everything_are_shares_too():
    assert share_of(dialogues(7), percent=0, seed="s") == []
    assert len(share_of(dialogues(7), percent=100, seed="s")) == 14


def test_the_items_of_a_dialogue_stay_together():
    drawn = share_of(dialogues(30), percent=40, seed="s")
    assert {item for item in drawn if item > 0} == {-item for item in drawn if item < 0}


def test_a_larger_share_holds_the_smaller_one():
    less, more = (share_of(dialogues(30), percent=share, seed="s") for share in (20, 60))
    assert set(less) < set(more)


def test_a_stratum_knows_no_order():
    one = stratum_of({"x": "1", "y": None}, ["b", "a", "a"])
    assert one == stratum_of({"y": None, "x": "1"}, ["a", "b"])
