"""Write many rows at once, and let no two imports write at the same time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model
from psycopg import sql

Row = TypeVar("Row")
Watch = Callable[[Iterable[Any]], Iterable[Any]]


def one_import_at_a_time(study_id: int) -> None:
    """Let other imports into the study wait for the end of this transaction; raters do not wait."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('concord.import'), %s)", [study_id])


def tell_planner(*models: type[Model]) -> None:
    """Have PostgreSQL count tables that have grown much.

    Until it does, it takes them to be as small as before, and checks each reference to them by
    reading them from end to end: minutes instead of seconds.
    """
    if not models:
        return
    tables = sql.SQL(", ").join(sql.Identifier(model._meta.db_table) for model in models)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("ANALYZE {}").format(tables))


def check_references() -> None:
    """Have PostgreSQL check now what it would check on the commit.

    That takes long after many rows; what is locked afterwards is locked for a moment only.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def in_batches(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    rows = iter(rows)
    while batch := list(islice(rows, size)):
        yield batch


def take_ids(model: type[Model], count: int) -> list[int]:
    """Reserve primary keys, so that rows which refer to each other can be copied in one go."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, count],
        )
        return [number for (number,) in cursor.fetchall()]


def copy_in(model: type[Model], columns: Sequence[str], rows: Iterable[tuple[object, ...]]) -> None:
    """Write rows of `columns` (attribute names) with COPY; other columns get their default."""
    others = [
        field
        for field in model._meta.concrete_fields
        if field.attname not in columns and not field.primary_key
    ]
    defaults = tuple(
        field.get_db_prep_save(field.get_default(), connection=connection) for field in others
    )
    fields = {field.attname: field for field in model._meta.concrete_fields}
    wanted = [*(fields[name] for name in columns), *others]
    statement = sql.SQL("COPY {table} ({columns}) FROM STDIN").format(
        table=sql.Identifier(model._meta.db_table),
        columns=sql.SQL(", ").join(sql.Identifier(str(field.column)) for field in wanted),
    )
    # Django does not see this call, and would not name its errors as it does all others.
    named = connection.wrap_database_errors
    with connection.cursor() as cursor, named, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row + defaults)
