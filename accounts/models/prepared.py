"""Querysets for the busiest pages: their SQL is worked out once a process."""

from collections.abc import Callable
from functools import cached_property
from inspect import signature

from django.db import connection
from django.db.models import QuerySet
from psycopg.sql import quote

# No row has such an id or key: it marks the place of a value in the parameters of a statement.
FIRST_MARK = -(2**31)


class Prepared:
    """A queryset of `values_list` that depends on whole numbers and keys only.

    Django takes several times longer to turn a queryset into SQL than PostgreSQL takes to answer.
    `build` gets a mark for each of its parameters (text if annotated `str`, else a number);
    `first` runs the same SQL, which PostgreSQL plans once a connection, with the values instead.
    """

    def __init__(self, build: Callable[..., QuerySet]):
        self._build = build

    def first(self, **values: int | str) -> tuple | None:
        """The first row for these values, as the columns of `values_list`."""
        with connection.preparing_cursor() as cursor:
            cursor.execute(self._statement, values)
            return cursor.fetchone()

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
