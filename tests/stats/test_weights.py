"""Items drawn with unequal chances: weighted figures are those of all items, unweighted are not.

The population has 6,000 replies of 1,500 dialogues; 4 % are unsafe. The judge finds half of the
unsafe ones. What it flags goes to people, and one of eight of the others.
"""

import numpy as np
import pytest

from analytics.stats.agreement import two_raters
from analytics.stats.ceiling import ceiling
from analytics.stats.estimates import Note
from analytics.stats.intervals import NONE_IN_N_METHOD
from analytics.stats.looks import widened
from analytics.stats.none_in_n import highest_rate_with_none
from analytics.stats.runs import mean_agreement
from analytics.stats.screening import FlagsOfPeople, flags_of_others, people_measured, screening

REPLICATES = 200
N, PER_DIALOGUE = 6_000, 4
AUDIT = 0.125
SENSITIVITY, SPECIFICITY, PREVALENCE = 0.5, 0.95, 0.04
EXACT = PREVALENCE * SENSITIVITY + (1 - PREVALENCE) * SPECIFICITY
FLAGGED = PREVALENCE * SENSITIVITY + (1 - PREVALENCE) * (1 - SPECIFICITY)
BY_CHANCE = PREVALENCE * FLAGGED + (1 - PREVALENCE) * (1 - FLAGGED)
TRUE = {
    "sensitivity": SENSITIVITY,
    "specificity": SPECIFICITY,
    "prevalence": PREVALENCE,
    "exact": EXACT,
    "kappa": (EXACT - BY_CHANCE) / (1 - BY_CHANCE),
}


