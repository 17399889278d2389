"""Which moves a round, an assignment, an item and a job of files may make."""

from itertools import product

import pytest

from annotation.rules.lifecycle import (
    ASSIGNMENT_MOVES,
    ITEM_MOVES,
    JOB_MOVES,
    ROUND_MOVES,
    STEP_MOVES,
    AssignmentState,
    ItemState,
    JobState,
    RoundState,
    RoundStep,
    diagrams,
    first_of,
    problem_with_move,
    sources_of,
)

ALLOWED = [
    (ROUND_MOVES, "open", "closed"),
    (ROUND_MOVES, "open", "cancelled"),
    (STEP_MOVES, "rating", "gate"),
    (STEP_MOVES, "gate", "re_review"),
    (STEP_MOVES, "gate", "deciding"),
    (ASSIGNMENT_MOVES, "open", "submitted"),
    (ASSIGNMENT_MOVES, "open", "released"),
    (ASSIGNMENT_MOVES, "released", "open"),
    (ITEM_MOVES, "rating", "agreed"),
    (ITEM_MOVES, "rating", "disagreed"),
    (ITEM_MOVES, "agreed", "disagreed"),
    (ITEM_MOVES, "disagreed", "agreed"),
    (ITEM_MOVES, "disagreed", "reviewed"),
    (ITEM_MOVES, "disagreed", "discussed"),
    (ITEM_MOVES, "disagreed", "second"),
    (ITEM_MOVES, "disagreed", "adjudicated"),
    (ITEM_MOVES, "second", "split"),
    (ITEM_MOVES, "second", "adjudicated"),
    (ITEM_MOVES, "split", "adjudicated"),
    (ITEM_MOVES, "reviewed", "disagreed"),
    (ITEM_MOVES, "discussed", "consensus"),
    (ITEM_MOVES, "discussed", "disagreed"),
    (JOB_MOVES, "waiting", "running"),
    (JOB_MOVES, "waiting", "cancelled"),
    (JOB_MOVES, "running", "waiting"),
    (JOB_MOVES, "running", "done"),
    (JOB_MOVES, "running", "refused"),
    (JOB_MOVES, "running", "cancelled"),
    (JOB_MOVES, "running", "failed"),
]
ALL_MOVES = [ROUND_MOVES, STEP_MOVES, ASSIGNMENT_MOVES, ITEM_MOVES, JOB_MOVES]
KINDS = list(
    zip(ALL_MOVES, [RoundState, RoundStep, AssignmentState, ItemState, JobState], strict=True)
)


@pytest.mark.parametrize(("moves", "states"), KINDS)
def test_only_the_moves_in_the_table_are_allowed(moves, states):
    for old, new in product(states, states):
        problem = problem_with_move(moves, old, new)
        assert (problem is None) == ((moves, old.value, new.value) in ALLOWED)


@pytest.mark.parametrize(("moves", "states"), KINDS)
def test_every_state_has_its_line_and_can_be_reached(moves, states):
    assert list(moves) == list(states)
    reached = {next(iter(states))}
    for _ in states:
        reached |= {new for old in reached for new in moves[old]}
    assert reached == set(states)


@pytest.mark.parametrize(("moves", "states"), KINDS)
def test_the_states_before_a_state_are_those_that_may_become_it(moves, states):
    for new in states:
        allowed = [old for table, old, to in ALLOWED if (table, to) == (moves, new.value)]
        assert [old.value for old in sources_of(moves, new)] == allowed


@pytest.mark.parametrize(
    ("moves", "first"), [(ROUND_MOVES, "open"), (ASSIGNMENT_MOVES, "open"), (ITEM_MOVES, "rating")]
)
def test_everything_begins_in_the_first_state_of_its_table(moves, first):
    assert first_of(moves) == first


def test_a_refused_move_names_both_states():
    problem = problem_with_move(ROUND_MOVES, RoundState.CLOSED, RoundState.OPEN)
    assert problem == "It is closed and cannot become open."


def test_a_move_that_somebody_else_has_made_is_told_as_made():
    problem = problem_with_move(ITEM_MOVES, ItemState.ADJUDICATED, ItemState.ADJUDICATED)
    assert problem == "It is adjudicated already."


def test_a_state_may_come_as_text_from_the_database():
    assert problem_with_move(ROUND_MOVES, "open", "closed") is None
    assert problem_with_move(ITEM_MOVES, "rating", "adjudicated") == (
        "It is being rated and cannot become adjudicated."
    )


def test_every_state_has_words_for_a_refusal():
    for moves, states in KINDS:
        for state in states:
            assert problem_with_move(moves, state, state)


def test_the_diagrams_show_every_state_and_move():
    drawn = diagrams()
    title, first, _rest = drawn.split("```", 2)
    assert title.startswith("# Lifecycle\n\n## Round\n\nA round takes submissions while it is open")
    assert first.startswith("mermaid\nstateDiagram-v2\n    [*] --> open\n")
    for _, old, new in ALLOWED:
        assert f"    {old} --> {new}\n" in drawn
    for last in ("closed", "submitted", "adjudicated"):
        assert f"    {last} --> [*]\n" in drawn
    assert drawn.count(" --> ") == len(ALLOWED) + 11 + 5
    assert drawn.endswith("```\n")
