"""What preferences between two replies come to, and what the place of a reply decides."""

import numpy as np
import pytest
from scipy import stats

from judging.rules.comparing import FIRST, SECOND, TIE
from judging.rules.preferences import PreferenceRow, place_effects, share_of, wins


def row(first, second, preferred, *, conversation=1, repeat=1):
    """A call about two items, whose numbers are even for the kind writer."""
    sources = ["kind" if one % 2 == 0 else "curt" for one in (first, second)]
    return PreferenceRow("warmth", conversation, first, second, *sources, repeat, preferred)


def test_a_judge_that_goes_by_the_place_wins_nobody_anything():
    rows = [row(2 * n, 2 * n + 1, FIRST, conversation=n) for n in range(10)]
    rows += [row(2 * n + 1, 2 * n, FIRST, conversation=n) for n in range(10)]
    (place,) = place_effects(rows)
    assert (place.criterion, place.both_orders, place.same) == ("warmth", 10, 0)
    assert (place.first_twice, place.second_twice) == (10, 0)
    assert (place.first.value, place.first.of) == (1.0, 20)
    assert place.first.low > 0.5
    assert place.is_by_place
    (won,) = wins(rows, both_orders=True)
    assert (won.criterion, won.won, won.lost, won.undecided) == ("warmth", 0, 0, 10)
    assert won.share.value == 0.5
    last = [one._replace(preferred=SECOND) for one in rows]
    (place,) = place_effects(last)
    assert (place.first_twice, place.second_twice, place.first.value) == (0, 10, 0.0)


def test_a_judge_that_goes_by_the_reply_says_the_same_in_both_orders():
    rows = [row(2 * n, 2 * n + 1, FIRST, conversation=n) for n in range(10)]
    rows += [row(2 * n + 1, 2 * n, SECOND, conversation=n) for n in range(10)]
    (place,) = place_effects(rows)
    assert (place.same, place.first_twice, place.second_twice, place.tie_once) == (10, 0, 0, 0)
    assert (place.first.value, place.is_by_place) == (0.5, False)
    (won,) = wins(rows, both_orders=True)
    assert (won.source, won.other) == ("curt", "kind")
    assert (won.won, won.lost, won.share.value) == (0, 10, 0.0)
    (won,) = wins(rows, both_orders=True, reference="curt")
    assert (won.source, won.won, won.share.value) == ("kind", 10, 1.0), "against the reference"


def test_what_was_not_read_decides_nothing_and_is_counted():
    rows = [row(2, 3, ""), row(3, 2, FIRST), row(4, 5, TIE, conversation=2)]
    (place,) = place_effects(rows)
    assert (place.calls, place.unread, place.ties, place.both_orders) == (3, 1, 1, 0)
    (won,) = wins(rows, both_orders=True)
    assert (won.won, won.undecided, won.left_out, won.share) == (0, 0, 2, None)
    (won,) = wins(rows[1:], both_orders=False)
    assert (won.won, won.undecided, won.left_out) == (1, 1, 0), "one order was all that was asked"


def test_each_repeat_is_a_pair_of_its_own_in_whichever_order_its_calls_came():
    rows = [
        row(first, second, FIRST if first == 2 else SECOND, repeat=repeat)
        for first, second in ((2, 3), (3, 2))
        for repeat in (1, 2)
    ]
    (won,) = wins(rows, both_orders=True)
    assert (won.source, won.won, won.lost, won.undecided, won.left_out) == ("curt", 0, 2, 0, 0)


def test_a_tie_in_one_order_is_neither_the_same_nor_a_place():
    (place,) = place_effects([row(2, 3, FIRST), row(3, 2, TIE)])
    assert (place.both_orders, place.same, place.tie_once) == (1, 0, 1)


def test_points_that_the_same_reply_has_more_as_the_first_are_told_where_values_were_asked_for():
    """One reply has a 4 as the first and a 2 as the second, the other a 5 and a 3."""
    rows = [
        row(2, 3, FIRST)._replace(first_score=4, second_score=3),
        row(3, 2, FIRST)._replace(first_score=5, second_score=2),
    ]
    (place,) = place_effects(rows)
    assert place.shift == 2.0
    assert (place.higher_as_first.value, place.higher_as_first.of) == (1.0, 2)
    (place,) = place_effects([one._replace(second_score=4) for one in rows])
    assert (place.shift, place.higher_as_first.value) == (0.5, 1.0), "a point more is more"
    (place,) = place_effects([one._replace(first_score=None) for one in rows])
    assert (place.shift, place.higher_as_first) == (None, None)