def population(rng):
    """What is so, and what the judge flags, (n,) each; dialogues differ in how unsafe they are."""
    risk = np.repeat(rng.beta(0.4, 9.6, N // PER_DIALOGUE), PER_DIALOGUE)
    unsafe = rng.random(N) < risk
    flagged = rng.random(N) < np.where(unsafe, SENSITIVITY, 1 - SPECIFICITY)
    return unsafe.astype(float), flagged.astype(float)


def drawn(rng, flagged):
    """Which items people see, and with what chance each had to be."""
    chance = np.where(flagged == 1, 1.0, AUDIT)
    return rng.random(N) < chance, chance


def shares(unsafe, flagged, kept, weights=None):
    return screening(
        flagged[kept],
        unsafe[kept],
        positive={1.0},
        points=(0.0, 1.0),
        clusters=np.repeat(np.arange(N // PER_DIALOGUE), PER_DIALOGUE)[kept],
        weights=None if weights is None else weights[kept],
    )


@pytest.fixture(scope="module")
def covered():
    """{(figure, whether it is weighted): the share of replicates whose interval has the truth}."""
    hits = {(name, is_weighted): 0 for name in TRUE for is_weighted in (True, False)}
    rng = np.random.default_rng(20250611)
    owners = np.repeat(np.arange(N // PER_DIALOGUE), PER_DIALOGUE)
    flags = {"points": (0.0, 1.0), "measurement": "binary", "only": ("exact", "kappa")}
    for _ in range(REPLICATES):
        unsafe, flagged = population(rng)
        kept, chance = drawn(rng, flagged)
        for is_weighted in (True, False):
            weights = 1 / chance if is_weighted else None
            found = shares(unsafe, flagged, kept, weights) | two_raters(
                unsafe[kept],
                flagged[kept],
                clusters=owners[kept],
                weights=None if weights is None else weights[kept],
                **flags,
            )
            for name, true in TRUE.items():
                hits[name, is_weighted] += found[name].low <= true <= found[name].high
    return {key: n / REPLICATES for key, n in hits.items()}


@pytest.mark.parametrize("name", TRUE)
def test_the_interval_of_a_weighted_figure_has_the_truth(covered, name):
    assert 0.91 <= covered[name, True] <= 0.99


@pytest.mark.parametrize("name", ["sensitivity", "specificity", "prevalence", "exact"])
def test_that_of_an_unweighted_one_has_not(covered, name):
    assert covered[name, False] < 0.05


def test_a_table_by_hand():
    """Two items seen for sure, three with a chance of a quarter: 2 + 12 stand for 14."""
    unsafe = np.array([1, 0, 1, 0, 0.0])
    flagged = np.array([1, 1, 0, 0, 0.0])
    weights = np.array([1, 1, 4, 4, 4.0])
    found = screening(flagged, unsafe, positive={1.0}, points=(0.0, 1.0), weights=weights)
    assert found["sensitivity"].value == pytest.approx(1 / 5)
    assert found["specificity"].value == pytest.approx(8 / 9)
    assert found["prevalence"].value == pytest.approx(5 / 14)
    assert found["sensitivity"].n_items == 2
    both = two_raters(
        unsafe,
        flagged,
        points=(0.0, 1.0),
        measurement="binary",
        only=("exact", "kappa"),
        weights=weights,
    )
    by_chance = (5 / 14) * (2 / 14) + (9 / 14) * (12 / 14)
    assert both["exact"].value == pytest.approx(9 / 14)
    assert both["kappa"].value == pytest.approx((9 / 14 - by_chance) / (1 - by_chance))
    assert both["exact"].n_items == 5
    assert Note.WEIGHTED in both["exact"].notes


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
def test_equal_chances_change_nothing(clusters):
    rng = np.random.default_rng(5)
    x = rng.integers(1, 6, 60).astype(float)
    y = np.clip(x + rng.integers(-1, 2, 60), 1, 5)
    x[::7] = np.nan
    asked = {"clusters": clusters, "points": (1, 2, 3, 4, 5), "measurement": "ordinal"}
    plain = two_raters(x, y, **asked)
    weighted = two_raters(x, y, weights=np.full(60, 8.0), **asked)
    assert plain
    for name, estimate in plain.items():
        same = weighted[name]
        assert same.value == pytest.approx(estimate.value, abs=1e-12), name
        if estimate.method == NONE_IN_N_METHOD:  # counts items, which weights are not
            assert same.low is None
            continue
        assert (same.low, same.high) == pytest.approx((estimate.low, estimate.high), abs=1e-9)
        assert (same.n_items, same.n_clusters) == (estimate.n_items, estimate.n_clusters)


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
@pytest.mark.parametrize("n_runs", [1, 4])
def test_runs_of_a_judge_are_weighted_as_two_raters_are(clusters, n_runs):
    rng = np.random.default_rng(6)
    x = rng.integers(1, 6, 60).astype(float)
    runs = np.clip(x[:, None] + rng.integers(-1, 2, (60, n_runs)), 1, 5)
    weights = rng.choice([1.0, 8.0], 60)
    asked = {"clusters": clusters, "points": (1, 2, 3, 4, 5), "measurement": "ordinal"}
    each = [two_raters(x, run, weights=weights, **asked) for run in runs.T]
    found = mean_agreement(x, runs, weights=weights, **asked)
    assert found
    for name, estimate in found.items():
        mean = np.mean([one[name].value for one in each])
        assert estimate.value == pytest.approx(mean, abs=1e-12), name
        assert Note.WEIGHTED in estimate.notes
        if n_runs == 1:
            limits = each[0][name].low, each[0][name].high
            assert (estimate.low, estimate.high) == pytest.approx(limits, abs=1e-9)


def test_no_miss_among_items_of_unequal_weight_says_less():
    gold = np.ones(59)
    weights = np.where(np.arange(59) < 9, 8.0, 1.0)
    asked = {"positive": {1.0}, "points": (0.0, 1.0)}
    equal = screening(gold, gold, weights=np.ones(59), **asked)["sensitivity"]
    unequal = screening(gold, gold, weights=weights, **asked)["sensitivity"]
    assert equal.low == pytest.approx(1 - highest_rate_with_none(59))
    n_alike = weights.sum() ** 2 / (weights**2).sum()
    assert unequal.low == pytest.approx(1 - highest_rate_with_none(n_alike))
    assert unequal.low < equal.low
    wider = widened(unequal, 2)
    assert wider.low == pytest.approx(1 - highest_rate_with_none(n_alike, chance=0.025))


@pytest.mark.parametrize(
    ("measurement", "name"), [("ordinal", "mae"), ("ordinal", "pearson"), ("nominal", "kappa")]
)
def test_an_item_of_weight_three_is_three_items_under_the_ceiling_too(measurement, name):
    rng = np.random.default_rng(8)
    people = rng.integers(1, 6, 40)[:, None] + rng.integers(-1, 2, (40, 3))
    people = np.where(rng.random((40, 3)) < 0.1, np.nan, np.clip(people, 1, 5).astype(float))
    judge = rng.integers(1, 6, (40, 2)).astype(float)
    each = np.where(np.arange(40) < 15, 3, 1)
    asked = {"points": (1, 2, 3, 4, 5), "measurement": measurement, "only": (name,)}
    weighted = ceiling(judge, people, weights=each, **asked)[name]
    thrice = ceiling(np.repeat(judge, each, axis=0), np.repeat(people, each, axis=0), **asked)[name]
    plain = ceiling(judge, people, **asked)[name]
    for side in ("people", "judge", "difference"):
        found = getattr(weighted, side)
        assert found.value == pytest.approx(getattr(thrice, side).value, abs=1e-12)
        assert found.value != pytest.approx(getattr(plain, side).value, abs=1e-3)
        assert found.n_items == getattr(plain, side).n_items
        assert Note.WEIGHTED in found.notes


def test_and_so_it_is_of_what_people_find():
    rng = np.random.default_rng(9)
    people = (rng.random((60, 3)) < 0.4).astype(float)
    judge = (rng.random((60, 2)) < 0.5).astype(float)
    each = np.where(np.arange(60) < 20, 3, 1)
    weighted = people_measured(
        judge, FlagsOfPeople.of(people, flags_of_others(people)), weights=each
    )
    three, several = np.repeat(judge, each, axis=0), np.repeat(people, each, axis=0)
    thrice = people_measured(three, FlagsOfPeople.of(several, flags_of_others(several)))
    for side in ("people", "judge"):
        for name in ("sensitivity", "specificity"):
            found = getattr(weighted, side)[name]
            assert found.value == pytest.approx(getattr(thrice, side)[name].value, abs=1e-12)
            assert Note.WEIGHTED in found.notes
