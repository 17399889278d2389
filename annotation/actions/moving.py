"""The one way from state to state for rounds, assignments and items: by the lifecycle's tables."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from django.db.models import Model, QuerySet
from psycopg.sql import SQL, Composable, Identifier, Literal

from accounts.models.prepared import preparing_cursor
from annotation.models import Assignment, Round, RoundItem
from annotation.rules.lifecycle import (
    ASSIGNMENT_MOVES,
    ITEM_MOVES,
    ROUND_MOVES,
    AssignmentState,
    ItemState,
    Moves,
    RoundState,
    sources_of,
)

To = RoundState | AssignmentState | ItemState

MOVES: Mapping[type[Model], Moves[Any]] = {
    Round: ROUND_MOVES,
    Assignment: ASSIGNMENT_MOVES,
    RoundItem: ITEM_MOVES,
}


class MayNotMove(Exception):
    """A row is in a state from which the lifecycle leads no way to the new one."""


class InSql(NamedTuple):
    """A move as parts of an UPDATE: what it sets, and on which condition."""

    sets: Composable
    where: Composable


def move(rows: QuerySet[Any], to: To, **also: object) -> int:
    """Move those of the rows that may, with their other columns; return how many did."""
    may = sources_of(MOVES[rows.model], to)
    return rows.filter(state__in=may).update(state=to.value, **also)


def move_one(row: Model, to: To, **also: object) -> None:
    """Move a row whose lock the caller holds. MayNotMove."""
    if not move(_as_rows(row), to, **also):
        raise MayNotMove(f"{row} cannot become {to}.")
    for name, value in {"state": to.value, **also}.items():
        setattr(row, name, value)


def move_or_stay(row: Model, to: To) -> None:
    """The same for a row that may be there already."""
    with preparing_cursor() as cursor:
        cursor.execute(_move_or_stay(type(row), to), {"pk": row.pk})
        if not cursor.rowcount:
            raise MayNotMove(f"{row} cannot become {to}.")


def in_sql(model: type[Model], to: To) -> InSql:
    """The move for a statement that makes it along with others."""
    may = SQL(", ").join(Literal(old.value) for old in sources_of(MOVES[model], to))
    return InSql(
        sets=SQL("state = {}").format(Literal(to.value)), where=SQL("state IN ({})").format(may)
    )


@cache
def _move_or_stay(model: type[Model], to: To) -> str:
    may = [old.value for old in sources_of(MOVES[model], to)]
    return (
        SQL("UPDATE {} SET state = {} WHERE id = %(pk)s AND state IN ({})")
        .format(
            Identifier(model._meta.db_table),
            Literal(to.value),
            SQL(", ").join(map(Literal, [*may, to.value])),
        )
        .as_string()
    )


def _as_rows(row: Model) -> QuerySet[Any]:
    return type(row)._default_manager.filter(pk=row.pk)
