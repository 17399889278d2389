"""Verdicts beside what people make possible, and beside a judge that says the same of every item."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.stats.attainable import attainable, reliability_for
from analytics.stats.ceiling import UnderCeiling
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.verdicts import Bar, Evidence, Rules, Topic, Verdict, trust_card
from tests.stats.test_verdicts import figure

RULES = Rules(
    name="clinic",
    least_items=100,
    least_dialogues=20,
    agreement=Bar(trusted=0.75, unusable=0.5),
    ceiling_margin=0.1,
)


def under_ceiling(low, high):
    return UnderCeiling(
        people=figure(0.3, 0.4),
        judge=figure(0.3, 0.4),
        difference=figure(low, high),
        share=figure(0.9, 1.1),
        each=(),
    )


def agreement(card):
    (line,) = [line for line in card.lines if line.topic is Topic.AGREEMENT]
    return line


@pytest.mark.parametrize(
    ("statistic", "reliability", "most"),
    [("icc_a1", 0.23, 0.374), ("icc_a1", 0.6, 0.75), ("icc_c1", 1.0, 1.0), ("kappa", 0.49, 0.7)],
)
def test_a_flawless_judge_is_bounded_by_the_reliability_of_people(statistic, reliability, most):
    people = figure(reliability, reliability)
    assert attainable(people, statistic).value == pytest.approx(most, abs=5e-4)
    assert reliability_for(most, statistic) == pytest.approx(reliability, abs=5e-4)


def test_the_bound_is_what_a_flawless_judge_reaches_on_average():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=200_000)
    person = truth + rng.normal(scale=np.sqrt(1 / 0.3 - 1), size=truth.size)
    together = 2 * np.cov(truth, person)[0, 1] / (np.var(truth) + np.var(person))
    assert attainable(figure(0.3, 0.3), "icc_a1").value == pytest.approx(together, abs=0.01)


def test_people_who_never_agree_make_nothing_possible_and_a_share_of_labels_has_no_bound():
    assert attainable(figure(-0.2, 0.0), "icc_a1").value == 0
    assert attainable(figure(0.5, 0.6), "ac1") is None
    assert attainable(figure(None, None), "icc_a1") is None


@pytest.mark.parametrize(
    ("difference", "verdict", "reason"),
    [
        (None, Verdict.SURELY_BELOW, LineReason.SHORT_OF_UNKNOWN),
        ((-0.3, -0.2), Verdict.DO_NOT_USE, LineReason.BEYOND),
        ((-0.15, 0.02), Verdict.SURELY_BELOW, LineReason.SHORT_LIKE_PEOPLE),
        ((-0.05, 0.02), Verdict.SURELY_BELOW, LineReason.SHORT_LIKE_PEOPLE),
        ((0.01, 0.2), Verdict.SURELY_BELOW, LineReason.SHORT_LIKE_PEOPLE),
    ],
)
def test_a_bar_rules_out_only_where_people_surely_do_better(difference, verdict, reason):
    rules = RULES if difference else replace(RULES, ceiling_margin=None)
    found = trust_card(
        Evidence(agreement=figure(0.3, 0.4), ceiling=difference and under_ceiling(*difference)),
        rules,
    )
    assert (found.verdict, agreement(found).reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        ((-0.05, 0.02), Verdict.CANNOT_BE_SHOWN),
        ((0.01, 0.2), Verdict.CANNOT_BE_SHOWN),
        ((-0.3, -0.2), Verdict.DO_NOT_USE),
    ],
)
def test_what_people_make_impossible_is_not_held_against_a_judge(difference, verdict):
    found = trust_card(
        Evidence(
            agreement=figure(0.12, 0.25),
            attainable=figure(0.15, 0.3),
            ceiling=under_ceiling(*difference),
        ),
        RULES,
    )
    assert found.verdict is verdict
    if verdict is Verdict.CANNOT_BE_SHOWN:
        assert agreement(found).reason is LineReason.OUT_OF_REACH
        assert "cannot be shown with these raters" in agreement(found).reason.sentence


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"only_answer": 5.0}, LineReason.ALWAYS_THE_SAME),
        ({"agreement": figure(-0.02, 0.03)}, LineReason.NO_BETTER_THAN_CONSTANT),
    ],
)
def test_a_judge_that_tells_nothing_apart_is_of_no_use(changes, reason):
    evidence = replace(Evidence(agreement=figure(None, None)), **changes)
    found = trust_card(evidence, replace(RULES, ceiling_margin=None))
    assert (found.verdict, agreement(found).reason) == (Verdict.DO_NOT_USE, reason)


def test_few_equal_answers_or_people_who_hardly_agree_do_not_make_a_judge_useless():
    few = trust_card(Evidence(agreement=figure(None, None, n=40), only_answer=5.0), RULES)
    assert agreement(few).outcome is LineOutcome.NOT_YET
    noisy = Evidence(agreement=figure(-0.02, 0.03), attainable=figure(0.0, 0.06))
    assert agreement(trust_card(noisy, RULES)).reason is LineReason.OUT_OF_REACH


def test_a_bar_that_a_constant_judge_clears_certifies_nobody():
    found = trust_card(
        Evidence(agreement=figure(0.9, 0.95), constant=figure(0.93, 0.97)),
        replace(RULES, ceiling_margin=None),
    )
    assert found.verdict is Verdict.CANNOT_BE_SHOWN
    assert agreement(found).reason is LineReason.CONSTANT_PASSES


def test_misses_rule_a_judge_out_unless_people_miss_as_many():
    rules = replace(RULES, sensitivity=Bar(trusted=0.8, unusable=0.5), ceiling_margin=None)
    known = Evidence(agreement=figure(0.8, 0.9), sensitivity=figure(0.2, 0.3, n=60))
    assert trust_card(known, rules).verdict is Verdict.DO_NOT_USE
    better = replace(known, people_find=figure(0.6, 0.7, n=60))
    assert trust_card(better, rules).verdict is Verdict.DO_NOT_USE
    perhaps = replace(known, people_find=figure(0.2, 0.9, n=60))
    assert trust_card(perhaps, rules).verdict is Verdict.SURELY_BELOW
    alike = replace(known, people_find=figure(0.2, 0.4, n=60))
    assert trust_card(alike, rules).verdict is Verdict.CANNOT_BE_SHOWN
