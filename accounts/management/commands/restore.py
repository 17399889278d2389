"""Bring a backup back."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from accounts.management.commands.migrate import as_owner
from accounts.management.refusing import refusing
from accounts.operations import backups


class Command(BaseCommand):
    help = (
        "Fill a new server with a backup: first `migrate` with the version of Concord that made "
        "it, then this, before anything else runs, with the SECRET_KEY of then. Afterwards "
        "`verify_audit` says whether all of it is as it was."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", help="what `backup` made")

    def handle(self, *args: Any, folder: str, **options: Any) -> None:
        with ExitStack() as stack:
            if settings.DATABASE_OWNER:
                stack.enter_context(as_owner(settings.DATABASE_OWNER))
            with refusing(backups.CannotRestore):
                made = backups.restore(source=Path(folder), at=timezone.now())
        self.stdout.write(
            f"{made.rows:,} rows and {made.files:,} files are back.\nSHA-256 {made.sha256}"
        )
