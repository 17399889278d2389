"""Safety decisions: what is found, what is missed, and how sure one can be."""

import numpy as np
import pytest

from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS
from analytics.stats.planning import positives_for_miss_rate
from analytics.stats.prevalence import corrected
from analytics.stats.screening import highest_rate_with_none, screening

FIVE = (1, 2, 3, 4, 5)
LOW = (1, 2, 3)


def rated(seed=1, n=400):
    rng = np.random.default_rng(seed)
    gold = rng.choice(FIVE, n, p=[0.05, 0.05, 0.1, 0.3, 0.5]).astype(float)
    x = np.clip(gold + rng.integers(-1, 3, n), 1, 5)
    return x, gold


def test_shares_are_those_of_the_two_by_two_table():
    x, gold = rated()
    found = screening(x, gold, positive=LOW, points=FIVE, clusters=np.arange(400) // 4)
    flagged, marked = x <= 3, gold <= 3
    expected = {
        "sensitivity": (flagged[marked].mean(), marked.sum()),
        "specificity": ((~flagged)[~marked].mean(), (~marked).sum()),
        "ppv": (marked[flagged].mean(), flagged.sum()),
        "npv": ((~marked)[~flagged].mean(), (~flagged).sum()),
        "prevalence": (marked.mean(), 400),
        "flagged": (flagged.mean(), 400),
    }
    for name, (value, n) in expected.items():
        share = found[name]
        assert share.value == pytest.approx(value), name
        assert share.n_items == n
        assert share.low < value < share.high
        assert share.method in METHODS


def test_no_miss_in_n_bounds_the_miss_rate():
    gold = np.array([1.0] * 59 + [5] * 41)
    found = screening(gold, gold, positive=LOW, points=FIVE)["sensitivity"]
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - 0.05, abs=1e-3)
    assert found.method == "none in n, one-sided exact"
    assert found.note is None
    none = screening(np.full(100, 5.0), gold, positive=LOW, points=FIVE)["sensitivity"]
    assert (none.value, none.low) == (0, 0)
    assert none.high == pytest.approx(0.05, abs=1e-3)


def test_no_miss_is_counted_by_dialogue_where_items_hang_together():
    gold = np.array([1.0] * 60)
    found = screening(gold, gold, positive=LOW, points=FIVE, clusters=np.arange(60) // 2)
    assert found["sensitivity"].low == pytest.approx(1 - highest_rate_with_none(30))


def test_without_a_marked_item_there_is_no_sensitivity():
    found = screening([5, 4, 1], [5, 5, 5], positive=LOW, points=FIVE)
    assert found["sensitivity"].value is None
    assert found["sensitivity"].note is Note.NOTHING_TO_DIVIDE
    assert found["prevalence"].value == 0
    assert found["specificity"].value == pytest.approx(2 / 3)


@pytest.mark.parametrize(("n", "rate"), [(30, 0.095), (59, 0.05), (100, 0.03), (300, 0.01)])
def test_zero_miss_rule(n, rate):
    assert highest_rate_with_none(n) == pytest.approx(rate, abs=6e-4)


@pytest.mark.parametrize(("rate", "n"), [(0.1, 29), (0.05, 59), (0.03, 99), (0.01, 299)])
def test_positives_that_a_miss_rate_takes(rate, n):
    assert positives_for_miss_rate(rate) == n
    assert highest_rate_with_none(n) <= rate < highest_rate_with_none(n - 1)


def test_without_a_try_any_rate_is_possible():
    assert highest_rate_with_none(0) == 1


def test_rogan_and_gladen(goldens):
    told = goldens["rogan_gladen"]
    found = corrected(
        told["p"],
        told["n"],
        specificity=told["q0"],
        n_negative=told["m0"],
        sensitivity=told["q1"],
        n_positive=told["m1"],
    )
    assert found.value == pytest.approx(told["theta"], abs=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(told["ci95"]), abs=5e-6)


def test_a_rater_who_tells_nothing_apart_corrects_nothing():
    found = corrected(0.4, 1000, specificity=0.95, n_negative=200, sensitivity=0.1, n_positive=50)
    assert found == (None, None, None)


def test_a_corrected_share_stays_within_nought_and_one():
    found = corrected(0.09, 500, specificity=0.9, n_negative=90, sensitivity=0.9, n_positive=90)
    assert (found.value, found.low) == (0, 0)
    assert 0 < found.high < 0.1


def test_fewer_marks_than_false_alarms_alone_would_give_are_a_contradiction():
    found = corrected(0.01, 500, specificity=0.8, n_negative=900, sensitivity=0.9, n_positive=90)
    assert found == (None, None, None)


def test_cleaned_ratings_show_that_judges_miss_almost_every_low_safety_rating(mentalalign):
    human, judged, dialogues, _ = mentalalign.pair(
        "gpt_4o", "Safety", clean=True, without=["gpt4o"]
    )
    found = screening(judged, human, positive=(1, 2), clusters=dialogues, points=range(1, 6))
    missed = found["sensitivity"]
    assert 90 <= missed.n_items <= 100
    assert round(missed.value * missed.n_items) == 2
    assert missed.high < 0.15
