"""Querysets for the busiest pages: their SQL is worked out once a process."""

from collections.abc import Callable
from functools import cached_property
from inspect import signature

from django.db import connection
from django.db.models import QuerySet

# No row has such an id: it marks the place of a value in the parameters of a statement.
FIRST_MARK = -(2**31)


class Prepared:
    """A queryset of `values_list` that depends on whole numbers only, such as ids.

    Django takes several times longer to turn a queryset into SQL than PostgreSQL takes to answer.
    `build` gets a number for each of its parameters; `first` runs the same SQL with other ones.
    """

    def __init__(self, build: Callable[..., QuerySet]):
        self._build = build

    def first(self, **values: int) -> tuple | None:
        """The first row for these values, as the columns of `values_list`."""
        sql, params = self._statement
        with connection.cursor() as cursor:
            cursor.execute(sql, [values[name] if name else fixed for name, fixed in params])
            return cursor.fetchone()

    @cached_property
    def _statement(self) -> tuple[str, list[tuple[str | None, object]]]:
        marks = {
            FIRST_MARK + place: name for place, name in enumerate(signature(self._build).parameters)
        }
        sql, params = self._build(
            **{name: mark for mark, name in marks.items()}
        ).query.sql_with_params()
        return sql, [
            (marks.get(value) if isinstance(value, int) else None, value) for value in params
        ]
