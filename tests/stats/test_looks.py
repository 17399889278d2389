"""Looks that are planned: what they cost, and rules whose verdicts could never all occur."""

from dataclasses import fields, replace
from datetime import date

import numpy as np
import pytest
from scipy import stats

from analytics.stats.alternative import Panel, alternative_test
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.drift import check_drift
from analytics.stats.intervals import SCORE_METHOD, IntervalScale, Unit, runs_method
from analytics.stats.looks import LookPlan, at_a_look, positives_for, unreachable, widened
from analytics.stats.verdicts import Bar, Evidence, Rules, Topic
from bench.looks import shown_met
from tests.stats.test_verdicts import figure

PLAN = LookPlan(items=(100, 300), people=2, repeats=2, flagged=0.2)
RULES = Rules(
    least_items=100,
    least_dialogues=20,
    agreement=Bar(trusted=0.75, unusable=0.5),
    ceiling_margin=0.1,
    asks_alternative=True,
    sensitivity=Bar(trusted=0.8, unusable=0.5),
    least_positives=30,
    repeatability=Bar(trusted=0.75, unusable=0.5),
)


def test_a_plan_under_which_every_verdict_can_occur_lacks_nothing():
    assert unreachable(RULES, PLAN) == ()


@pytest.mark.parametrize(
    ("change", "topic", "needed", "planned"),
    [
        ({"items": (50, 90)}, Topic.DATA, 100, 90),
        ({"people": 1}, Topic.CEILING, 2, 1),
        ({"people": 1}, Topic.ALTERNATIVE, 2, 1),
        ({"repeats": 1}, Topic.REPEATABILITY, 2, 1),
        ({"flagged": 0.01}, Topic.SENSITIVITY, 30, 3),
    ],
)
def test_a_line_that_can_never_be_met_says_what_would_do(change, topic, needed, planned):
    found = {one.topic: one for one in unreachable(RULES, replace(PLAN, **change))}
    assert (found[topic].needed, found[topic].planned) == (needed, planned)


def test_what_rules_do_not_ask_for_no_plan_lacks():
    asks_little = Rules(least_items=100, least_dialogues=20, agreement=RULES.agreement)
    least = LookPlan(items=(100,), people=1, repeats=1, flagged=0.0)
    assert unreachable(asks_little, least) == ()


def test_that_few_answers_are_missing_takes_a_number_of_items_too():
    """With none missing of n, at most 3 / n are (the rule of three): 0.95^59 < 0.05 < 0.95^58."""
    rules = Rules(
        least_items=10,
        least_dialogues=10,
        agreement=RULES.agreement,
        unscored=Bar(trusted=0.05, unusable=0.2),
    )
    (lacking,) = unreachable(rules, LookPlan(items=(58,), people=2, repeats=2, flagged=0.2))
    assert (lacking.topic, lacking.needed, lacking.planned) == (Topic.UNSCORED, 59, 58)
    assert unreachable(rules, LookPlan(items=(59,), people=2, repeats=2, flagged=0.2)) == ()


@pytest.mark.parametrize(("n_looks", "n"), [(1, 14), (2, 17), (46, 31)])
def test_so_many_flagged_items_must_all_be_found(n_looks, n):
    """0.8^n must be below 0.05 shared among the looks."""
    assert positives_for(0.8, n_looks) == n
    assert 0.8**n <= 0.05 / n_looks < 0.8 ** (n - 1)


def test_a_look_is_due_when_its_items_and_its_day_are_there():
    today = date(2027, 1, 31)
    assert PLAN.is_due(1, n_items=100, today=today)
    assert not PLAN.is_due(1, n_items=99, today=today)
    assert not PLAN.is_due(2, n_items=299, today=today)
    assert not PLAN.is_due(3, n_items=999, today=today)
    dated = replace(PLAN, dates=(date(2027, 1, 31), date(2027, 6, 30)))
    assert dated.is_due(1, n_items=100, today=today)
    assert not dated.is_due(2, n_items=300, today=today)


def test_one_look_leaves_intervals_as_they_are_and_more_widen_them_by_students_t():
    one = replace(figure(0.1, 0.5, n_clusters=21), method="jackknife by dialogue, plain, t")
    assert widened(one, 1) == one
    times = stats.t.ppf(1 - 0.0125, 20) / stats.t.ppf(1 - 0.025, 20)
    assert widened(one, 2).high == pytest.approx(0.3 + 0.2 * times)
    assert widened(one, 2).low == pytest.approx(0.3 - 0.2 * times)


def test_a_widened_share_stays_a_share_and_an_exact_limit_is_made_anew():
    share = replace(figure(0.9, 0.99), value=0.97, method="jackknife by dialogue, logit, t")
    assert 0 < widened(share, 40).low < 0.9 < 0.99 < widened(share, 40).high < 1
    all_found = replace(
        figure(0.05 ** (1 / 29), 1.0, n=29, n_clusters=29),
        value=1.0,
        method="none in n, one-sided exact",
    )
    assert widened(all_found, 2).low == pytest.approx(0.025 ** (1 / 29))


