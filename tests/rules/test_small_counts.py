"""Counts that tell what single items were given, and those that do not."""

import pytest

from annotation.rules.small_counts import LEAST_ITEMS, enough

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("counts", "may_be_told"),
    [
        ((), True),
        ((0,), True),
        ((1,), False),
        ((LEAST_ITEMS - 1,), False),
        ((LEAST_ITEMS,), True),
        ((LEAST_ITEMS, 0, 200), True),
        ((200, 3), False),
    ],
)
def test_one_small_count_keeps_all_that_is_made_of_it(counts, may_be_told):
    assert enough(*counts) is may_be_told
