"""Who takes part in the discussion of an item, and what it comes to."""

import pytest

from annotation.rubric.answers import Answer
from annotation.rubric.loading import load, shipped
from annotation.rules.discussing import (
    is_settled,
    may_moderate,
    reason_not_to_take_part,
    votes_now,
)

RUBRIC = load(shipped()["mentalalign"])
BEN, CLEO, DORA = 1, 2, 3
RATERS = {BEN, CLEO}
KEYS = [criterion.key for criterion in RUBRIC.criteria]
FIRST, SECOND = KEYS[:2]
GAP = RUBRIC.criteria[0].adjudicate_from_gap


@pytest.mark.parametrize(
    ("candidate", "roles", "takes_part", "moderates"),
    [
        (BEN, {"annotator"}, True, False),
        (DORA, {"annotator"}, False, False),
        (DORA, {"adjudicator"}, True, True),
        (DORA, {"coordinator", "annotator"}, True, True),
        (BEN, {"annotator", "adjudicator"}, True, False),
        (BEN, {"adjudicator", "coordinator"}, False, False),
        (BEN, set(), False, False),
        (DORA, {"researcher", "exporter"}, False, False),
        (None, {"coordinator"}, True, True),
        (None, {"annotator"}, False, False),
    ],
)
def test_its_raters_discuss_an_item_and_who_has_not_rated_it_leads(
    candidate, roles, takes_part, moderates
):
    assert (reason_not_to_take_part(RATERS, candidate, roles) is None) is takes_part
    assert may_moderate(RATERS, candidate, roles) is moderates


def votes(**scores):
    """The same on every criterion but those that are named."""
    given = dict.fromkeys(KEYS, 3) | scores
    return {key: Answer(criterion=key, score=score) for key, score in given.items()}


@pytest.mark.parametrize(
    ("cast", "settled"),
    [
        ([votes(), votes()], True),
        ([votes(), votes(**{FIRST: 3 - GAP + 1})], True),
        ([votes(), votes(**{FIRST: 3 - GAP})], False),
        ([votes(), votes(**{KEYS[-1]: 5})], False),
        ([votes(), votes() | {FIRST: None}], False),
        ([votes(), {key: one for key, one in votes().items() if key != SECOND}], False),
    ],
)
def test_votes_settle_an_item_where_no_criterion_needs_a_decision(cast, settled):
    assert is_settled(RUBRIC, cast) is settled


def test_who_has_not_voted_again_stands_by_what_they_voted():
    independent = {BEN: votes(**{FIRST: 1, SECOND: 1}), CLEO: votes(**{FIRST: 5})}
    again = {BEN: {FIRST: Answer(criterion=FIRST, score=4)}}
    assert votes_now(independent, again) == {
        BEN: votes(**{FIRST: 4, SECOND: 1}),
        CLEO: votes(**{FIRST: 5}),
    }
    assert votes_now(independent, {}) == independent
    assert votes_now(independent, {BEN: {FIRST: None}})[BEN][FIRST] is None
