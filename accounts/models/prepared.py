"""Querysets for the busiest pages: their SQL is worked out once a process."""

from collections.abc import Callable
from functools import cached_property
from inspect import signature
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet
from psycopg.sql import quote

# No row has such an id or key: it marks the place of a value in the parameters of a statement.
FIRST_MARK = -(2**31)


def preparing_cursor() -> CursorWrapper:
    """A cursor whose statements PostgreSQL plans once a connection; our database backend has it."""
    cursor: CursorWrapper = connection.preparing_cursor()  # type: ignore[attr-defined]  # config.postgres
    return cursor


class Prepared:
    """A queryset of `values_list` that depends on whole numbers and keys only.

    Django takes several times longer to turn a queryset into SQL than PostgreSQL takes to answer.
    `build` gets a mark for each of its parameters (text if annotated `str`, else a number);
    `first` and `all` run the same SQL, which PostgreSQL plans once a connection, with the values
    instead.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]):
        self._build = build

    def first(self, **values: int | str | None) -> tuple[Any, ...] | None:
        """The first row for these values, as the columns of `values_list`."""
        with preparing_cursor() as cursor:
            cursor.execute(self._statement, values)
            row: tuple[Any, ...] | None = cursor.fetchone()
            return row

    def all(self, **values: int | str | None) -> list[tuple[Any, ...]]:
        """Every row for these values."""
        with preparing_cursor() as cursor:
            cursor.execute(self._statement, values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    @cached_property
    def _statement(self) -> str:
        """The SQL with the values by name; what never differs is part of it, for the planner."""
        marks = {
            name: parameter.annotation(FIRST_MARK + place)
            if parameter.annotation is str
            else FIRST_MARK + place
            for place, (name, parameter) in enumerate(signature(self._build).parameters.items())
        }
        sql, params = self._build(**marks).query.sql_with_params()
        names = {mark: f"%({name})s" for name, mark in marks.items()}
        return sql.replace("%%", "%%%%") % tuple(
            names[value] if isinstance(value, int | str) and value in names else _literal(value)
            for value in params
        )


def _literal(value: object) -> str:
    return quote(value, connection.connection).replace("%", "%%")
