"""`manage.py seal_ledger`: seal now what the scheduler would seal within seconds."""

from typing import Any

from django.core.management.base import BaseCommand

from accounts.ledger import sealing


class Command(BaseCommand):
    help = "Put into the ledger's chain what waits for it, and leave a checkpoint."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{sealing.seal_all():,} rows sealed.")
