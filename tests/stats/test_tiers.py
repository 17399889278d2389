"""The published tiers: what they say, and how often chance alone says otherwise."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.stats import icc
from analytics.stats.systems import system_level
from analytics.stats.tiers import MENTALBENCH, Tier, tiering

OWN_SOURCE = {"claude": "claude", "gpt_4o": "gpt4o"}


def means(seed=1, n=9, noise=0.3):
    rng = np.random.default_rng(seed)
    people = rng.normal(3.5, 0.5, n)
    return np.stack([people, people + 0.4 + rng.normal(0, noise, n)], axis=1)


@pytest.mark.parametrize(
    ("width", "tier"),
    [(0.2, "GR"), (0.355, "GR"), (0.356, "MR"), (0.56, "MR"), (0.561, "PR"), (1.4, "PR")],
)
def test_the_width_alone_decides(width, tier):
    assert MENTALBENCH.tier(width) == tier


def test_it_is_a_percentile_bootstrap_over_systems():
    table = means()
    found = tiering(table, n_seeds=3)
    rng = np.random.default_rng(5)
    drawn = [table[rng.integers(0, 9, 9)] for _ in range(4000)]
    values = np.array([icc.consistency(icc.mean_squares(one)) for one in drawn])
    low, high = np.percentile(values[(values >= 0) & (values <= 1)], [2.5, 97.5])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.05)
    assert found.icc_c1 == pytest.approx(float(icc.consistency(icc.mean_squares(table))))
    assert found.tier is MENTALBENCH.tier(found.high - found.low)


def test_other_seeds_are_counted():
    found = tiering(means(2), n_seeds=10)
    assert sum(found.shares.values()) == pytest.approx(1)
    assert found.flips == pytest.approx(1 - found.shares[found.tier])
    assert found.narrowest < found.widest
    assert found == tiering(means(2), n_seeds=10)
    assert found.low != tiering(means(2), policy=replace(MENTALBENCH, seed=7), n_seeds=10).low


def test_another_seed_gives_what_the_policy_would_give_with_it():
    found = tiering(means(2), n_seeds=1)
    other = tiering(means(2), policy=replace(MENTALBENCH, seed=43), n_seeds=1)
    assert found.narrowest == found.widest == pytest.approx(other.high - other.low)
    assert found.flips == (found.tier is not other.tier)
    assert found.n_systems == 9


def test_leaving_out_what_is_no_share_lifts_the_lower_limit():
    table = means(6, noise=1.5)
    cut = tiering(table, n_seeds=2)
    whole = tiering(table, policy=replace(MENTALBENCH, keeps_only_shares=False), n_seeds=2)
    assert cut.left_out > 0.1
    assert whole.left_out < 0.01
    assert whole.low < 0 < cut.low


def test_systems_that_are_rated_alike_leave_nothing_out():
    alike = np.stack([np.arange(9.0)] * 2, axis=1)
    found = tiering(alike, n_seeds=1)
    assert (found.low, found.high, found.left_out, found.tier) == (1, 1, 0, Tier.GOOD)


@pytest.mark.parametrize("table", [np.ones((2, 2)), np.full((9, 2), 4.2)])
def test_without_systems_to_tell_apart_there_is_no_tier(table):
    assert tiering(table, n_seeds=2) is None


def test_more_than_half_of_the_published_cells_change_tier_with_the_seed(mentalalign, goldens):
    flipped = same = 0
    for row in goldens["raw"]:
        own = OWN_SOURCE[row["judge"]]
        human, judged, _, sources = mentalalign.pair(row["judge"], row["attribute"], without=[own])
        found = tiering(system_level(human, judged, sources).means)
        assert found.icc_c1 == pytest.approx(row["sys_C1"], abs=5e-5)
        assert found.left_out == pytest.approx(row["boot_drop_C"], abs=5e-3)
        assert found.shares[Tier(row["published_tier"])] > 0
        same += found.tier == row["published_tier"]
        flipped += found.flips > 0
    assert flipped >= 7
    assert same >= 11
