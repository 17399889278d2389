"""What several judges come to together, on plain arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.stats.juries import LEAST, Reliability, findings, reliability, weighed

pytestmark = pytest.mark.pure

POINTS = (1.0, 2.0, 3.0, 4.0, 5.0)
NAN = np.nan
answers = st.sampled_from((*POINTS, NAN))
rows = st.integers(1, 6).flatmap(
    lambda m: st.lists(st.lists(answers, min_size=m, max_size=m), min_size=1, max_size=12)
)


def come_to(values, *, weights=None, quorum=1, by_median=False, is_asked=None):
    values = np.array(values, dtype=np.float64)
    return findings(
        values,
        np.ones(values.shape, dtype=bool) if is_asked is None else np.array(is_asked),
        points=POINTS,
        weights=np.ones(values.shape[1]) if weights is None else np.array(weights),
        quorum=quorum,
        by_median=by_median,
    )


@pytest.mark.parametrize(
    ("given_values", "by_median", "value", "tied"),
    [
        ((1, 1, 5), False, 1, False),
        ((1, 2, 5), False, NAN, True),
        ((1, 1, 5, 5), False, NAN, True),
        ((1, 2, 5), True, 2, False),
        ((2, 2, 5, 5), True, NAN, True),
        ((2, 3), True, NAN, True),
        ((2, 3, 3, 5), True, 3, False),
        ((2, NAN, 2), True, 2, False),
    ],
)
def test_most_votes_or_the_middle_and_what_is_between_two_is_tied(
    given_values, by_median, value, tied
):
    found = come_to([given_values], by_median=by_median)
    np.testing.assert_array_equal(found.values, [value])
    assert found.is_tied.tolist() == [tied]


def test_who_cannot_be_read_does_not_count_and_a_quorum_is_asked():
    found = come_to([[1, NAN, NAN], [1, 1, NAN], [NAN, NAN, NAN]], quorum=2)
    np.testing.assert_array_equal(found.values, [NAN, 1, NAN])
    assert found.n_read.tolist() == [1, 2, 0]
    assert found.is_short.tolist() == [True, False, True]
    assert not found.is_tied.any()


def test_what_nobody_was_asked_about_has_no_answer_and_no_reason():
    found = come_to([[NAN, NAN]], is_asked=[[False, False]], quorum=2)
    assert not (found.is_short | found.is_tied).any()


@given(rows, st.booleans())
def test_a_jury_of_one_is_that_judge(values, by_median):
    alone = np.array(values)[:, :1]
    found = come_to(alone, by_median=by_median)
    np.testing.assert_array_equal(found.values, alone[:, 0])


@given(st.lists(st.sampled_from(POINTS), min_size=1), st.integers(1, 7), st.booleans())
def test_where_all_say_the_same_so_does_the_jury(labels, m, by_median):
    weights = np.linspace(0.1, 2, m)
    found = come_to(np.tile(np.array(labels)[:, None], m), weights=weights, by_median=by_median)
    np.testing.assert_array_equal(found.values, labels)


@given(rows, st.booleans(), st.randoms(use_true_random=False), st.integers(1, 3))
def test_sorting_the_members_otherwise_changes_nothing(values, by_median, draw, quorum):
    values = np.array(values)
    weights = np.array([draw.choice([0.0, 0.1, 0.3, 0.7, 1.0]) for _ in values[0]])
    order = list(range(values.shape[1]))
    draw.shuffle(order)
    one = come_to(values, weights=weights, by_median=by_median, quorum=quorum)
    other = come_to(values[:, order], weights=weights[order], by_median=by_median, quorum=quorum)
    np.testing.assert_array_equal(one.values, other.values)
    assert one.is_tied.tolist() == other.is_tied.tolist()
    assert one.is_short.tolist() == other.is_short.tolist()


@given(rows, st.booleans(), st.integers(1, 6))
def test_every_item_has_a_value_or_one_reason(values, by_median, quorum):
    found = come_to(values, by_median=by_median, quorum=quorum)
    has_value = np.isfinite(found.values)
    assert (has_value.astype(int) + found.is_tied + found.is_short == 1).all()


@given(rows)
def test_the_median_with_equal_votes_is_that_of_numpy_or_between_two_levels(values):
    found = come_to(values, by_median=True)
    for row, value, tied in zip(values, found.values, found.is_tied, strict=True):
        read = sorted(one for one in row if np.isfinite(one))
        if not read:
            continue
        low, high = read[(len(read) - 1) // 2], read[len(read) // 2]
        assert tied == (low != high)
        assert tied or value == low


def test_reliable_members_outvote_more_that_are_not():
    found = come_to([[1, 5, 5]], weights=[3.0, 1.0, 1.0])
    assert found.values.tolist() == [1]
    assert come_to([[1, 5, 5]], weights=[2.0, 1.0, 1.0]).is_tied.tolist() == [True]


def test_a_weight_is_the_log_odds_of_being_right():
    """With competence 0.9, 0.8 and 0.6 the log-odds rule never lets the third decide: it follows the
    first wherever the other two are against it by less than its weight (Nitzan and Paroush 1982)."""
    n = 1000
    truth = np.array([0.0, 1.0] * (n // 2))
    weights = [
        reliability(
            np.where(np.arange(n) < share * n, truth, 1 - truth),
            truth,
            points=(0.0, 1.0),
            on_scale=False,
        ).weight
        for share in (0.9, 0.8, 0.6)
    ]
    np.testing.assert_allclose(weights, np.log([9, 4, 1.5]), rtol=0.02)
    assert weights[0] > weights[1] + weights[2] - 1e-9


def test_who_is_no_better_than_chance_has_no_vote_and_nobody_an_infinite_one():
    truth = np.array([1.0, 2.0, 3.0, 4.0, 5.0] * 8)
    always_right = reliability(truth, truth, points=POINTS, on_scale=False)
    never = reliability(6 - truth, truth, points=POINTS, on_scale=True)
    assert np.isfinite(always_right.weight)
    assert always_right.weight > 3
    assert never.weight == 0


@pytest.mark.parametrize("on_scale", [True, False])
def test_a_rare_label_counts_as_much_so_that_a_straw_man_has_no_vote(on_scale):
    truth = np.array([1.0] * 95 + [5.0] * 5)
    constant = reliability(np.ones(100), truth, points=POINTS, on_scale=on_scale)
    assert constant.right == pytest.approx(0.5)
    assert constant.weight == 0
    assert reliability(np.ones(9), np.ones(9), points=POINTS, on_scale=on_scale).right is None


@pytest.mark.parametrize("k", [2, 3, 5])
def test_who_says_one_of_several_labels_to_all_has_no_vote(k):
    truth = np.repeat(POINTS[:k], 8).astype(float)
    constant = reliability(np.ones(truth.size), truth, points=POINTS, on_scale=False)
    assert constant.right == pytest.approx(1 / k)
    assert constant.weight == 0


def test_on_a_scale_being_near_counts():
    truth = np.array([1.0, 2.0, 3.0] * 20)
    near = reliability(truth + 1, truth, points=POINTS, on_scale=True)
    far = reliability(truth + 2, truth, points=POINTS, on_scale=True)
    assert near.right == pytest.approx((0.5 + 0.75) / 2)
    assert near.weight > far.weight


def test_with_too_few_items_all_votes_weigh_the_same():
    many = Reliability(weight=2.0, right=0.9, n_items=LEAST)
    few = Reliability(weight=3.0, right=1.0, n_items=LEAST - 1)
    assert weighed((many, many)) == (many, many)
    assert [one.weight for one in weighed((many, few))] == [1, 1]
