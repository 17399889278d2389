"""The alternative annotator test: by hand, against scipy, and against a plain second telling."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analytics.stats.alternative import (
    SWEEP,
    Panel,
    alternative_test,
    benjamini_yekutieli,
    t_below,
    wilcoxon_below,
)
from analytics.stats.estimates import Note
from analytics.stats.intervals import METHODS

NAN = np.nan


def rated(seed=1, n=120, people=4, noise=(0.35, 0.3), missing=0.0):
    """Labels 0 to 3 by people and a judge, who give the true one or any."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)

    def one(share):
        return np.where(rng.random(n) < share, rng.integers(0, 4, n), truth).astype(float)

    table = np.stack([one(noise[0]) for _ in range(people)], axis=1)
    table[rng.random(table.shape) < missing] = NAN
    return one(noise[1]), table


def told_plainly(judge, people, alignment, epsilon):
    """Winning rate and advantage, item by item and person by person."""
    p_values, advantages = [], []
    for person in range(people.shape[1]):
        shortfalls, wins = [], []
        for item in range(len(judge)):
            others = [
                people[item, other]
                for other in range(people.shape[1])
                if other != person and not np.isnan(people[item, other])
            ]
            own = people[item, person]
            if np.isnan(own) or np.isnan(judge[item]) or not others:
                continue
            if alignment == "accuracy":
                of_judge = np.mean([judge[item] == other for other in others])
                of_person = np.mean([own == other for other in others])
            else:
                of_judge = -np.sqrt(np.mean([(judge[item] - other) ** 2 for other in others]))
                of_person = -np.sqrt(np.mean([(own - other) ** 2 for other in others]))
            wins.append(int(of_judge >= of_person))
            shortfalls.append(int(of_person >= of_judge) - wins[-1])
        if len(wins) >= 30:
            p_values.append(stats.ttest_1samp(shortfalls, epsilon, alternative="less").pvalue)
            advantages.append(np.mean(wins))
    won = stats.false_discovery_control(p_values, method="by") <= 0.05
    return won.mean(), np.mean(advantages)


@pytest.mark.parametrize("alignment", ["accuracy", "neg_rmse"])
@pytest.mark.parametrize("missing", [0, 0.4])
@pytest.mark.parametrize("seed", range(2))
def test_it_is_the_procedure_told_plainly(seed, missing, alignment):
    judge, people = rated(seed, missing=missing)
    judge[:5] = NAN
    for epsilon in (0, 0.1, 0.2):
        found = alternative_test(
            {"one": Panel(judge=judge, people=people)}, alignment=alignment, epsilon=epsilon
        )["one"]
        rate, advantage = told_plainly(judge, people, alignment, epsilon)
        assert found.winning_rate == pytest.approx(rate, abs=1e-12)
        assert found.advantage.value == pytest.approx(advantage, abs=1e-12)
        assert dict(found.sweep)[epsilon] == found.winning_rate
        for one in found.against:
            assert (epsilon, one.p_value, one.is_won) in one.sweep
        assert found.is_passed is bool(rate >= 0.5)


# Worked by hand: person 0 says A A A B, person 1 says A A B B, person 2 says A B B B, the judge
# A A B A (A = 0, B = 1). Against person 0 the others are persons 1 and 2; shares of matches:
# judge 1, 1/2, 1, 0 and person 0 1, 1/2, 0, 1, so W of the judge is 1 1 1 0, of the person 1 1 0 1.
BY_HAND = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=float)
JUDGED = np.array([0, 0, 1, 0], dtype=float)
ADVANTAGES = (3 / 4, 3 / 4, 3 / 4)
SHORTFALLS = (0, 1 / 4, 0)


def test_a_small_example_worked_by_hand():
    found = alternative_test(
        {"one": Panel(judge=JUDGED, people=BY_HAND)},
        alignment="accuracy",
        epsilon=0.2,
        least_items=4,
    )["one"]
    assert [one.advantage.value for one in found.against] == pytest.approx(ADVANTAGES)
    assert [one.shortfall.value for one in found.against] == pytest.approx(SHORTFALLS)
    assert found.advantage.value == pytest.approx(3 / 4)
    assert {one.test for one in found.against} == {"wilcoxon"}
    assert found.winning_rate == 0


def test_a_run_that_did_not_answer_stands_as_those_that_did():
    judge, people = rated(3)
    runs = np.stack([judge] * 3, axis=1)
    gaps = np.where(np.arange(judge.size)[:, None] % 2 & [0, 0, 1], NAN, runs)
    whole, some = (
        alternative_test(
            {"one": Panel(judge=one, people=people)}, alignment="accuracy", epsilon=0.1
        )["one"]
        for one in (runs, gaps)
    )
    for name in ("advantage", "shortfall"):
        found, expected = ([getattr(one, name) for one in of.against] for of in (some, whole))
        assert {one.statistic for one in found} == {name}
        assert [one.value for one in found] == pytest.approx([one.value for one in expected])


