"""System level: agreement of means, with limits that speak about systems."""

import numpy as np
import pytest
from scipy import stats

from analytics.stats.estimates import Note
from analytics.stats.systems import system_level


def rated_systems(seed=1, n_systems=8, size=30):
    rng = np.random.default_rng(seed)
    systems = np.repeat([f"s{number}" for number in range(n_systems)], size)
    level = np.repeat(rng.normal(3, 0.6, n_systems), size)
    x, y = (np.clip(np.round(level + rng.normal(0, 0.9, level.size)), 1, 5) for _ in range(2))
    return x, y + (y < 5), systems


def test_means_and_bias_are_those_of_complete_pairs():
    x, y, systems = rated_systems()
    x[:10], y[40:45] = np.nan, np.nan
    found = system_level(x, y, systems)
    both = np.isfinite(x) & np.isfinite(y)
    expected = [
        (x[both & (systems == name)].mean(), y[both & (systems == name)].mean())
        for name in found.systems
    ]
    assert found.means == pytest.approx(np.array(expected))
    assert found.n_pairs.tolist() == [20, 25, 30, 30, 30, 30, 30, 30]
    difference = found.means[:, 1] - found.means[:, 0]
    bias = found.estimates["bias"]
    assert bias.value == pytest.approx(difference.mean())
    reach = stats.t.ppf(0.975, 7) * difference.std(ddof=1) / np.sqrt(8)
    assert (bias.low, bias.high) == pytest.approx((bias.value - reach, bias.value + reach))
    assert bias.method == "jackknife by system, plain scale, t"
    assert (bias.n_items, bias.n_pairs, bias.n_clusters, bias.n_raters) == (225, 225, 8, 2)


def test_a_system_without_a_complete_pair_is_left_out_wherever_it_stands():
    x, y, systems = rated_systems()
    whole = system_level(x, y, systems)
    y[systems == "s7"] = np.nan

    found = system_level(x, y, systems)

    assert list(found.systems) == [f"s{number}" for number in range(7)]
    assert found.means == pytest.approx(whole.means[:7])


def test_iccs_and_f_limits_equal_pingouin(pingouin_iccs):
    found = system_level(*rated_systems(3))
    expected = pingouin_iccs(found.means)
    consistency = found.estimates["icc_c1"]
    assert (consistency.value, consistency.low, consistency.high) == pytest.approx(
        expected["icc_c1"], abs=1e-9
    )
    assert found.estimates["icc_a1"].value == pytest.approx(expected["icc_a1"][0], abs=1e-9)


def test_one_system_left_out_is_computed_without_it():
    x, y, systems = rated_systems()
    found = system_level(x, y, systems)
    kept = systems != "s3"
    without = system_level(x[kept], y[kept], systems[kept]).estimates
    for name in ("icc_c1", "icc_a1"):
        assert found.without[name]["s3"] == pytest.approx(without[name].value)


def test_shifting_a_judge_leaves_consistency_alone_and_lowers_agreement():
    x, y, systems = rated_systems()
    before, after = (system_level(x, y + shift, systems).estimates for shift in (0, 2))
    assert after["icc_c1"].value == pytest.approx(before["icc_c1"].value)
    assert after["icc_a1"].value < before["icc_a1"].value
    assert Note.RATERS_DIFFER_IN_LEVEL in after["icc_a1"].notes


@pytest.mark.parametrize(
    ("n_systems", "note"),
    [
        (1, Note.ONE_SYSTEM),
        (2, Note.TOO_FEW_CLUSTERS),
        (3, Note.FEW_SYSTEMS),
        (19, Note.FEW_SYSTEMS),
        (20, None),
    ],
)
def test_few_systems_are_said(n_systems, note):
    found = system_level(*rated_systems(2, n_systems=n_systems))
    consistency = found.estimates["icc_c1"]
    assert [one for one in consistency.notes if one is not Note.RATERS_DIFFER_IN_LEVEL][:1] == (
        [note] if note else []
    )
    assert (consistency.low is None) == (n_systems < 3)
    assert (found.estimates["icc_a1"].low is None) == (n_systems < 3)
    assert (found.estimates["bias"].low is None) == (n_systems < 5)


