"""Who may see whose answers: every phase, role, own or another's, of people, judges and gold."""

from dataclasses import replace
from itertools import product

import pytest

from annotation.rules.granting import WITHOUT_LEVEL, DataLevel, Split
from annotation.rules.lifecycle import RoundState
from annotation.rules.visibility import (
    BLINDED,
    COULD_SWAY,
    HELD_OUT,
    NAMES_ARE_BLINDED,
    NOT_ON_THE_TEAM,
    OPERATOR,
    RATED_AGAIN,
    STILL_OPEN,
    Author,
    Given,
    Phase,
    Reader,
    phase_of,
    reason_to_withhold,
    reason_to_withhold_item,
    reason_to_withhold_judges,
    reason_to_withhold_names,
    reason_to_withhold_splits,
)

BEN, CLEO = 1, 2
HUMAN, JUDGE, GOLD = Author
OPEN, AGAIN, SETTLED = Phase
PER_RATER, MAJORITY = WITHOUT_LEVEL[DataLevel.PER_RATER], WITHOUT_LEVEL[DataLevel.MAJORITY]
LOOK_ON = ("adjudicator", "coordinator", "exporter", "researcher")

# What somebody else gave, or gold: the reason for who annotates, and for who does not.
OTHERS = [
    (OPEN, HUMAN, STILL_OPEN, STILL_OPEN),
    (OPEN, JUDGE, STILL_OPEN, STILL_OPEN),
    (OPEN, GOLD, STILL_OPEN, STILL_OPEN),
    (AGAIN, HUMAN, RATED_AGAIN, None),
    (AGAIN, JUDGE, COULD_SWAY, None),
    (AGAIN, GOLD, RATED_AGAIN, None),
    (SETTLED, HUMAN, None, None),
    (SETTLED, JUDGE, COULD_SWAY, None),
    (SETTLED, GOLD, None, None),
]
ANNOTATING = [
    {"roles": {"annotator"}},
    {"roles": {"annotator", "coordinator"}},
    *({"roles": {role}, "rates_now": True} for role in LOOK_ON),
]
LOOKING_ON = [*({"roles": {role}} for role in LOOK_ON), {"roles": set(LOOK_ON)}]


def said(facts) -> str:
    """The same in every process, whatever the order of a set."""
    return "+".join([*sorted(facts["roles"]), *(["rates-now"] if facts.get("rates_now") else [])])


def reader(*, roles, rater=CLEO, **facts):
    return Reader(rater=rater, roles=frozenset(roles), **facts)


def by_ben(author, phase):
    return Given(author=author, phase=phase, rater=None if author is GOLD else BEN)


def test_every_phase_and_author_has_its_line():
    assert [(phase, author) for phase, author, *_ in OTHERS] == list(product(Phase, Author))


@pytest.mark.parametrize("takes_away", [False, True])
@pytest.mark.parametrize("facts", ANNOTATING, ids=said)
@pytest.mark.parametrize(("phase", "author", "reason", "_"), OTHERS)
def test_anothers_answer_to_who_annotates(phase, author, reason, _, facts, takes_away):
    asked = reader(**facts, takes_away=takes_away)
    assert reason_to_withhold(asked, by_ben(author, phase)) == reason


@pytest.mark.parametrize("takes_away", [False, True])
@pytest.mark.parametrize("rater", [CLEO, None])
@pytest.mark.parametrize("facts", LOOKING_ON, ids=said)
@pytest.mark.parametrize(("phase", "author", "_", "reason"), OTHERS)
def test_anothers_answer_to_who_looks_on(phase, author, _, reason, facts, rater, takes_away):
    asked = reader(**facts, rater=rater, takes_away=takes_away)
    assert reason_to_withhold(asked, by_ben(author, phase)) == reason


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("facts", [*ANNOTATING, *LOOKING_ON, {"roles": set()}], ids=said)
def test_ones_own_answer_is_always_shown(facts, phase):
    asked = reader(**facts, rater=BEN)
    assert reason_to_withhold(asked, by_ben(HUMAN, phase)) is None


