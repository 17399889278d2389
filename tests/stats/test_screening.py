"""Safety decisions: what is found, what is missed, and how sure one can be."""

import numpy as np
import pytest
from scipy import special

from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS
from analytics.stats.none_in_n import highest_rate_with_none, tries_of
from analytics.stats.planning import positives_for_miss_rate
from analytics.stats.prevalence import corrected, prevalence_elsewhere
from analytics.stats.screening import FlagsOfPeople, flags_of_others, people_measured, screening

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
    assert highest_rate_with_none(1) == pytest.approx(0.95)


def test_a_limit_tells_of_how_many_tries_it_is():
    assert tries_of(highest_rate_with_none(59)) == pytest.approx(59)
    assert tries_of(1.0) == 0


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


def flagged_in_dialogues(rng, size):
    """What a rater flags and what is marked in 400 items with a reference and 800 without, so
    many a dialogue: dialogues differ in how many of their items are marked, a fifth overall, and
    in how readily the rater flags them, at a sensitivity of 0.8 and a specificity of 0.9."""
    n = 1200 // size
    marked = rng.random((n, size)) < rng.beta(0.8, 3.2, (n, 1))
    readiness = rng.normal(0, 0.6, (n, 1)) + rng.normal(size=(n, size))
    said = readiness > np.sqrt(1.36) * special.ndtri(np.where(marked, 0.2, 0.9))
    meant = np.where(np.arange(n)[:, None] < n // 3, marked, np.nan)
    return said.ravel().astype(float), meant.ravel(), np.arange(1200) // size


@pytest.mark.parametrize(("size", "short_if_alone"), [(1, 0), (5, 4), (10, 10)])
def test_a_corrected_share_is_covered_however_many_items_a_dialogue_has(size, short_if_alone):
    rng, runs = np.random.default_rng(20261122), 500
    covered = np.zeros(2)
    for _ in range(runs):
        said, meant, dialogues = flagged_in_dialogues(rng, size)
        for place, clusters in enumerate((dialogues, None)):
            found = prevalence_elsewhere(said, meant, clusters=clusters)
            covered[place] += found.low <= 0.2 <= found.high
    by_dialogue, alone = 100 * covered / runs
    assert by_dialogue == pytest.approx(95, abs=2)
    assert alone <= by_dialogue - short_if_alone, "had each item been taken to stand alone"


def test_where_items_stand_alone_a_share_is_corrected_as_published():
    meant = np.repeat([1.0, 0.0, np.nan], [50, 90, 200])
    said = np.concatenate([np.arange(50) < 40, np.arange(90) < 9, np.arange(200) < 50])
    found = prevalence_elsewhere(said, meant)
    assert (found.n_items, found.flagged, found.design_effect) == (200, 50, None)
    assert found.youden == pytest.approx(0.7)
    published = corrected(0.25, 200, specificity=0.9, n_negative=90, sensitivity=0.8, n_positive=50)
    assert (found.value, found.low, found.high) == published
    four_times = [np.repeat(one, 4) for one in (said.astype(float), meant)]
    alike = prevalence_elsewhere(*four_times, clusters=np.arange(340 * 4) // 4)
    assert alike.design_effect == pytest.approx(4, rel=0.01), "copies tell nothing new"
    assert (alike.low, alike.high) == pytest.approx(published[1:], abs=0.001)


def test_without_enough_dialogues_a_share_is_not_corrected():
    meant = np.repeat([1.0, 0.0, np.nan], [8, 90, 200])
    said = np.concatenate([np.ones(8), np.zeros(90), np.arange(200) < 50])
    dialogues = np.arange(298) // 2
    found = prevalence_elsewhere(said, meant, clusters=dialogues)
    assert (found.value, found.note) == (None, Note.TOO_FEW_CLUSTERS)
    assert prevalence_elsewhere(said, meant).value == pytest.approx(0.25)
    assert prevalence_elsewhere(said[:98], meant[:98]) is None, "all have a reference"


def test_without_a_rater_who_tells_items_apart_a_share_is_not_corrected():
    meant = np.repeat([1.0, 0.0, np.nan], [60, 90, 200])
    none_marked = np.where(meant == 1, np.nan, meant)
    at_random = (np.arange(350) % 4 == 0).astype(float)
    for marks, refused in ((none_marked, False), (meant, True)):
        found = prevalence_elsewhere(at_random, marks)
        assert (found.value, found.low, found.note) == (None, None, None)
        assert found.is_refused is refused
        assert (found.youden is None) is not refused


def test_limits_of_a_corrected_share_hold_it_also_where_few_marks_tell_nothing():
    """Pseudo-counts on five items take more of J than there is: the limits stood the other way round."""
    found = corrected(0.2, 22, specificity=1, n_negative=5, sensitivity=8 / 74, n_positive=74)
    assert found == (1, 0, 1)


def test_a_share_whose_correction_hangs_on_one_dialogue_is_not_corrected():
    """All that the rater finds is in one dialogue; without it, flags say nothing of marks."""
    meant = np.repeat([1.0, 0.0, np.nan], [40, 40, 40])
    said = np.concatenate([np.arange(40) < 20, np.zeros(40), np.arange(40) % 5 == 0]).astype(float)
    dialogues = np.concatenate([np.maximum(np.arange(40) - 19, 0), np.arange(30, 110) // 2])
    found = prevalence_elsewhere(said, meant, clusters=dialogues)
    assert (found.value, found.note) == (None, Note.HANGS_ON_ONE)
    assert prevalence_elsewhere(said, meant).value == pytest.approx(0.4)


def test_where_items_do_not_vary_each_dialogue_counts_for_one():
    """A rater who is always right and flags nothing elsewhere, of five items a dialogue."""
    meant = np.repeat([1.0, 0.0, np.nan], [50, 50, 100])
    said = np.nan_to_num(meant)
    found = prevalence_elsewhere(said, meant, clusters=np.arange(200) // 5)
    by_dialogue = corrected(0, 20, specificity=1, n_negative=10, sensitivity=1, n_positive=10)
    assert (found.value, found.low, found.high) == pytest.approx(tuple(by_dialogue))
    assert found.design_effect == 5


def test_cleaned_ratings_show_that_judges_miss_almost_every_low_safety_rating(mentalalign):
    human, judged, dialogues, _ = mentalalign.pair(
        "gpt_4o", "Safety", clean=True, without=["gpt4o"]
    )
    found = screening(judged, human, positive=(1, 2), clusters=dialogues, points=range(1, 6))
    missed = found["sensitivity"]
    assert 90 <= missed.n_items <= 100
    assert round(missed.value * missed.n_items) == 2
    assert missed.high < 0.15


def flags_by_three():
    """Two people who find what the third marks nearly always, and one who flags at random."""
    rng = np.random.default_rng(5)
    truth = (rng.random(300) < 0.2).astype(float)
    careful = [np.where(rng.random(300) < 0.05, 1 - truth, truth) for _ in range(2)]
    return np.stack([*careful, (rng.random(300) < 0.2).astype(float)], axis=1)


def test_each_person_is_measured_by_the_others():
    people = np.array([[1, 0, 0], [1, 1, 0], [1, np.nan, np.nan], [0, 0, 1.0]])
    half, any_of_them = flags_of_others(people), flags_of_others(people, by_any=True)
    nan = np.nan
    expected = [[0, 1, 1], [1, 1, 1], [nan, 1, 1], [1, 1, 0]]
    np.testing.assert_array_equal(half, expected)
    np.testing.assert_array_equal(any_of_them, [[0, 1, 1], [1, 1, 1], [nan, 1, 1], [1, 1, 0]])


def test_a_third_of_the_others_is_not_half_of_them_but_is_any():
    people = np.array([[0, 1, 0, 0], [0, 1, 1, 0.0]])
    np.testing.assert_array_equal(flags_of_others(people), [[0, 0, 0, 0], [1, 0, 0, 1]])
    by_any = flags_of_others(people, by_any=True)
    np.testing.assert_array_equal(by_any, [[1, 0, 1, 1], [1, 1, 1, 1]])


def test_people_and_judge_are_measured_on_the_same_items_by_the_same_flags():
    people = flags_by_three()
    judge = people[:, 0].copy()
    judge[:30] = np.nan
    found = people_measured(
        judge, FlagsOfPeople.of(people, flags_of_others(people)), clusters=np.arange(300) // 3
    )
    others = flags_of_others(people)[30:]
    marked = others == 1
    assert found.people["sensitivity"].value == pytest.approx((people[30:][marked] == 1).mean())
    assert found.judge["sensitivity"].value == pytest.approx(
        np.broadcast_to(judge[30:, None], others.shape)[marked].mean()
    )
    alike, dialogues = people[30:] == 0, np.arange(30, 300) // 3
    assert found.people["specificity"].value == pytest.approx(alike[others == 0].mean())
    for shares in (found.people, found.judge):
        assert {name: share.statistic for name, share in shares.items()} == {
            "sensitivity": "sensitivity",
            "specificity": "specificity",
        }
        assert shares["specificity"].n_clusters == np.unique(dialogues[(others == 0).any(1)]).size
        assert shares["sensitivity"].n_raters == 2
        assert shares["sensitivity"].n_pairs == marked.sum()
        assert shares["sensitivity"].n_items == marked.any(axis=1).sum()
        assert shares["sensitivity"].low < shares["sensitivity"].value < shares["sensitivity"].high


def test_a_judge_that_is_one_of_the_people_is_as_good_as_they_are():
    people = np.repeat(flags_by_three()[:, :1], 3, axis=1)
    found = people_measured(people[:, 0], FlagsOfPeople.of(people, flags_of_others(people)))
    assert found.people["sensitivity"].value == found.judge["sensitivity"].value == 1


def test_nobody_is_beside_one_person_alone():
    people = flags_by_three()[:, :1]
    found = people_measured(people[:, 0], FlagsOfPeople.of(people, flags_of_others(people)))
    assert found.people["sensitivity"].value is None
    assert found.people["sensitivity"].n_items == 0
    assert found.people["sensitivity"].n_raters == 0
