"""Verdicts beside what people make possible, and beside a judge that says the same of every item."""

from dataclasses import replace

import pytest

from analytics.stats.ceiling import UnderCeiling
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.verdicts import Bar, Evidence, Rules, Topic, Verdict, trust_card
from tests.stats.test_verdicts import figure

RULES = Rules(
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


def test_a_judge_that_would_be_ruled_out_is_only_short_where_a_second_expert_is_no_better():
    evidence = Evidence(agreement=figure(0.3, 0.4), ceiling=under_ceiling(-0.05, 0.02))
    found = trust_card(evidence, RULES)
    assert found.verdict is Verdict.SURELY_BELOW
    assert agreement(found).reason is LineReason.SHORT_LIKE_PEOPLE


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"only_answer": 5.0}, LineReason.ALWAYS_THE_SAME),
        (
            {"agreement": figure(-0.02, 0.03), "people": figure(0.1, 0.2)},
            LineReason.NO_BETTER_THAN_CONSTANT,
        ),
        (
            {"agreement": figure(-0.02, 0.03), "by_gold": True},
            LineReason.NO_BETTER_THAN_CONSTANT,
        ),
    ],
)
def test_a_judge_that_tells_nothing_apart_is_of_no_use(changes, reason):
    evidence = replace(Evidence(agreement=figure(None, None)), **changes)
    found = trust_card(evidence, replace(RULES, ceiling_margin=None))
    assert (found.verdict, agreement(found).reason) == (Verdict.DO_NOT_USE, reason)


def test_few_equal_answers_or_people_who_hardly_agree_do_not_make_a_judge_useless():
    few = trust_card(Evidence(agreement=figure(None, None, n=40), only_answer=5.0), RULES)
    assert agreement(few).outcome is LineOutcome.NOT_YET
    noisy = Evidence(
        agreement=figure(-0.02, 0.03), people=figure(0.0, 0.03), attainable=figure(0.0, 0.06)
    )
    assert agreement(trust_card(noisy, RULES)).reason is LineReason.OUT_OF_REACH


def test_beside_one_person_of_whom_nobody_knows_how_they_agree_nobody_is_ruled_out_by_agreement():
    """A judge that is always right agrees as little with somebody who rates at random."""
    found = trust_card(Evidence(agreement=figure(-0.02, 0.03)), replace(RULES, ceiling_margin=None))
    assert found.verdict is Verdict.SURELY_BELOW
    assert agreement(found).reason is LineReason.SHORT_OF_UNKNOWN


@pytest.mark.parametrize("constant", [(0.93, 0.97), (0.7, 0.8)])
def test_a_bar_that_a_constant_judge_reaches_certifies_nobody(constant):
    found = trust_card(
        Evidence(agreement=figure(0.9, 0.95), constant=figure(*constant)),
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


def test_a_judge_that_misses_too_many_is_short_where_people_may_find_enough():
    rules = replace(RULES, sensitivity=Bar(trusted=0.8, unusable=0.5), ceiling_margin=None)
    found = trust_card(
        Evidence(
            agreement=figure(0.8, 0.9),
            sensitivity=figure(0.55, 0.7, n=60),
            people_find=figure(0.5, 0.9, n=60),
        ),
        rules,
    )
    (line,) = found.decisive
    assert (line.topic, line.reason) == (Topic.SENSITIVITY, LineReason.SURELY_SHORT)
    assert found.verdict is Verdict.SURELY_BELOW
