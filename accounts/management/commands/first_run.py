"""`manage.py first_run`: what the first steward of a new server needs; nothing on others."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts.actions import first_run


class Command(BaseCommand):
    help = (
        "Print the token with which the first data steward makes their account, if there is none."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        token = first_run.token()
        if token is not None:
            self.stdout.write(
                "Nobody decides on this server yet. Open /first-run/ in a browser within a day and"
                f" enter this token, which works once:\n\n  {token}\n"
            )