def test_systems_that_agree_perfectly_have_no_interval():
    x, _, systems = rated_systems()
    found = system_level(x, x, systems).estimates
    assert found["icc_c1"].value == found["icc_a1"].value == 1
    assert found["icc_c1"].note is Note.NO_DISAGREEMENT
    assert found["icc_c1"].low is None


def test_a_judge_who_gives_every_system_the_same_mean_is_told():
    x, _, systems = rated_systems()
    found = system_level(x, np.full(x.size, 5.0), systems).estimates
    assert found["icc_a1"].note is Note.ONE_RATER_CONSTANT
    same = system_level(np.full(x.size, 5.0), np.full(x.size, 5.0), systems).estimates
    assert same["icc_c1"].value is None
    assert same["icc_c1"].note is Note.ALL_EQUAL


def test_nothing_to_compare_is_said():
    found = system_level([], [], [])
    assert found.estimates["icc_a1"].note is Note.NO_OVERLAP
    assert found.estimates["mean_x"].value is None
    assert found.estimates["mean_x"].n_raters == 0


@pytest.mark.parametrize(("n", "bias"), [(3, 0.5), (5, 0.0), (9, 1.0)])
def test_limits_of_few_systems_hold_the_truth_beside_a_biased_judge(n, bias):
    """A jackknife over nine systems beside a biased judge held it 0.90 to 0.92 times."""
    rng, held = np.random.default_rng(7), 0
    for _ in range(200):
        level = rng.normal(3, 1, n)
        x, y = (level + rng.normal(0, 0.4, n) for _ in range(2))
        found = system_level(x, y + bias, [str(name) for name in range(n)]).estimates["icc_a1"]
        held += found.low <= 1 / (1 + 0.4**2 + bias**2 / 2) <= found.high
    assert 0.92 <= held / 200 <= 0.98


def test_runs_are_averaged_and_widen_what_is_said_of_the_level():
    x, y, systems = rated_systems()
    shifts = np.array([-0.4, 0.0, 0.4])
    alone, several = (system_level(x, runs, systems).estimates for runs in (y, y[:, None] + shifts))
    for name, one in several.items():
        assert one.value == pytest.approx(alone[name].value)
    assert several["bias"].method == "jackknife by system and over runs, plain scale, t"
    assert several["bias"].low < alone["bias"].low
    assert several["icc_a1"].low < alone["icc_a1"].low
    assert several["icc_c1"].low == pytest.approx(alone["icc_c1"].low)


@pytest.mark.parametrize("lacking", ["s3", "s7"])
def test_a_run_without_an_answer_on_a_system_takes_away_that_system_s_answers_alone(lacking):
    x, y, systems = rated_systems()
    others = [np.clip(y + shift, 1, 5) for shift in (0, 1)]
    short = np.where(systems == lacking, np.nan, y)

    found = system_level(x, np.stack([*others, short], axis=1), systems)

    here = systems == lacking
    whole = system_level(x, np.stack([*others, y], axis=1), systems)
    expected = whole.means.copy()
    expected[found.systems.index(lacking), 1] = np.mean([one[here].mean() for one in others])
    assert found.means == pytest.approx(expected)
    for name, estimate in found.estimates.items():
        assert estimate.low < estimate.value < estimate.high, name


def test_where_systems_are_all_overrated_alike_only_runs_tell_how_sure_the_bias_is():
    """Student's t over the means of the runs, of which there are three."""
    x, _, systems = rated_systems()
    shifts = np.array([0.1, 0.2, 0.6])
    bias = system_level(x, x[:, None] + shifts, systems).estimates["bias"]
    reach = stats.t.ppf(0.975, 2) * shifts.std(ddof=1) / np.sqrt(3)
    assert bias.value == pytest.approx(0.3)
    assert (bias.low, bias.high) == pytest.approx((0.3 - reach, 0.3 + reach))
