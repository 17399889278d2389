"""Statements of the busiest pages are prepared once a connection, and none is kept with its values."""

import gc

import pytest
from django.db import connection, transaction

from accounts.access import account_and_facts
from accounts.models import User
from tests.services import beside, came_of

pytestmark = pytest.mark.django_db


def prepared():
    """{statement: how often it was run}."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, generic_plans + custom_plans FROM pg_prepared_statements")
        return dict(cursor.fetchall())


def test_a_statement_is_prepared_at_its_first_run_and_run_again(ben, cleo):
    before = sum(prepared().values())
    account_and_facts(ben.pk)
    between = prepared()
    account_and_facts(cleo.pk)
    after = prepared()
    assert sum(between.values()) > before
    assert after.keys() == between.keys()
    assert sum(after.values()) == sum(between.values()) + 1


def test_what_was_written_is_kept_nowhere(ben):
    name = "Person " + "of-many-words " * 8
    User.objects.filter(pk=ben.pk).update(full_name=name)
    written = [one for one in gc.get_objects() if type(one) is tuple]
    assert not any(
        type(part) is bytes and b"of-many-words" in part for one in written for part in one
    )


def test_a_statement_is_prepared_once_however_large_a_number_is(ben):
    account_and_facts(ben.pk)
    before = prepared()
    account_and_facts(ben.pk + 2**16)
    account_and_facts(ben.pk + 2**40)
    assert prepared().keys() == before.keys()


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 10**30, -(2**63), -(10**30)])
def test_no_number_is_too_large_to_be_looked_for(ben, number):
    assert account_and_facts(number) is None
    assert account_and_facts(ben.pk)


def test_what_was_left_halfway_and_is_collected_in_a_statement_keeps_nobody_waiting():
    """A traceback makes such a cycle of whatever was read when something went wrong."""

    def numbers():
        with connection.chunked_cursor() as cursor:
            cursor.execute("SELECT generate_series(1, 3)")
            yield from iter(cursor.fetchone, None)

    def leave_halfway() -> None:
        cycle = [numbers()]
        next(cycle[0])
        cycle.append(cycle)

    def ask() -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            leave_halfway()
            wait = connection.connection.wait
            connection.connection.wait = lambda *given: (gc.collect(), wait(*given))[1]
            cursor.execute("SELECT 17")
            [found] = cursor.fetchone()
        return found

    assert came_of(beside(ask)) == [17]
