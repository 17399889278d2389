"""An adjudicator sees letters that give nobody away."""

from itertools import permutations

from annotation.rules.blinding import blinded_order

ADA, BEN, CLEO = 1, 2, 3


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
