"""All runs of a judge feed its figures beside people, and their spread widens the interval."""

import numpy as np
import pytest

from analytics.stats.alternative import Panel, alternative_test, t_below
from analytics.stats.ceiling import ceiling
from analytics.stats.differences import differences
from analytics.stats.estimates import Note
from analytics.stats.runs import mean_agreement
from analytics.stats.screening import FlagsOfPeople, people_measured, screening
from analytics.stats.several import p_value

FIVE = (1, 2, 3, 4, 5)
N = 120
CLUSTERS = np.arange(N) // 3


@pytest.fixture(scope="module")
def rated():
    """Three people (n, h), and two judges of four runs each (n, r), kinder in one than in another."""
    rng = np.random.default_rng(20250612)
    truth = rng.normal(3, 1, N)
    kinder = np.array([-0.6, -0.2, 0.3, 0.5])

    def seen(noise, *shift):
        given = truth[:, None] + np.array(shift) + rng.normal(0, noise, (N, len(shift)))
        return np.clip(np.rint(given), 1, 5)

    return seen(0.6, 0, 0, 0), seen(0.7, *kinder), seen(0.9, *kinder[::-1])


def of_ceiling(people, judge):
    options = {"clusters": CLUSTERS, "points": FIVE, "measurement": "ordinal"}
    return ceiling(judge, people, only=["icc_a1"], **options)["icc_a1"].difference


def of_labels(people, judge):
    options = {"clusters": CLUSTERS, "points": FIVE, "measurement": "nominal"}
    return ceiling(judge, people, only=["kappa"], **options)["kappa"].judge


def of_test(people, judge):
    panel = Panel(judge=judge, people=people, clusters=CLUSTERS)
    return alternative_test({"it": panel}, alignment="neg_rmse", epsilon=0.2)["it"].advantage


def of_screening(people, judge):
    options = {"positive": {1.0, 2.0}, "clusters": CLUSTERS, "points": FIVE}
    return screening(judge, people[:, 0], **options)["sensitivity"]


def of_flags(people, judge):
    flags, said = (people <= 2) * 1.0, np.where(np.isnan(judge), np.nan, judge <= 2)
    return people_measured(
        said, FlagsOfPeople.of(flags, np.roll(flags, 1, axis=1)), clusters=CLUSTERS
    ).judge["sensitivity"]


def of_difference(people, judge):
    options = {"clusters": CLUSTERS, "points": FIVE, "measurement": "ordinal", "only": ["icc_a1"]}
    return differences(people[:, 0], people[:, 1], judge, **options)["icc_a1"]


EVERY = [of_ceiling, of_labels, of_test, of_screening, of_flags, of_difference]


@pytest.mark.parametrize("figure", EVERY)
def test_a_figure_is_the_mean_over_runs(rated, figure):
    people, judge, _other = rated
    each = [figure(people, run).value for run in judge.T]
    assert figure(people, judge).value == pytest.approx(np.mean(each))


@pytest.mark.parametrize("figure", EVERY)
def test_one_run_told_as_runs_is_that_run(rated, figure):
    people, judge, _other = rated
    assert figure(people, judge[:, :1]) == figure(people, judge[:, 0])


@pytest.mark.parametrize("figure", EVERY[:-1])
def test_the_spread_of_runs_widens_the_interval(rated, figure):
    people, judge, _other = rated
    found, fixed = figure(people, judge), figure(people, judge[:, :2])
    assert "runs" in found.method
    assert "runs" not in fixed.method
    alike = figure(people, np.repeat(judge[:, 1:2], 4, axis=1))
    single = figure(people, judge[:, 1])
    assert alike.value == pytest.approx(single.value)
    assert (alike.low, alike.high) == pytest.approx((single.low, single.high), abs=1e-9)
    apart = figure(people, np.column_stack([judge[:, :2], np.roll(judge[:, 2:], 1, axis=0)]))
    assert apart.high - apart.low > alike.high - alike.low


@pytest.mark.parametrize("figure", EVERY)
def test_a_run_that_lacks_an_item_counts_with_the_others(rated, figure):
    people, judge, _other = rated
    holed = judge.copy()
    holed[::10, 2] = np.nan
    found = figure(people, holed)
    assert found.value == pytest.approx(figure(people, judge).value, abs=0.05)
    assert found.n_items == figure(people, judge).n_items


@pytest.mark.parametrize("figure", EVERY)
def test_it_does_not_matter_which_run_was_the_first(rated, figure):
    people, judge, _other = rated
    failing = judge.copy()
    failing[np.random.default_rng(30).random(N) < 0.6, 0] = np.nan  # items and whole dialogues
    found, turned = figure(people, failing), figure(people, failing[:, ::-1])
    assert (found.n_items, found.n_clusters) == (turned.n_items, turned.n_clusters)
    assert (found.low, found.high) == pytest.approx((turned.low, turned.high), abs=1e-9)