def test_a_judge_between_the_people_wins_on_distance_and_not_on_sameness():
    people = np.tile([1.0, 5, 5], (40, 1))
    near, same = (
        alternative_test(
            {"one": Panel(judge=np.full(40, 4.0), people=people)},
            alignment=alignment,
            epsilon=0.2,
        )["one"]
        for alignment in ("neg_rmse", "accuracy")
    )
    assert {one.test for one in near.against} == {"t"}
    assert [one.is_won for one in near.against] == [True, True, True]
    assert [one.is_won for one in same.against] == [True, False, False]
    assert [one.advantage.value for one in same.against] == [1, 0, 0]
    assert [one.p_value for one in same.against] == [0, 1, 1]


@pytest.mark.parametrize("seed", range(6))
def test_false_discoveries_are_those_scipy_would_reject(seed):
    p_values = np.random.default_rng(seed).beta(0.3, 4, 9)
    expected = stats.false_discovery_control(p_values, method="by") <= 0.05
    assert benjamini_yekutieli(p_values).tolist() == expected.tolist()


def test_one_hypothesis_alone_is_rejected_at_the_rate_itself_and_none_of_none():
    assert [benjamini_yekutieli([p]).tolist() for p in (0.05, 0.051)] == [[True], [False]]
    assert benjamini_yekutieli([]).tolist() == []


@pytest.mark.parametrize("bound", SWEEP)
@pytest.mark.parametrize("n", [5, 9, 29, 60])
def test_p_values_are_scipys(n, bound):
    values = np.random.default_rng(n).choice([-1.0, 0, 1], n, p=[0.4, 0.4, 0.2])
    expected = stats.ttest_1samp(values, bound, alternative="less").pvalue
    assert t_below(values, bound) == pytest.approx(expected, rel=1e-9)
    if n < 10:
        ranks = stats.wilcoxon(np.round(values - bound, 12), alternative="less")
        assert wilcoxon_below(values, bound) == pytest.approx(ranks.pvalue, rel=1e-9)


def test_replies_to_one_dialogue_are_not_so_many_witnesses():
    """Four replies each, which the judge and the person take alike, tell what one of them would."""
    judge, people = rated(2, n=60)
    once = {"it": Panel(judge=judge, people=people)}
    owners = np.repeat(np.arange(60), 4)
    again = Panel(judge=judge[owners], people=people[owners], clusters=owners)
    options = {"alignment": "accuracy", "epsilon": 0.1}
    of_one = alternative_test(once, **options)["it"]
    of_four = alternative_test({"it": again}, **options)["it"]
    assert [one.p_value for one in of_four.against] == pytest.approx(
        [one.p_value for one in of_one.against]
    )
    few = {
        "it": replace(again, judge=again.judge[:28], people=again.people[:28], clusters=owners[:28])
    }
    alone = {"it": Panel(judge=judge[:7], people=people[:7])}
    assert [
        one.p_value for one in alternative_test(few, least_items=5, **options)["it"].against
    ] == pytest.approx(
        [one.p_value for one in alternative_test(alone, least_items=5, **options)["it"].against]
    )


@pytest.mark.parametrize("n_runs", [1, 4])
def test_a_p_value_agrees_with_the_interval_beside_it(n_runs):
    judge, people = rated(7, n=120)
    runs = np.stack([judge, *(rated(seed, n=120)[0] for seed in range(1, n_runs))], axis=1)
    clusters = np.arange(120) // 3
    panels = {"it": Panel(judge=runs, people=people, clusters=clusters)}
    first = alternative_test(panels, alignment="accuracy", epsilon=0.1)["it"].against[0]
    at = alternative_test(panels, alignment="accuracy", epsilon=first.shortfall.high)["it"]
    assert at.against[0].p_value == pytest.approx(0.025)


def test_of_four_dialogues_nothing_is_shown_however_many_replies_they_have():
    owners = np.repeat(np.arange(5), 8)
    assert t_below(np.full(40, -1.0), 0.2, owners) == 0
    assert t_below(np.full(32, -1.0), 0.2, owners[:32]) == 1


def test_a_judge_that_is_as_much_worse_as_is_allowed_wins_one_time_in_twenty():
    """Shortfalls of 0.1 on average, alike within dialogues of four replies by 0.3."""
    rng, wins, n = np.random.default_rng(20261129), 0, 2000
    owners = np.repeat(np.arange(30), 4)
    for _ in range(n):
        of_dialogue = rng.normal(0, 0.3**0.5, 30)[owners]
        seen = of_dialogue + rng.normal(0, 0.7**0.5, owners.size)
        low, high = stats.norm.ppf([0.25, 0.65])
        wins += t_below(np.where(seen < low, -1.0, seen > high), 0.1, owners) < 0.05
    assert 0.035 < wins / n < 0.065  # 0.11 where items are taken for independent


