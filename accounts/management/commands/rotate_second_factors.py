"""`manage.py rotate_second_factors`: write the seeds of second factors anew, under the first key."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts.actions import factors


class Command(BaseCommand):
    help = (
        "Encrypt the seeds of second factors under the first of CONCORD_SECOND_FACTOR_KEYS (or the"
        " SECRET_KEY, if there is none). Afterwards the others may be forgotten."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{factors.rotate()} second factors are under the first key.")
