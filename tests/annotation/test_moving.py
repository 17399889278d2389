"""Rounds, assignments and items move as the lifecycle says, one by one, in sets and in SQL."""

from itertools import product

import pytest
from django.db import connection
from psycopg.sql import SQL

from annotation.actions.moving import (
    MOVES,
    MayNotMove,
    in_sql,
    move,
    move_one,
    move_or_stay,
)
from annotation.models import Assignment, Round, RoundItem
from annotation.rules.lifecycle import first_of

CASES = [(model, old, new) for model, moves in MOVES.items() for old, new in product(moves, moves)]
MOVED = pytest.mark.parametrize(("model", "old", "new"), CASES, ids=str)


def row_in(model, state, at, by):
    """A row of the round that stands in `state`, however it came there."""
    row = model.objects.first()
    model.objects.filter(pk=row.pk).update(state=state, **also(model, state, at, by))
    row.refresh_from_db()
    return row


def also(model, new, at, by):
    """What the database asks for with a state."""
    if model is not Round:
        return {}
    is_over = new != "open"
    return {
        "closed_at": at if is_over else None,
        "closed_by": by if is_over else None,
        "cancel_reason": "It had the wrong panel." if new == "cancelled" else "",
    }


@MOVED
def test_rows_move_as_the_table_says(pond_round, ada, model, old, new):
    at = pond_round.opened_at
    row = row_in(model, old, at, ada)
    may = new in MOVES[model][old]
    assert move(model.objects.filter(pk=row.pk), new, **also(model, new, at, ada)) == may
    row.refresh_from_db()
    assert row.state == (new if may else old)


@MOVED
def test_one_row_moves_or_says_that_it_may_not(pond_round, ada, model, old, new):
    at = pond_round.opened_at
    row = row_in(model, old, at, ada)
    if new in MOVES[model][old]:
        move_one(row, new, **also(model, new, at, ada))
        assert row.state == new
    else:
        with pytest.raises(MayNotMove):
            move_one(row, new)
        assert row.state == old
    stored = model.objects.get(pk=row.pk)
    assert stored.state == row.state
    if model is Round:
        assert (stored.closed_at, stored.closed_by) == (row.closed_at, row.closed_by)


@pytest.mark.parametrize(
    ("old", "new"), [(old, new) for model, old, new in CASES if model is RoundItem]
)
def test_an_item_may_come_to_where_it_is(pond_round, ada, old, new):
    row = row_in(RoundItem, old, pond_round.opened_at, ada)
    may = old == new or new in MOVES[RoundItem][old]
    if may:
        move_or_stay(row, new)
    else:
        with pytest.raises(MayNotMove):
            move_or_stay(row, new)
    row.refresh_from_db()
    assert row.state == (new if may else old)


@pytest.mark.parametrize(
    ("old", "new"), [(old, new) for model, old, new in CASES if model is Assignment]
)
def test_a_statement_of_its_own_moves_by_the_same_table(pond_round, ada, old, new):
    row = row_in(Assignment, old, pond_round.opened_at, ada)
    to = in_sql(Assignment, new)
    with connection.cursor() as cursor:
        cursor.execute(
            SQL("UPDATE annotation_assignment SET {} WHERE {} AND id = %s")
            .format(to.sets, to.where)
            .as_string(),
            [row.pk],
        )
    row.refresh_from_db()
    assert row.state == (new if new in MOVES[Assignment][old] else old)


def test_all_begin_in_the_first_state(pond_round):
    for model, moves in MOVES.items():
        assert set(model.objects.values_list("state", flat=True)) == {first_of(moves)}
