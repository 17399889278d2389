"""Somebody who joins in the middle takes over as much as every other still owes."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotation.rules.joining import Owing, even_shares


def owed(*raters: int) -> dict[int, Owing]:
    """One open assignment a rater named, each of another item."""
    return {number: Owing(item=number, rater=rater) for number, rater in enumerate(raters)}


def test_all_owe_as_much_afterwards():
    work = owed(*[1] * 6, *[2] * 3)
    shares = even_shares(work, [7], taken=())
    left = Counter(one.rater for pk, one in work.items() if pk not in shares)
    assert (left[1], left[2], len(shares)) == (3, 3, 3)


def test_nobody_gets_an_item_that_they_rate_or_would_rather_not():
    assert even_shares(owed(1, 1), [7], taken={(0, 7), (1, 7)}) == {}
    assert even_shares(owed(1, 1), [7], taken={(0, 7)}) == {1: 7}


def test_what_somebody_owes_already_is_a_part_of_their_share():
    work = owed(*[1] * 6, 7)
    shares = even_shares(work, [7], taken={(6, 7)})
    left = Counter(shares.get(pk, one.rater) for pk, one in work.items())
    assert left == {1: 4, 7: 3}
    assert 6 not in shares


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), unique=True, max_size=20),
    st.integers(1, 3),
)
def test_however_many_join_nobody_gets_an_item_twice(work, n_newcomers):
    known = {number: Owing(*one) for number, one in enumerate(work)}
    shares = even_shares(known, range(10, 10 + n_newcomers), taken=set(work))
    pairs = [(known[pk].item, rater) for pk, rater in shares.items()]
    assert len(pairs) == len(set(pairs))
    left = Counter(one.rater for pk, one in known.items() if pk not in shares)
    taken = Counter(shares.values())
    assert (
        max(taken.values(), default=0) <= max([*left.values(), *[1] * bool(taken)], default=0) + 1
    )
