"""`manage.py migrate` as the owner of the tables, who then says what the application may do.

Where DATABASE_OWNER_URL is set, migrations run under it, and the role of DATABASE_URL is made if it
is missing and gets its rights anew; so does the role of auditors, if one is named.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.commands import migrate
from django.db import connection

from accounts.ledger import roles


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if settings.DATABASE_OWNER is None:
            super().handle(*args, **options)
            return
        application = connection.settings_dict
        with as_owner(settings.DATABASE_OWNER):
            super().handle(*args, **options)
            roles.grant(
                application=application["USER"],
                password=application["PASSWORD"],
                auditor=settings.DATABASE_AUDITOR,
            )


@contextmanager
def as_owner(owner: dict[str, Any]) -> Iterator[None]:
    """Be connected as the owner."""
    usual = connection.settings_dict
    connection.close()
    connection.settings_dict = usual | owner
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = usual
