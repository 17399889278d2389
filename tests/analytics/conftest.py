"""The published ratings, read once for all tests and all workers of `-n`."""

import fcntl
from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from annotation.models import Study
from tests.analytics.published import dialogue_safety, mentalalign
from tests.databases import MIGRATED, copy, is_there, using
from tests.services import folder_of_all_workers


@pytest.fixture(scope="module")
def published(published_database, django_db_blocker):
    """The study of the MentalAlign workbooks; what the tests of a file change is undone after it."""
    yield from _for_a_file(django_db_blocker, published_database, "mentalalign")


@pytest.fixture(scope="module")
def recorded(published_database, django_db_blocker):
    """The study of the five recorded runs over DialogueSafety, likewise."""
    yield from _for_a_file(django_db_blocker, published_database, "dialogue-safety")


def _for_a_file(django_db_blocker, database, key) -> Iterator[Study]:
    with django_db_blocker.unblock(), using(database), transaction.atomic():
        yield Study.objects.get(key=key)
        transaction.set_rollback(True)


@pytest.fixture(scope="session")
def published_database(
    django_db_setup, django_db_blocker, request, tmp_path_factory, shared
) -> str:
    """A database of this worker with both studies, copied from the one in which they were read."""
    with (
        django_db_blocker.unblock(),
        (folder_of_all_workers(request, tmp_path_factory) / "published.lock").open("w") as lock,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole, ours = "test_published", f"{connection.settings_dict['NAME']}_published"
        if not is_there(whole):
            copy(MIGRATED, whole)
            with using(whole):
                number_from_a_million()
                for make in (mentalalign, dialogue_safety):
                    make(shared / "data")
        if not is_there(ours):
            copy(whole, ours)
    return ours


def number_from_a_million() -> None:
    """What a process knows by an id may not be of another database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(oid::regclass, 1000000) FROM pg_class WHERE relkind = 'S'")
