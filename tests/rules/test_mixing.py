"""What is hard to read comes among what is not."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rules.mixing import mixed

pytestmark = pytest.mark.pure


def test_heavy_ones_come_in_turn_with_light_ones():
    assert mixed([1, 2, 3, 4, 5, 6], {1, 2, 3}) == [4, 1, 5, 2, 6, 3]
    assert mixed([1, 2, 3, 4, 5, 6], {5, 6}) == [1, 2, 5, 3, 4, 6]
    assert mixed([3, 1, 2], set()) == [3, 1, 2]
    assert mixed([3, 1, 2], {1, 2, 3}) == [3, 1, 2]
    assert mixed([], {1}) == []


@given(st.lists(st.booleans(), max_size=60))
def test_nothing_is_lost_each_kind_keeps_its_order_and_two_meet_only_where_most_are_heavy(kinds):
    items = list(range(len(kinds)))
    heavy = {item for item, is_heavy in enumerate(kinds) if is_heavy}
    found = mixed(items, heavy)
    assert sorted(found) == items
    for kind in (True, False):
        of_kind = [item for item in found if (item in heavy) is kind]
        assert of_kind == sorted(of_kind)
    if 2 * len(heavy) <= len(items):
        assert not any({one, other} <= heavy for one, other in pairwise(found))
