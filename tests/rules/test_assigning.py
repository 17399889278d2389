"""Who rates what in a round."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rules.assigning import ItemSeats, reason_not_to_spread, spread


@st.composite
def rounds(draw):
    raters = draw(st.lists(st.integers(1, 10**6), min_size=1, max_size=8, unique=True))
    items = draw(st.lists(st.integers(1, 10**6), max_size=60, unique=True))
    return items, raters, draw(st.integers(1, len(raters))), draw(st.integers())


@given(rounds())
def test_every_item_gets_its_slots_from_different_raters(one):
    items, raters, k, seed = one
    places = spread(items, raters, k, seed=seed)
    assert [(place.item, place.slot) for place in places] == [
        (item, slot) for item in items for slot in range(1, k + 1)
    ]
    assert len({(place.item, place.rater) for place in places}) == len(places)
    assert {place.rater for place in places} <= set(raters)


@given(rounds())
def test_loads_differ_by_one_item_at_most(one):
    items, raters, k, seed = one
    loads = Counter(place.rater for place in spread(items, raters, k, seed=seed))
    assert max(loads[rater] for rater in raters) - min(loads[rater] for rater in raters) <= 1


@given(rounds())
def test_the_same_seed_gives_the_same_places(one):
    items, raters, k, seed = one
    places = spread(items, raters, k, seed=seed)
    assert spread(items, raters[::-1], k, seed=seed) == places


def test_another_seed_gives_other_places():
    assert spread(range(20), [1, 2, 3, 4], 2, seed=1) != spread(range(20), [1, 2, 3, 4], 2, seed=2)


@pytest.mark.parametrize("panel", range(2, 13))
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_every_two_raters_come_to_overlap(panel, k, seed):
    k = min(k, panel)
    pairs = list(combinations(range(panel), 2))
    n_items = 3 * len(pairs) * 2 // (k * (k - 1)) + 3
    overlap = Counter()
    groups = {}
    for place in spread(range(n_items), range(panel), k, seed=seed):
        groups.setdefault(place.item, []).append(place.rater)
    for group in groups.values():
        overlap.update(combinations(sorted(group), 2))
    assert set(overlap) == set(pairs)


def test_one_rater_alone_takes_everything():
    assert spread([11, 12], [5], 1) == [ItemSeats(11, 1, 5), ItemSeats(12, 1, 5)]


REFUSALS = [
    ([1, 2], 0, "Every item needs at least one rater."),
    ([1, 2], -1, "Every item needs at least one rater."),
    ([1, 2], 3, "Raters an item: 3. The panel has only 2."),
    ([], 1, "Raters an item: 1. The panel has only 0."),
    ([1, 2, 2], 2, "A rater is named twice."),
    ([1, 2], 2, None),
]


@pytest.mark.parametrize(("raters", "k", "reason"), REFUSALS)
def test_a_panel_that_is_too_small_is_refused_in_a_sentence(raters, k, reason):
    assert reason_not_to_spread(raters, k) == reason
    if reason:
        with pytest.raises(ValueError, match=reason):
            spread([1], raters, k)
