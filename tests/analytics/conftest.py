"""The published ratings, read once for all tests of a file."""

import pytest
from django.db import transaction

from tests.analytics.published import mentalalign


@pytest.fixture(scope="module")
def published(django_db_setup, django_db_blocker, shared):
    """The study of the MentalAlign workbooks; gone again after the last test of the file."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield mentalalign(shared / "data")
        transaction.set_rollback(True)
