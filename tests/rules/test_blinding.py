"""Nobody sees another's rating before the round closes."""

from itertools import permutations

import pytest

from annotation.rules.blinding import blinded_order, may_show
from annotation.rules.lifecycle import RoundState

ADA, BEN, CLEO = 1, 2, 3
ROLES = ["annotator", "adjudicator", "coordinator", "researcher", "exporter"]


@pytest.mark.parametrize("state", RoundState)
@pytest.mark.parametrize("role", [*ROLES, None])
def test_ones_own_rating_is_always_shown(state, role):
    assert may_show(BEN, BEN, {role} - {None}, state)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("reader", [CLEO, None])
@pytest.mark.parametrize(
    ("state", "is_shown"),
    [
        (RoundState.OPEN, False),
        (RoundState.CLOSED, True),
        ("open", False),
        ("closed", True),
    ],
)
def test_anothers_rating_is_shown_once_the_round_is_closed(role, reader, state, is_shown):
    assert may_show(BEN, reader, {role}, state) is is_shown


@pytest.mark.parametrize("state", RoundState)
def test_somebody_without_a_role_in_the_study_never_sees_anothers_rating(state):
    assert not may_show(BEN, CLEO, set(), state)
    assert not may_show(BEN, None, set(), state)


def test_the_letters_of_an_item_stay_the_same_for_a_reader():
    orders = {blinded_order(ids, 7, 9, secret="x") for ids in permutations((ADA, BEN, CLEO))}
    assert len(orders) == 1
    assert sorted(orders.pop()) == [ADA, BEN, CLEO]


def test_a_letter_does_not_give_a_rater_away():
    by_item = {blinded_order((ADA, BEN, CLEO), item, 9, secret="x") for item in range(100)}
    by_reader = {blinded_order((ADA, BEN, CLEO), 7, reader, secret="x") for reader in range(100)}
    assert by_item == by_reader == set(permutations((ADA, BEN, CLEO)))


def test_who_knows_all_ids_cannot_work_the_letters_out():
    orders = {blinded_order((ADA, BEN, CLEO), 7, 9, secret=f"{n}") for n in range(100)}
    assert orders == set(permutations((ADA, BEN, CLEO)))
