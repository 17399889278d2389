"""Prediction-powered means: the published formulas, and what they are worth on real ratings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS
from analytics.stats.ppi import powered_mean

NAN = np.nan


def rated(seed=1, n_all=400, n=80, noise=0.7, bias=0.5):
    """A judge with a bias on all items, people on some drawn at random."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n_all)
    judge = truth + bias + rng.normal(0, noise, n_all)
    human = np.full(n_all, NAN)
    drawn = rng.choice(n_all, n, replace=False)
    human[drawn] = truth[drawn]
    return judge, human, truth


def told_plainly(judge, human):
    """Lambda, the mean and its variance as PPI++ has them."""
    labelled = np.isfinite(human)
    y, f, rest = human[labelled], judge[labelled], judge[~labelled]
    n, n_rest = y.size, rest.size
    covariance = ((y - y.mean()) * (f - f.mean())).mean()
    weight = np.clip(covariance / ((1 + n / n_rest) * judge.var(ddof=1)), 0, 1)
    mean = weight * rest.mean() + (y - weight * f).mean()
    variance = weight**2 * rest.var(ddof=1) / n_rest + (y - weight * f).var(ddof=1) / n
    return weight, mean, variance


@pytest.mark.parametrize("noise", [0.2, 1, 4])
def test_the_mean_is_the_published_one(noise):
    judge, human, _ = rated(noise=noise)
    weight, mean, variance = told_plainly(judge, human)
    found = powered_mean(judge, human)
    assert found.weight == pytest.approx(weight)
    assert found.powered.value == pytest.approx(mean)
    reach = stats.t.ppf(0.975, 79) * np.sqrt(variance)
    half = (found.powered.high - found.powered.low) / 2
    assert half == pytest.approx(reach, rel=0.01)
    assert found.powered.method in METHODS
    assert found.people.value == pytest.approx(np.nanmean(human))
    assert found.judge.value == pytest.approx(judge.mean())
    assert (found.powered.n_items, found.powered.n_pairs, found.judge.n_items) == (400, 80, 400)


def test_the_interval_is_the_jackknife_over_rated_and_unrated_items():
    judge, human, _ = rated(2)
    found = powered_mean(judge, human)
    labelled = np.isfinite(human)
    gaps = (human - found.weight * judge)[labelled]
    rest = judge[~labelled]
    variance = 399 / 400 * (gaps.var(ddof=1) / 79 + found.weight**2 * rest.var(ddof=1) / 319)
    reach = stats.t.ppf(0.975, 79) * np.sqrt(variance)
    assert found.powered.high - found.powered.value == pytest.approx(reach)


def test_the_gain_is_about_one_over_one_less_r_squared():
    judge, human, _ = rated(3, n_all=20_000, n=400, noise=0.7)
    found = powered_mean(judge, human)
    n, rest, square = 400, 19_600, found.correlation**2
    assert found.gain == pytest.approx((n + rest) / (n + (1 - square) * rest), rel=0.1)
    assert found.gain > 1.5


def test_the_judge_alone_is_wrong_with_a_narrow_interval():
    judge, human, truth = rated(4)
    found = powered_mean(judge, human)
    assert found.judge.low > truth.mean() + 0.3
    assert found.powered.low < truth.mean() < found.powered.high
    assert found.powered.high - found.powered.low < found.people.high - found.people.low


def test_a_judge_who_knows_nothing_is_hardly_listened_to():
    judge, human, _ = rated(5, n_all=4000, n=400)
    guessing = np.random.default_rng(55).normal(3, 1, 4000)
    found = powered_mean(guessing, human)
    assert found.weight < 0.1
    assert found.gain == pytest.approx(1, abs=0.02)
    against = powered_mean(-judge, human)
    assert against.weight == 0
    assert against.powered.value == against.people.value


def test_items_that_were_drawn_on_purpose_are_weighed_back():
    rng = np.random.default_rng(6)
    truth = rng.normal(3, 1, 5000)
    judge = truth + rng.normal(0.5, 0.7, 5000)
    probabilities = np.where(judge < 2.5, 0.4, 0.05)
    human = np.where(rng.random(5000) < probabilities, truth, NAN)
    naive = powered_mean(judge, human)
    found = powered_mean(judge, human, probabilities=probabilities)
    assert naive.people.high < truth.mean()
    assert found.people.low < truth.mean() < found.people.high
    assert found.powered.low < truth.mean() < found.powered.high
    assert found.gain > 1.2


def test_equal_probabilities_weigh_nothing():
    judge, human, _ = rated(7)
    found = powered_mean(judge, human, probabilities=np.full(400, 0.2))
    labelled = np.isfinite(human)
    slope = np.polyfit(judge[labelled], human[labelled], 1)[0]
    assert found.weight == pytest.approx(slope)
    expected = np.nanmean(human) + slope * (judge.mean() - judge[labelled].mean())
    assert found.powered.value == pytest.approx(expected)


def test_intervals_leave_out_whole_dialogues():
    rng = np.random.default_rng(8)
    dialogues = np.repeat(np.arange(100), 4)
    truth = rng.normal(3, 1, 100)[dialogues] + rng.normal(0, 0.3, 400)
    judge = truth + rng.normal(0, 0.5, 400)
    human = np.where(dialogues < 40, truth, NAN)
    alone = powered_mean(judge, human)
    found = powered_mean(judge, human, clusters=dialogues)
    assert found.powered.value == pytest.approx(alone.powered.value)
    assert (found.powered.n_clusters, found.judge.n_clusters) == (40, 100)
    width = [one.powered.high - one.powered.low for one in (found, alone)]
    assert width[0] > 1.5 * width[1]


@pytest.mark.parametrize(("n", "note"), [(29, Note.TOO_FEW_LABELS), (59, Note.FEW_LABELS)])
def test_few_ratings_of_people_are_said(n, note):
    judge, human, _ = rated(9, n=n)
    found = powered_mean(judge, human)
    assert note in found.powered.notes
    assert found.powered.value is not None
    assert (found.powered.low is None) == (found.gain is None) == (n < 30)


def test_where_people_rated_everything_the_judge_adds_nothing():
    judge, _, truth = rated(10)
    found = powered_mean(judge, truth)
    assert (found.weight, found.gain) == (0, pytest.approx(1))
    assert found.powered == replace(found.people, statistic="powered_mean")


def test_nothing_judged_is_nothing_known():
    found = powered_mean([NAN] * 40, [3.0] * 40)
    assert (found.powered.value, found.people.value, found.judge.value) == (None, None, None)
    assert (found.gain, found.correlation) == (None, None)


def test_an_item_that_could_not_be_drawn_is_refused():
    with pytest.raises(ValueError, match="probability above 0"):
        powered_mean([1.0, 2], [1.0, NAN], probabilities=[0, 1])


def test_the_picture_to_show_a_narrow_interval_around_the_wrong_mean(mentalalign):
    human, judge, _, sources = mentalalign.pair("gpt_4o", "Empathy", clean=True)
    kept = sources == "qwen_3"
    judge, human = judge[kept], human[kept]
    truth = np.nanmean(human)
    drawn = np.random.default_rng(1).choice(human.size, 100, replace=False)
    some = np.full(human.size, NAN)
    some[drawn] = human[drawn]
    found = powered_mean(judge, some)
    assert found.judge.value - truth == pytest.approx(1.0, abs=0.03)
    assert (found.judge.high - found.judge.low) / 2 == pytest.approx(0.04, abs=5e-3)
    assert found.powered.low < truth < found.powered.high
    assert 1 < found.gain < 1.32