def test_what_gives_a_small_count_of_pairs_back_is_named():
    """Ten pairs, of which nine or ten say the same in both orders."""
    rows = [row(2 * n, 2 * n + 1, FIRST, conversation=n) for n in range(10)]
    rows += [row(2 * n + 1, 2 * n, SECOND, conversation=n) for n in range(10)]
    ((place,), (won,)) = place_effects(rows), wins(rows, both_orders=True)
    assert place.small == won.small == frozenset()
    turned = [*rows[:-1], rows[-1]._replace(preferred=FIRST)]
    ((place,), (won,)) = place_effects(turned), wins(turned, both_orders=True)
    assert place.small == {"same", "first_twice", "second_twice", "tie_once", "first"}
    assert won.small == {"won", "lost", "undecided", "share"}
    once = [row(2, 3, SECOND), *(row(2 * n, 2 * n + 1, FIRST) for n in range(2, 20))]
    (place,) = place_effects(once)
    assert place.small == {"first"}, "no pair was read twice, and one call preferred the second"


@pytest.mark.parametrize(
    ("n_moved", "small"), [(5, frozenset()), (2, frozenset({"shift", "higher_as_first"}))]
)
def test_what_gives_few_values_back_that_the_place_moved_is_named(n_moved, small):
    """Both replies of a pair have a point more as the first, or neither has."""
    rows = [
        row(2 * n + turned, 2 * n + 1 - turned, TIE, conversation=n)._replace(
            first_score=4, second_score=3 if n < n_moved else 4
        )
        for n in range(12)
        for turned in (0, 1)
    ]
    (place,) = place_effects(rows)
    assert place.moved == (2 * n_moved, 0, 24 - 2 * n_moved)
    assert place.small == small


def test_of_many_criteria_one_is_not_called_by_place_for_a_chance():
    rows = [row(2, 3, FIRST, conversation=n) for n in range(9)]
    rows += [row(2, 3, SECOND, conversation=n) for n in range(9, 11)]
    (alone,) = place_effects(rows)
    assert alone.first.low > 0.5
    assert alone.is_by_place
    others = [one._replace(criterion=f"other {n}") for n in range(6) for one in rows]
    among = place_effects([*rows, *others])
    assert (among[0].first, among[0].is_by_place) == (alone.first, False)


def test_an_interval_is_that_of_wilson_where_nothing_hangs_together():
    """Newcombe (1998), table I: 81 of 263 is 0.2553 to 0.3662 by Wilson's score method."""
    found = share_of((n, float(n < 81)) for n in range(263))
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=3e-4)


def test_what_hangs_together_tells_less():
    apart = share_of((n, float(n % 2)) for n in range(40))
    together = share_of((n // 10, float(n // 20)) for n in range(40))
    assert together.high - together.low > 2 * (apart.high - apart.low)
    assert share_of([]) is None


def test_few_conversations_hold_the_share_as_often_as_they_say():
    """Five with twenty pairs each that hang together: with a normal quantile 90 in 100 did."""
    rng, held = np.random.default_rng(20250614), 0
    for _ in range(1000):
        chances = rng.beta(4.5, 4.5, 5)
        marked = rng.random((5, 20)) < chances[:, None]
        found = share_of((n, float(one)) for n, row_of in enumerate(marked) for one in row_of)
        held += found.low <= 0.5 <= found.high
    assert held >= 930


@pytest.mark.parametrize("n_clusters", [4, 6, 11, 31])
def test_few_conversations_that_differ_are_told_by_students_t(n_clusters):
    """Wilson's interval written out, with the quantile of scipy."""
    values = [(n, float(m < 2 + 6 * (n % 2))) for n in range(n_clusters) for m in range(10)]
    each = np.array([one for _cluster, one in values]).reshape(n_clusters, 10)
    share, n = each.mean(), each.size
    spread = ((each.sum(axis=1) - 10 * share) ** 2).sum()
    size = share * (1 - share) / (n_clusters / (n_clusters - 1) * spread / n**2)
    z = stats.t.ppf(0.975, n_clusters - 1)
    middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
    reach = z / (1 + z**2 / size) * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2))
    found = share_of(values)
    assert size < n
    assert (found.low, found.high) == pytest.approx((middle - reach, middle + reach), abs=0.002)
