"""Databases of tests: migrated once, copied, and emptied after a test that commits."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import TransactionTestCase
from psycopg.sql import SQL, Composed, Identifier, Literal

MIGRATED = "test_migrated"
STAYS = {"auth_permission", "django_content_type"}  # as `migrate` has left them


def pytest_configure() -> None:
    TransactionTestCase._fixture_teardown = lambda _case: empty_what_holds_rows()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix, django_db_blocker
) -> None:
    """Whoever comes first migrates a database, which each worker of each `pytest` copies as its own."""
    with django_db_blocker.unblock(), connection._nodb_cursor() as turn:
        turn.execute("SELECT pg_advisory_lock(hashtext(%s))", [MIGRATED])
        if not is_there(MIGRATED):
            copy("template0", MIGRATED)
            with using(MIGRATED):
                call_command("migrate", verbosity=0)
        if not is_there(own := connection.creation._get_test_db_name()):
            copy(MIGRATED, own)


@contextmanager
def using(database: str) -> Iterator[None]:
    """What asks for the database of the test meanwhile gets this one."""
    own = connection.settings_dict["NAME"]
    if own == database:  # already
        yield
        return
    try:
        connection.close()
        connection.settings_dict["NAME"] = database
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = own


def is_there(database: str) -> bool:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT FROM pg_database WHERE datname = %s", [database])
        return cursor.rowcount == 1


def copy(source: str, to: str) -> None:
    connection.close()  # nobody may be using it
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{to}" TEMPLATE "{source}"')


def empty_what_holds_rows() -> None:
    """Django would have the files of every table made anew, and write what stays again.

    Whoever still writes there is waited for; triggers and foreign keys rest meanwhile.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_which_hold_rows())
        if found := [Identifier(name) for (name,) in cursor.fetchall()]:
            cursor.execute("SET LOCAL session_replication_role = replica")
            locked = SQL("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE")
            cursor.execute(locked.format(SQL(", ").join(found)))
            cursor.execute(SQL("; ").join(map(SQL("DELETE FROM {}").format, found)))


@cache
def _which_hold_rows() -> Composed:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    holds_rows = SQL("SELECT {} WHERE EXISTS (SELECT FROM {})")
    of_each = [holds_rows.format(Literal(name), Identifier(name)) for name in {*names} - STAYS]
    return SQL(" UNION ALL ").join(of_each)