def test_where_all_ranks_are_tied_the_signed_rank_test_is_the_sign_test():
    values = np.array([-1.0] * 13 + [1.0] * 6 + [0.0] * 10)
    expected = stats.binomtest(6, 19, alternative="less").pvalue
    assert wilcoxon_below(values, 0) == pytest.approx(expected, rel=1e-9)


def test_without_ties_the_signed_rank_test_is_the_exact_one():
    values = np.random.default_rng(3).normal(-0.3, 1, 27)
    expected = stats.wilcoxon(values, alternative="less", method="exact").pvalue
    assert wilcoxon_below(values, 0) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("values", "p_value"), [([0.0] * 40, 0), ([1.0] * 40, 1)])
def test_where_nothing_varies_there_is_no_doubt(values, p_value):
    assert t_below(np.array(values), 0.2) == p_value
    assert wilcoxon_below(np.zeros(9), 0) == 1


def test_people_with_too_few_shared_items_are_skipped_and_named():
    judge, people = rated(5, people=4)
    people[29:, 2] = NAN
    found = alternative_test(
        {"one": Panel(judge=judge, people=people)}, alignment="accuracy", epsilon=0.1
    )["one"]
    assert [one.person for one in found.against] == [0, 1, 3]
    assert [(one.person, one.n_items) for one in found.skipped] == [(2, 29)]
    assert found.advantage.notes == (Note.PEOPLE_LEFT_OUT,)
    assert found.advantage.n_raters == 4


def test_with_nobody_left_there_is_no_verdict():
    judge, people = rated(5, n=20)
    outcome = alternative_test(
        {"one": Panel(judge=judge, people=people)}, alignment="accuracy", epsilon=0.1
    )
    found = outcome["one"]
    assert (found.winning_rate, found.is_passed) == (None, None)
    assert [rate for _, rate in found.sweep] == [None] * 5
    assert len(found.skipped) == 4


def test_one_person_an_item_leaves_nothing_to_compare():
    judge, people = rated(5, people=1)
    found = alternative_test(
        {"one": Panel(judge=judge, people=people)}, alignment="accuracy", epsilon=0.1
    )["one"]
    assert found.winning_rate is None
    assert found.advantage.note is Note.NO_OVERLAP


def test_two_people_are_no_consensus():
    judge, people = rated(5, people=2)
    found = alternative_test(
        {"one": Panel(judge=judge, people=people)}, alignment="accuracy", epsilon=0.1
    )["one"]
    assert Note.NO_CONSENSUS in found.advantage.notes
    assert found.winning_rate is not None


def test_false_discoveries_are_counted_over_all_domains():
    panels = {}
    for seed in range(5):
        judge, people = rated(seed, n=60, noise=(0.3, 0.28))
        panels[str(seed)] = Panel(judge=judge, people=people)
    together = alternative_test(panels, alignment="accuracy", epsilon=0.1)
    p_values = [one.p_value for domain in together.values() for one in domain.against]
    won = [one.is_won for domain in together.values() for one in domain.against]
    assert won == (stats.false_discovery_control(p_values, method="by") <= 0.05).tolist()
    assert [domain.is_passed for domain in together.values()] == [
        domain.winning_rate >= 0.5 for domain in together.values()
    ]


def test_a_larger_epsilon_never_wins_less():
    for seed in range(5):
        judge, people = rated(seed, n=80)
        sweep = alternative_test(
            {"one": Panel(judge=judge, people=people)}, alignment="accuracy", epsilon=0.2
        )["one"].sweep
        rates = [rate for _, rate in sweep]
        assert rates == sorted(rates)


def test_intervals_leave_out_whole_dialogues():
    judge, people = rated(7, n=100)
    dialogues = np.arange(100) // 5
    found = alternative_test(
        {"one": Panel(judge=judge, people=people, clusters=dialogues)},
        alignment="accuracy",
        epsilon=0.1,
    )["one"]
    rho = found.advantage
    assert (rho.n_items, rho.n_pairs, rho.n_clusters) == (100, 400, 20)
    assert rho.low < rho.value < rho.high
    assert rho.method in METHODS
    without = (dialogues != name for name in range(20))
    left = [told_plainly(judge[kept], people[kept], "accuracy", 0.1)[1] for kept in without]
    error = np.sqrt(19 / 20 * ((left - np.mean(left)) ** 2).sum())
    half = stats.t.ppf(0.975, 19) * error / (rho.value * (1 - rho.value))
    assert np.log(rho.high / (1 - rho.high)) == pytest.approx(
        np.log(rho.value / (1 - rho.value)) + half, rel=1e-9
    )


def test_what_makes_no_sense_is_refused():
    panel = Panel(judge=[1.0, 2], people=[1.0, 2])
    with pytest.raises(ValueError, match="items by people"):
        alternative_test({"one": panel}, alignment="accuracy", epsilon=0.1)
    with pytest.raises(ValueError, match="Epsilon"):
        alternative_test({}, alignment="accuracy", epsilon=1)
