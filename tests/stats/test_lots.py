"""What is drawn by lot: the audit slice, and one item of each dialogue."""

import numpy as np
import pytest

from analytics.stats.lots import audit_slice, one_each


def test_an_audit_slice_hangs_on_id_and_seed_alone():
    ids = np.arange(20_000)
    drawn = audit_slice(ids, share=0.05, seed=11)
    assert drawn.mean() == pytest.approx(0.05, abs=5e-3)
    assert (audit_slice(ids, share=0.05, seed=11) == drawn).all()
    assert (audit_slice(ids[::-1], share=0.05, seed=11)[::-1] == drawn).all()
    assert (audit_slice(ids[:500], share=0.05, seed=11) == drawn[:500]).all()
    assert audit_slice(ids, share=0.1, seed=11)[drawn].all()
    other = audit_slice(ids, share=0.05, seed=12)
    assert (other & drawn).mean() == pytest.approx(0.0025, abs=1e-3)


@pytest.mark.parametrize(("share", "expected"), [(0, False), (1, True)])
def test_none_and_all_may_be_audited(share, expected):
    assert (audit_slice([1, 2, 3], share=share, seed=0) == expected).all()


def test_the_draw_is_splitmix64():
    # The first numbers of the generator seeded with 1234567, as published with it.
    published = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    for item, number in enumerate(published):
        at = (number >> 11) / 2**53
        assert not audit_slice([item], share=at, seed=1234567)[0]
        assert audit_slice([item], share=at + 1e-9, seed=1234567)[0]


def test_a_share_that_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        audit_slice([1], share=1.5, seed=0)


def test_one_item_of_each_dialogue_is_drawn_and_stays_drawn():
    ids, owners = np.arange(1, 401), np.repeat(np.arange(100), 4)
    chosen = ids % 3 > 0
    drawn = one_each(ids, owners, chosen, seed=1)
    assert (np.bincount(owners[drawn], minlength=100) == 1).all()
    assert chosen[drawn].all()
    again = one_each(ids[::-1], owners[::-1], chosen[::-1], seed=1)
    assert (again[::-1] == drawn).all(), "the order of the items is of no matter"
    assert not (one_each(ids, owners, chosen, seed=2) == drawn).all()
    assert len(set((np.flatnonzero(drawn) % 4).tolist())) > 1, "not always the first"


def test_from_nothing_nothing_is_drawn():
    assert not one_each([1, 2], [1, 1], [False, False], seed=1).any()
