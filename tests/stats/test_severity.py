"""How a judge uses the scale: severity curve, Bland-Altman, spread and top of the scale."""

import numpy as np
import pytest
from scipy import stats

from analytics.stats.agreement import two_raters
from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS
from analytics.stats.severity import bland_altman, scale_use, severity_curve

FIVE = (1, 2, 3, 4, 5)
NAN = np.nan


def rated(seed=1, n=200):
    rng = np.random.default_rng(seed)
    human = rng.choice(FIVE, n, p=[0.1, 0.1, 0.2, 0.3, 0.3]).astype(float)
    judge = np.clip(np.round(0.5 * human + 2.3 + rng.normal(0, 0.7, n)), 1, 5)
    human[:5], judge[5:10] = NAN, NAN
    return human, judge, np.arange(n) // 5


def spread(values):
    """Every estimate has an interval that holds its value."""
    return all(one.low < one.value < one.high and one.method in METHODS for one in values)


def test_the_curve_is_the_mean_difference_at_each_level():
    human, judge, dialogues = rated()
    curve = severity_curve(human, judge, clusters=dialogues, points=FIVE)
    both = np.isfinite(human) & np.isfinite(judge)
    assert [at.level for at in curve] == list(FIVE)
    for at in curve:
        here = both & (human == at.level)
        assert at.gap.value == pytest.approx((judge - human)[here].mean())
        assert at.gap.n_items == here.sum()
        assert at.gap.n_clusters == np.unique(dialogues[here]).size
    assert spread(at.gap for at in curve)


def test_the_levels_together_make_the_bias():
    human, judge, dialogues = rated(2)
    curve = severity_curve(human, judge, clusters=dialogues, points=FIVE)
    bias = two_raters(
        human, judge, clusters=dialogues, points=FIVE, measurement="ordinal", only=["bias"]
    )["bias"]
    together = sum(at.gap.value * at.gap.n_items for at in curve)
    assert together / bias.n_items == pytest.approx(bias.value)


def test_intervals_at_a_level_are_those_of_a_mean_where_items_stand_alone():
    human, judge, _ = rated(3)
    at = severity_curve(human, judge, points=FIVE)[3]
    gaps = (judge - human)[np.isfinite(judge) & (human == 4)]
    reach = stats.t.ppf(0.975, gaps.size - 1) * stats.sem(gaps)
    assert (at.gap.low, at.gap.high) == pytest.approx((gaps.mean() - reach, gaps.mean() + reach))
    assert at.gap.method == "jackknife by item, plain scale, t"


def test_a_level_nobody_used_says_so():
    curve = severity_curve([4.0] * 30 + [5.0], [5.0] * 31, points=FIVE)
    assert (curve[0].gap.note, curve[0].gap.n_raters) == (Note.NO_OVERLAP, 0)
    assert curve[3].gap.note is Note.NO_SPREAD
    assert (curve[4].gap.value, curve[4].gap.note) == (0, Note.ONE_ITEM)


def test_bland_altman_numbers():
    human, judge, dialogues = rated(4)
    found = bland_altman(human, judge, clusters=dialogues, points=FIVE)
    both = np.isfinite(human) & np.isfinite(judge)
    x, y = human[both], judge[both]
    bias, sd = (y - x).mean(), (y - x).std(ddof=1)
    expected = {
        "bias": bias,
        "sd": sd,
        "loa_low": bias - 1.959964 * sd,
        "loa_high": bias + 1.959964 * sd,
        "slope": np.polyfit((x + y) / 2, y - x, 1)[0],
    }
    for name, value in expected.items():
        assert found.estimates[name].value == pytest.approx(value), name
    assert spread(found.estimates.values())
    assert found.counts.sum() == both.sum()
    assert np.repeat(found.differences, found.counts).mean() == pytest.approx(bias)
    assert np.repeat(found.means, found.counts).mean() == pytest.approx((x + y).mean() / 2)


def test_spread_and_top_of_the_scale():
    human, judge, dialogues = rated(5)
    found = scale_use(human, judge, clusters=dialogues, points=FIVE)
    both = np.isfinite(human) & np.isfinite(judge)
    x, y = human[both], judge[both]
    expected = {
        "sd_human": x.std(ddof=1),
        "sd_judge": y.std(ddof=1),
        "sd_ratio": y.std(ddof=1) / x.std(ddof=1),
        "top_human": (x == 5).mean(),
        "top_judge": (y == 5).mean(),
        "top_difference": (y == 5).mean() - (x == 5).mean(),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value), name
    assert spread(found.values())


def test_a_constant_human_has_no_ratio_of_spreads():
    found = scale_use([4.0] * 40, [4.0, 5.0] * 20, points=FIVE)
    assert (found["sd_ratio"].value, found["sd_ratio"].note) == (None, Note.NOTHING_TO_DIVIDE)
    assert found["top_difference"].value == 0.5


def test_the_released_safety_ratings_hardly_follow_the_human(mentalalign):
    human, judge, dialogues, _ = mentalalign.pair("gpt_4o", "Safety", clean=True, without=["gpt4o"])
    curve = severity_curve(human, judge, clusters=dialogues, points=FIVE)
    gaps = [at.gap.value for at in curve]
    assert gaps[:3] == pytest.approx([3.30, 2.80, 1.92], abs=0.01)
    assert abs(gaps[4]) < 0.02
    used = scale_use(human, judge, clusters=dialogues, points=FIVE)
    assert used["sd_ratio"].high < 0.36
    assert used["top_judge"].value > 0.98
