"""The halo index: how often all criteria get one rating."""

import numpy as np
import pytest

from analytics.stats.estimates import Note
from analytics.stats.halo import halo_difference, halo_index

NAN = np.nan


def rated(seed=1, n=120):
    rng = np.random.default_rng(seed)
    level = rng.integers(1, 6, n)[:, None]
    one = level + (rng.random((n, 3)) < 0.3)
    other = level + (rng.random((n, 3)) < 0.1)
    return one.astype(float), other.astype(float), np.arange(n) // 4


def test_it_is_the_share_of_items_without_a_difference_between_criteria():
    one, _, dialogues = rated()
    one[:3, 1] = NAN
    found = halo_index(one, clusters=dialogues)
    assert found.value == pytest.approx((np.ptp(one[3:], axis=1) == 0).mean())
    assert (found.n_items, found.n_clusters, found.n_raters) == (117, 30, 1)
    assert found.low < found.value < found.high


def test_the_difference_leaves_out_the_same_dialogues_on_both_sides():
    one, other, dialogues = rated(2)
    one[0], other[1] = NAN, NAN
    found = halo_difference(one, other, clusters=dialogues)
    equal = [np.ptp(rater[2:], axis=1) == 0 for rater in (one, other)]
    assert found.value == pytest.approx(equal[1].mean() - equal[0].mean())
    assert found.low > 0
    assert found.n_items == 118


@pytest.mark.parametrize(
    ("ratings", "value", "note"),
    [
        (np.full((40, 3), NAN), None, Note.NO_OVERLAP),
        ([[1.0, 1.0]], 1, Note.ONE_ITEM),
    ],
)
def test_what_stands_in_the_way_is_said(ratings, value, note):
    found = halo_index(ratings)
    assert (found.value, found.note) == (value, note)


def test_where_all_criteria_are_always_alike_the_limit_is_exact():
    found = halo_index(np.full((40, 3), 5.0))
    assert (found.value, found.low, found.high) == (1, pytest.approx(0.05 ** (1 / 40)), 1)


def test_one_criterion_has_no_halo():
    with pytest.raises(ValueError, match="two criteria"):
        halo_index([[1.0], [2.0]])
    with pytest.raises(ValueError, match="same items"):
        halo_difference([[1.0, 2.0]], [[1.0, 2.0, 3.0]])


def test_released_judges_tell_criteria_apart_less_than_people_do(mentalalign):
    printed = {"human": 0.15, "claude": 0.28, "gpt_4o": 0.59}
    for rater, share in printed.items():
        found = halo_index(mentalalign.ratings[rater], clusters=mentalalign.dialogues)
        assert found.value == pytest.approx(share, abs=5e-3), rater
        assert found.n_clusters == 1000
    apart = halo_difference(
        mentalalign.ratings["human"],
        mentalalign.ratings["gpt_4o"],
        clusters=mentalalign.dialogues,
    )
    assert 0.42 < apart.low < apart.high < 0.46
