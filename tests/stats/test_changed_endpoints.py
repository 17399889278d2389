"""What a card makes of an endpoint that names somebody else than before."""

import pytest

from analytics.stats.estimates import Estimate
from analytics.stats.reasons import LineOutcome, LineReason
from analytics.stats.verdicts import (
    Bar,
    EndpointChange,
    Evidence,
    Rules,
    Topic,
    Verdict,
    trust_card,
)

AGREEMENT = Estimate(
    statistic="icc_a1",
    value=0.85,
    low=0.8,
    high=0.9,
    n_items=200,
    n_pairs=200,
    n_clusters=50,
    n_raters=2,
)


def card(change, *expires_with):
    rules = Rules(
        least_items=100,
        least_dialogues=20,
        agreement=Bar(trusted=0.7, unusable=0.4),
        expires_with=frozenset(expires_with),
    )
    return trust_card(Evidence(agreement=AGREEMENT, change=change), rules)


@pytest.mark.parametrize(
    ("change", "expires_with", "reason", "verdict"),
    [
        (EndpointChange.NONE, {EndpointChange.LLM}, LineReason.SAME_LLM, Verdict.TRUSTED),
        (EndpointChange.LLM, {EndpointChange.LLM}, LineReason.OTHER_LLM, Verdict.CANNOT_BE_SHOWN),
        (EndpointChange.FINGERPRINT, {EndpointChange.LLM}, LineReason.SAME_LLM, Verdict.TRUSTED),
        (
            EndpointChange.FINGERPRINT,
            {EndpointChange.LLM, EndpointChange.FINGERPRINT},
            LineReason.OTHER_FINGERPRINT,
            Verdict.CANNOT_BE_SHOWN,
        ),
    ],
)
def test_a_card_expires_with_the_changes_that_its_rules_name(change, expires_with, reason, verdict):
    found = card(change, *expires_with)
    (line,) = [line for line in found.lines if line.topic is Topic.ENDPOINT]
    assert (line.reason, found.verdict) == (reason, verdict)
    assert found.is_expired is (line.outcome is LineOutcome.MISSING)


@pytest.mark.parametrize(
    ("change", "expires_with"),
    [(EndpointChange.LLM, ()), (None, (EndpointChange.LLM, EndpointChange.FINGERPRINT))],
)
def test_there_is_no_line_where_nothing_is_asked_or_known(change, expires_with):
    found = card(change, *expires_with)
    assert [line.topic for line in found.lines] == [Topic.DATA, Topic.AGREEMENT]
    assert not found.is_expired


def test_a_judge_that_answers_its_sentinels_otherwise_ends_a_card_whatever_its_rules_name():
    found = card(EndpointChange.SENTINELS)
    assert found.lines[-1].reason is LineReason.OTHER_ANSWERS
    assert (found.is_expired, found.verdict) == (True, Verdict.CANNOT_BE_SHOWN)
