"""The published ratings, read once for all tests of a file."""

import pytest
from django.db import connection, transaction

from tests.analytics.published import mentalalign


@pytest.fixture(scope="module")
def published(django_db_setup, django_db_blocker, shared):
    """The study of the MentalAlign workbooks; gone again after the last test of the file."""
    with django_db_blocker.unblock(), transaction.atomic():
        study = mentalalign(shared / "data")
        with connection.cursor() as cursor:
            # Check the rows once, not after each test.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        yield study
        transaction.set_rollback(True)