def test_every_figure_that_a_card_holds_against_a_bar_is_widened():
    held = [one.name for one in fields(Evidence) if "Estimate" in one.type]
    held.remove("constant")  # its value alone is
    looked = at_a_look(Evidence(**dict.fromkeys(held, figure(0.6, 0.8))), 4)
    assert {getattr(looked, name) for name in held} == {widened(figure(0.6, 0.8), 4)}
    assert widened(figure(0.6, 0.8), 4).low < 0.6
    beside = dict.fromkeys(("people", "judge", "difference", "share"), figure(0.6, 0.8))
    known = Evidence(agreement=figure(0.6, 0.8), ceiling=UnderCeiling(**beside, each=()))
    assert at_a_look(known, 4).ceiling.difference == widened(figure(0.6, 0.8), 4)


def test_with_the_truth_at_the_bar_planned_looks_rarely_show_it_met():
    """At full size, against looking whenever one likes: `python -m bench looks`."""
    assert shown_met(n_looks=8, n_studies=40, seed=5, is_planned=True) <= 0.1


def test_an_interval_over_runs_is_widened_as_if_of_the_fewest_runs():
    over = replace(figure(-0.2, 0.2), method="jackknife by dialogue and over runs, plain scale, t")
    assert over.method == runs_method(Unit.DIALOGUE, IntervalScale.PLAIN)
    times = stats.t.ppf(1 - 0.025 / 2, 2) / stats.t.ppf(0.975, 2)
    assert widened(over, 2).high == pytest.approx(0.2 * times)


def won_against_three():
    rng = np.random.default_rng(4)
    truth = rng.normal(3, 1, (60, 1))
    people = np.clip(np.rint(truth + rng.normal(0, 0.7, (60, 3))), 1, 5)
    judge = np.clip(np.rint(truth[:, 0] + rng.normal(0, 0.7, 60)), 1, 5)
    return alternative_test(
        {"it": Panel(judge=judge, people=people)}, alignment="neg_rmse", epsilon=0.2
    )["it"]


def test_the_alternative_annotator_test_is_stricter_at_each_of_several_looks():
    test = won_against_three()
    evidence = Evidence(agreement=figure(0.8, 0.9), alternative=test)
    assert test.is_passed
    assert at_a_look(evidence, 1).alternative == test
    rates = [at_a_look(evidence, n).alternative.winning_rate for n in (2, 1_000, 10**12)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0
    last = at_a_look(evidence, 10**12).alternative
    assert last.is_passed is False
    assert [one.p_value for one in last.against] == [one.p_value for one in test.against]


@pytest.mark.parametrize(("p_value", "is_won"), [(0.025, True), (0.026, False)])
def test_at_each_of_two_looks_half_of_the_false_discoveries_are_allowed(p_value, is_won):
    test = won_against_three()
    alone = replace(test, against=(replace(test.against[0], p_value=p_value, is_won=True),))
    found = at_a_look(Evidence(agreement=figure(0.8, 0.9), alternative=alone), 2).alternative
    assert (found.winning_rate, found.is_passed) == (is_won, is_won)


@pytest.mark.parametrize("n_looks", [2, 4])
def test_a_check_for_drift_shares_its_error_among_looks(n_looks):
    rng = np.random.default_rng(8)
    before, moved = rng.normal(3, 1, 80), rng.normal(0.05, 0.4, 80)
    check = check_drift(before, before + moved, margin=0.2, n_checks=3)
    found = at_a_look(Evidence(agreement=figure(0.8, 0.9), drift=check), n_looks).drift
    fewer = check_drift(before, before + moved, margin=0.2, n_checks=3 * n_looks)
    assert found.confidence == pytest.approx(fewer.confidence)
    assert found.residual.low == pytest.approx(fewer.residual.low)
    assert found.residual.high == pytest.approx(fewer.residual.high)
    assert found.drift is fewer.drift


def test_a_check_for_drift_without_an_interval_is_no_surer_at_several_looks():
    few = check_drift(np.arange(4.0), np.arange(4.0) + 1, margin=0.2)
    assert few.residual.low is None
    assert at_a_look(Evidence(agreement=figure(0.8, 0.9), drift=few), 4).drift == few


def test_a_widened_kappa_of_two_answers_stays_a_kappa():
    """Its score limits are at different distances, and no kappa is above 1."""
    near_one = replace(figure(0.85, 0.999), value=0.97, method=SCORE_METHOD)
    wider = widened(near_one, 6)
    assert wider.high == 1
    assert -1 <= wider.low < 0.85
