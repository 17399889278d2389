"""Prediction-powered means and shares: the published formulas, and what they are worth on real ratings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS, NONE_IN_N_METHOD
from analytics.stats.ppi import powered_mean, powered_share

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


@pytest.mark.parametrize("noise", [0.7, 1e9])
def test_people_alone_have_the_interval_of_the_items_they_rated(noise):
    """Of 400 judged items they rated 30: the others, of which people say nothing, widen nothing."""
    judge, human, _ = rated(2, n=30, noise=noise)
    found = powered_mean(judge, human)
    given = human[np.isfinite(human)]
    expected = stats.t.interval(0.95, 29, given.mean(), stats.sem(given))
    assert (found.people.low, found.people.high) == pytest.approx(expected)
    if not found.weight:
        assert (found.powered.low, found.powered.high) == pytest.approx(expected)


def test_the_gain_is_about_one_over_one_less_r_squared():
    judge, human, _ = rated(3, n_all=20_000, n=400, noise=0.7)
    found = powered_mean(judge, human)
    n, rest, square = 400, 19_600, found.correlation**2
    expected = (n + rest) / (n + (1 - square) * rest)
    assert found.gain.value == pytest.approx(expected, rel=0.1)
    assert 1.5 < found.gain.low < expected < found.gain.high


def test_the_gain_is_the_ratio_of_the_variances_and_its_interval_that_of_a_ratio():
    judge, human, _ = rated(13)
    found = powered_mean(judge, human)
    labelled = np.isfinite(human)
    y, rest = human[labelled], judge[~labelled]
    of_rest = np.where(labelled, 0, found.weight * (judge - rest.mean()) / (rest.size - 1))
    gaps = y - found.weight * judge[labelled]
    both = of_rest.copy()
    both[labelled] = (gaps - gaps.mean()) / (y.size - 1)
    alone = np.zeros(judge.size)
    alone[labelled] = (y - y.mean()) / (y.size - 1)
    top, bottom = alone**2, both**2
    ratio = top.sum() / bottom.sum()
    assert found.gain.value == pytest.approx(ratio)
    without = (top.sum() - top) / (bottom.sum() - bottom)
    n = judge.size
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    reach = np.exp(stats.t.ppf(0.975, y.size - 1) * error / ratio)
    assert found.gain.high == pytest.approx(ratio * reach)
    assert found.gain.low == pytest.approx(ratio / reach)


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
    assert found.gain.value == pytest.approx(1, abs=0.02)
    against = powered_mean(-judge, human)
    assert (against.weight, against.gain) == (0, None)
    assert against.powered.value == against.people.value


def test_each_mean_says_how_many_items_it_is_of():
    rng = np.random.default_rng(4)
    f = rng.integers(1, 6, 200).astype(float)
    y = np.where(np.arange(200) < 80, np.clip(f + rng.integers(-1, 2, 200), 1, 5), np.nan)
    found = powered_mean(f, y, ends=(1, 5))
    n_items = [one.n_items for one in (found.people, found.judge, found.powered)]
    assert n_items == [80, 200, 200]


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
    assert (found.weight, found.gain) == (0, None)
    assert found.powered == replace(found.people, statistic="powered_mean")


@pytest.mark.parametrize(("n_dialogues", "listens"), [(1, False), (4, False), (5, True)])
def test_a_judge_is_not_listened_to_on_few_other_dialogues(n_dialogues, listens):
    judge, _, truth = rated(12)
    dialogues = np.arange(400) // 2
    human = np.where(dialogues < 200 - n_dialogues, truth, NAN)
    found = powered_mean(judge, human, clusters=dialogues)
    assert (found.weight > 0) == (found.gain is not None) == listens
    assert found.powered.low < found.powered.value < found.powered.high


def test_nothing_judged_is_nothing_known():
    found = powered_mean([NAN] * 40, [3.0] * 40)
    assert (found.powered.value, found.people.value, found.judge.value) == (None, None, None)
    assert (found.gain, found.correlation) == (None, None)


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
    assert 1 < found.gain.value < 1.32


def marked(rng, *, share=0.2, n_all=1000, n=100, an_dialogue=1, right=(0.8, 0.95)):
    """What people mark in the first `n` items, and what a judge does, who finds a share right[0]
    and passes right[1] of the rest; items of a dialogue are alike."""
    dialogues = np.repeat(np.arange(n_all // an_dialogue), an_dialogue)

    def alike():
        mine = rng.normal(0, np.sqrt(0.7), n_all)
        return mine + rng.normal(0, np.sqrt(0.3), dialogues.size)[dialogues]

    truth = alike() < stats.norm.ppf(share)
    luck = stats.norm.cdf(alike())
    judge = np.where(truth, luck < right[0], luck < 1 - right[1]).astype(float)
    return judge, np.where(np.arange(n_all) < n, truth, NAN), dialogues


def test_a_share_is_the_powered_mean_of_marks_with_limits_on_logits():
    judge, human, dialogues = marked(np.random.default_rng(1), an_dialogue=4)
    share = powered_share(judge, human, clusters=dialogues)
    mean = powered_mean(judge, human, clusters=dialogues)
    assert (share.weight, share.gain.value) == pytest.approx((mean.weight, mean.gain.value))
    for one, other in ((share.powered, mean.powered), (share.people, mean.people)):
        assert one.value == pytest.approx(other.value)
        reach = (other.high - other.value) / (one.value * (1 - one.value))
        assert one.high == pytest.approx(expit(logit(one.value) + reach))
        assert one.low == pytest.approx(expit(logit(one.value) - reach))
        assert one.method in METHODS
        assert "logit" in one.method
    assert share.people.value == pytest.approx(np.nanmean(human))
    assert share.judge.value == pytest.approx(judge.mean())


def test_a_share_may_be_split_between_the_people_who_rated_an_item():
    rng = np.random.default_rng(2)
    judge, human, _ = marked(rng)
    halves = np.where(rng.random(human.size) < 0.2, 0.5, human)
    found = powered_share(judge, np.where(np.isnan(human), NAN, halves))
    assert found.people.value == pytest.approx(np.nanmean(np.where(np.isnan(human), NAN, halves)))


def test_people_who_mark_nothing_leave_a_one_sided_exact_limit():
    judge, human, _ = marked(np.random.default_rng(3))
    found = powered_share(judge, np.where(np.isnan(human), NAN, 0.0))
    assert (found.weight, found.gain) == (0, None)
    for share in (found.powered, found.people):
        assert (share.value, share.low) == (0, 0)
        assert share.high == pytest.approx(1 - 0.05 ** (1 / 100))
        assert share.method == NONE_IN_N_METHOD
    everything = powered_share(judge, np.where(np.isnan(human), NAN, 1.0))
    assert (everything.people.value, everything.people.high) == (1, 1)
    assert everything.people.low == pytest.approx(0.05 ** (1 / 100))


def test_a_judge_who_would_take_a_share_below_zero_is_not_listened_to():
    human = np.r_[np.ones(2), np.zeros(48), np.full(450, NAN)]
    judge = np.r_[np.ones(40), np.zeros(460)]
    assert powered_mean(judge, human).powered.value < 0
    found = powered_share(judge, human)
    assert (found.weight, found.gain) == (0, None)
    assert found.powered.value == found.people.value == pytest.approx(0.04)
    assert 0 < found.powered.low < found.powered.high < 1


def test_one_rating_says_nothing_of_whether_to_listen_to_the_judge():
    judge, human, _ = rated(14, n=1)
    found = powered_mean(judge, human)
    assert (found.weight, found.gain, found.correlation) == (0, None, None)
    assert found.powered.value == found.people.value == np.nanmean(human)


def test_where_people_rated_one_dialogue_nobody_knows_what_the_judge_gains_them():
    judge, _, truth = rated(15, n_all=300)
    dialogues = np.arange(300) // 30
    found = powered_mean(judge, np.where(dialogues == 0, truth, NAN), clusters=dialogues)
    assert found.weight > 0
    assert found.gain is None
    assert found.powered.value is not None
    assert found.powered.low is None


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_under_thirty_rated_items_a_share_has_no_interval(value):
    found = powered_share(np.ones(300), np.r_[np.full(29, value), np.full(271, NAN)])
    for share in (found.powered, found.people):
        assert Note.TOO_FEW_LABELS in share.notes
        assert (share.low, share.high, share.method) == (None, None, None)
    assert (found.judge.value, found.judge.high) == (1, 1)


@pytest.mark.parametrize("an_dialogue", [1, 5])
@pytest.mark.parametrize("n", [50, 200])
def test_intervals_of_shares_hold_what_they_promise(an_dialogue, n):
    """Over many more draws, and for shares of 5 to 50 % and judges good and bad, 93 to 97 %."""
    rng = np.random.default_rng(20190520)
    kept, narrower = [], []
    for _ in range(300):
        judge, human, dialogues = marked(rng, n=n, an_dialogue=an_dialogue)
        found = powered_share(judge, human, clusters=dialogues if an_dialogue > 1 else None)
        kept.append(found.powered.low <= 0.2 <= found.powered.high)
        narrower.append(
            (found.people.high - found.people.low) / (found.powered.high - found.powered.low)
        )
    assert 0.915 <= np.mean(kept) <= 0.98
    assert np.median(narrower) > 1.15


@pytest.mark.parametrize("n_apart", [3, 4])
def test_a_mean_that_hangs_on_few_ratings_has_no_interval(n_apart):
    """With 9 of 10 at the top, 82 to 91 of 100 intervals held the truth."""
    human = np.r_[np.full(n_apart, 3.0), np.full(40 - n_apart, 5.0), np.full(200, NAN)]
    found = powered_mean(np.r_[np.full(60, 4.0), np.full(180, 5.0)], human).powered
    assert (found.note is Note.LABELS_ALIKE) == (n_apart < 4)
    assert (found.low is None) == (n_apart < 4)


def crowded(rng, *, top, n=30):
    """Ratings from 1 to 5, of which a share is the highest, and a judge that is right or guesses."""
    shares = np.append((1 - top) * np.array([0.1, 0.15, 0.25, 0.5]), top)
    meant, guessed = (rng.choice(np.arange(1.0, 6), 300, p=shares) for _ in range(2))
    judge = np.where(rng.random(300) < 0.6, meant, guessed)
    return judge, np.where(np.arange(300) < n, meant, NAN), float(shares @ np.arange(1, 6))


@pytest.mark.parametrize("top", [0.5, 0.8, 0.9])
def test_where_ratings_crowd_at_an_end_intervals_hold_the_mean_as_often_as_they_say(top):
    """On the plain scale: 0.93, 0.91 with all that are given here, 0.99 with those of 5 apart."""
    rng, held, given = np.random.default_rng(17), 0, 0
    for _ in range(400):
        judge, human, truth = crowded(rng, top=top)
        found = powered_mean(judge, human, ends=(1, 5)).powered
        if found.low is not None:
            given += 1
            held += found.low <= truth <= found.high
    assert given > 100
    assert 0.925 <= held / given <= 0.985


def test_between_the_ends_value_weight_and_gain_are_the_same():
    judge, human, _ = crowded(np.random.default_rng(18), top=0.5)
    plain, found = powered_mean(judge, human), powered_mean(judge, human, ends=(1, 5))
    assert found.weight == pytest.approx(plain.weight)
    for name in ("powered", "people", "judge", "gain"):
        assert getattr(found, name).value == pytest.approx(getattr(plain, name).value)
    assert found.powered.method in METHODS
    assert 1 < found.powered.low < plain.powered.low
    assert found.powered.high < 5


def test_a_judge_who_would_take_the_mean_beyond_an_end_is_not_listened_to():
    human = np.r_[np.full(26, 5.0), np.full(4, 4.0), np.full(270, NAN)]
    judge = np.r_[np.full(26, 2.0), np.full(4, 1.0), np.full(270, 5.0)]
    assert powered_mean(judge, human).powered.value > 5
    found = powered_mean(judge, human, ends=(1, 5))
    assert (found.weight, found.powered.value) == (0, pytest.approx(np.nanmean(human)))