def test_no_false_alarm_is_bounded_by_all_items_that_some_run_flags():
    """Of 60 items that gold marks the first run flags ten, and the others flag all of them."""
    gold, runs = np.ones(60), np.ones((60, 3))
    runs[10:, 0] = 0
    found = screening(runs, gold, positive={1.0}, points=(0, 1))["ppv"]
    assert (found.value, found.n_items, found.n_clusters) == (1, 60, 60)
    assert found.low == pytest.approx(0.05 ** (1 / 60))
    drawn = screening(runs, gold, positive={1.0}, points=(0, 1), weights=np.ones(60))["ppv"]
    turned = screening(runs[:, ::-1], gold, positive={1.0}, points=(0, 1), weights=np.ones(60))
    assert drawn.low == pytest.approx(turned["ppv"].low)


def test_two_judges_differ_by_the_mean_of_either_s_runs(rated):
    people, one, other = rated
    options = {"clusters": CLUSTERS, "points": FIVE, "measurement": "ordinal", "only": ["icc_a1"]}
    found = differences(people[:, 0], one, other, **options)["icc_a1"]
    each = [
        differences(people[:, 0], first, second, **options)["icc_a1"].value
        for first in one.T
        for second in other.T
    ]
    assert found.value == pytest.approx(np.mean(each))
    fixed = differences(people[:, 0], one[:, :2], other, **options)["icc_a1"]
    assert "runs" in found.method
    assert "runs" not in fixed.method
    same = differences(people[:, 0], one, one, **options)["icc_a1"]
    assert same.value == 0
    assert same.low < 0 < same.high


def test_its_p_value_agrees_with_its_interval_at_five_percent(rated):
    people, one, other = rated
    options = {"clusters": CLUSTERS, "points": FIVE, "measurement": "ordinal", "only": ["bias"]}
    found = differences(people[:, 0], one, other + (other < 5), **options)["bias"]
    assert (p_value(found) < 0.05) is not (found.low <= 0 <= found.high)


def test_intervals_of_differences_hold_the_truth_over_items_and_runs():
    """Two judges as good as each other whose runs are kinder or stricter by chance."""
    rng = np.random.default_rng(7)
    held = {3: 0, 1: 0}
    times = 150
    for _ in range(times):
        truth = rng.normal(0, 1, 80)
        x = np.clip(np.rint(3 + truth), 1, 5)
        one, other = (
            np.clip(
                np.rint(
                    3 + truth[:, None] + rng.normal(0, 0.5, (1, 3)) + rng.normal(0, 0.5, (80, 3))
                ),
                1,
                5,
            )
            for _judge in range(2)
        )
        for runs in held:
            found = differences(
                x, one[:, :runs], other[:, :runs], points=FIVE, measurement="ordinal", only=["bias"]
            )["bias"]
            held[runs] += found.low <= 0 <= found.high
    assert held[3] / times > 0.9
    assert held[1] / times < 0.6


def test_the_t_test_speaks_of_other_runs_from_three_on():
    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, (60, 1)) + np.array([[-0.4, 0.0, 0.4]])
    fixed = t_below(values.mean(axis=1), 0.2)
    assert t_below(values[:, :1], 0.2) == t_below(values[:, 0], 0.2)
    assert t_below(values, 0.2) > fixed


def of_few_low(n_low, said_of_low, *, n_people):
    """The ICC of a judge's runs beside people who all rate the first items low, with its notes."""
    rng = np.random.default_rng(7)
    people = np.tile(rng.integers(4, 6, (N, 1)), (1, n_people)).astype(float)
    runs = rng.integers(4, 6, (N, len(said_of_low[0]))).astype(float)
    for item in range(n_low):
        people[item], runs[item] = 1 + item % 3, said_of_low[item % len(said_of_low)]
    options = {"points": FIVE, "measurement": "ordinal", "only": ["icc_a1"]}
    items = np.tile(np.arange(N), n_people)
    said = np.tile(runs, (n_people, 1))
    return mean_agreement(people.T.ravel(), said, clusters=items, items=items, **options)["icc_a1"]


def test_an_item_that_several_people_and_runs_rate_low_is_one():
    found = of_few_low(2, [(1, 1)], n_people=3)
    assert Note.TOO_FEW_LOW in found.notes
    assert Note.FEW_LOW in of_few_low(4, [(1, 1)], n_people=3).notes
    assert found.n_pairs == 2 * 3 * N


def test_runs_that_give_an_item_other_low_points_rate_it_low_all_the_same():
    """Six such items are six, though no pair of points comes up as often as there are runs."""
    found = of_few_low(6, [(1, 2, 3)], n_people=1)
    assert not {Note.TOO_FEW_LOW, Note.FEW_LOW} & set(found.notes)
