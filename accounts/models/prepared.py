"""Querysets for the busiest pages: their SQL is worked out once a process."""

from collections.abc import Callable, Mapping
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
        self._names = tuple(signature(build).parameters)

    def first(self, **values: int | str | None) -> tuple[Any, ...] | None:
        """The first row for these values, as the columns of `values_list`."""
        with self._run(values) as cursor:
            row: tuple[Any, ...] | None = cursor.fetchone()
            return row

    def all(self, **values: int | str | None) -> list[tuple[Any, ...]]:
        """Every row for these values."""
        with self._run(values) as cursor:
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def _run(self, values: Mapping[str, int | str | None]) -> CursorWrapper:
        cursor: CursorWrapper = connection.preparing_raw_cursor()  # type: ignore[attr-defined]  # config.postgres
        given = [values[name] for name in self._names]
        cursor.execute(self._statement, given)  # type: ignore[arg-type]  # psycopg takes bytes too
        return cursor

    @cached_property
    def _statement(self) -> bytes:
        """The SQL with the values by number; what never differs is part of it, for the planner."""
        marks = {
            name: parameter.annotation(FIRST_MARK + place)
            if parameter.annotation is str
            else FIRST_MARK + place
            for place, (name, parameter) in enumerate(signature(self._build).parameters.items())
        }
        sql, params = self._build(**marks).query.sql_with_params()
        numbers = {mark: f"${place}" for place, mark in enumerate(marks.values(), start=1)}
        written = tuple(
            numbers[value] if isinstance(value, int | str) and value in numbers else _literal(value)
            for value in params
        )
        statement: str = sql % written
        return statement.encode()


def _literal(value: object) -> str:
    return quote(value, connection.connection)
