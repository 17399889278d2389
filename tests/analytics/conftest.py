"""The published ratings, read once for all tests of a file."""

import pytest
from django.db import connection, transaction

from tests.analytics.published import dialogue_safety, mentalalign


@pytest.fixture(scope="module")
def published(django_db_setup, django_db_blocker, shared):
    """The study of the MentalAlign workbooks; gone again after the last test of the file."""
    yield from _for_a_file(django_db_blocker, mentalalign, shared)


@pytest.fixture(scope="module")
def recorded(django_db_setup, django_db_blocker, shared):
    """The study of the five recorded runs over DialogueSafety; gone again likewise."""
    yield from _for_a_file(django_db_blocker, dialogue_safety, shared)


def _for_a_file(django_db_blocker, make, shared):
    with django_db_blocker.unblock(), transaction.atomic():
        study = make(shared / "data")
        with connection.cursor() as cursor:
            # Check the rows once, not after each test.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        yield study
        transaction.set_rollback(True)