@pytest.mark.parametrize("facts", [*ANNOTATING, *LOOKING_ON], ids=said)
@pytest.mark.parametrize(("phase", "reason"), [(OPEN, STILL_OPEN), (AGAIN, None), (SETTLED, None)])
def test_a_file_does_not_tell_which_of_ones_own_came_back_unmarked(facts, phase, reason):
    asked = reader(**facts, rater=BEN, takes_away=True)
    assert reason_to_withhold(asked, by_ben(HUMAN, phase)) == reason


@pytest.mark.parametrize(("phase", "author", "_", "__"), OTHERS)
def test_somebody_without_a_role_in_the_study_never_sees_anothers(phase, author, _, __):
    for rater in (CLEO, None):
        asked = reader(roles=set(), rater=rater)
        assert reason_to_withhold(asked, by_ben(author, phase)) == NOT_ON_THE_TEAM


@pytest.mark.parametrize(("phase", "author", "_", "reason"), OTHERS)
def test_who_works_on_the_server_waits_for_the_round_too(phase, author, _, reason):
    assert reason_to_withhold(OPERATOR, by_ben(author, phase)) == reason


@pytest.mark.parametrize("phase", [AGAIN, SETTLED])
@pytest.mark.parametrize("facts", [*ANNOTATING, *LOOKING_ON, {"roles": set()}], ids=said)
def test_nothing_of_judges_is_told_where_one_answer_of_a_judge_is_not(facts, phase):
    asked = reader(**facts)
    assert reason_to_withhold_judges(asked) == reason_to_withhold(asked, by_ben(JUDGE, phase))


@pytest.mark.parametrize("facts", [*ANNOTATING, *LOOKING_ON], ids=said)
def test_an_item_is_told_whole_or_not_at_all(facts):
    assert reason_to_withhold_item(reader(**facts), is_rated_now=True) == STILL_OPEN
    assert reason_to_withhold_item(reader(**facts), is_rated_now=False) is None


@pytest.mark.parametrize(
    ("withheld", "reasons"),
    [
        ({"has_single": False}, (PER_RATER, PER_RATER, None)),
        ({"has_gold": False}, (None, None, MAJORITY)),
        ({"judges_are_blinded": True}, (None, BLINDED, None)),
    ],
)
def test_levels_and_blinding_withhold_what_they_are_about(withheld, reasons):
    asked = reader(roles={"researcher"}, **withheld)
    found = tuple(reason_to_withhold(asked, by_ben(author, SETTLED)) for author in Author)
    assert found == reasons


def test_what_is_held_out_is_what_judges_answer():
    asked = reader(roles={"researcher"})
    held_out = [replace(by_ben(author, SETTLED), is_held_out=True) for author in Author]
    assert [reason_to_withhold(asked, one) for one in held_out] == [None, HELD_OUT, None]
    assert reason_to_withhold_judges(asked, is_held_out=True) == HELD_OUT
    assert reason_to_withhold_judges(asked) is None


@pytest.mark.parametrize("are_blinded", [False, True])
@pytest.mark.parametrize("runs_judges", [False, True])
def test_names_of_blinded_judges_are_for_who_runs_them(are_blinded, runs_judges):
    reason = reason_to_withhold_names(judges_are_blinded=are_blinded, runs_judges=runs_judges)
    assert reason == (NAMES_ARE_BLINDED if are_blinded and not runs_judges else None)


@pytest.mark.parametrize(
    ("splits", "missing"),
    [
        (set(Split), None),
        ({Split.OPEN}, DataLevel.RESTRICTED_SPLIT),
        ({Split.RESTRICTED}, DataLevel.OPEN_SPLIT),
        (set(), DataLevel.OPEN_SPLIT),
    ],
)
def test_the_whole_data_set_is_for_who_has_every_split(splits, missing):
    asked = reader(roles={"researcher"}, splits=frozenset(splits))
    assert reason_to_withhold_splits(asked) == (missing and WITHOUT_LEVEL[missing])


PHASES = [
    (RoundState.OPEN, True, OPEN),
    (RoundState.CLOSED, True, AGAIN),
    (RoundState.CLOSED, False, SETTLED),
    (None, True, AGAIN),
    (None, False, SETTLED),
    ("open", True, OPEN),
    ("closed", True, AGAIN),
]


@pytest.mark.parametrize(("given_in", "is_rated_now", "phase"), PHASES)
def test_the_phase_of_an_answer(given_in, is_rated_now, phase):
    assert phase_of(given_in, is_rated_now=is_rated_now) is phase
