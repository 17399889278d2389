"""Back a server up while it runs."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from accounts.operations import backups


class Command(BaseCommand):
    help = (
        "Copy every table as it is at one moment, the uploads, the signing key and the files of "
        "checkpoints into a new folder. The server may run. The folder holds everything that "
        "people wrote: keep it as closed as the server. SECRET_KEY is not in it; keep that apart."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", help="a folder that is not there")

    def handle(self, *args: Any, folder: str, **options: Any) -> None:
        with refusing(backups.CannotBackUp):
            made = backups.back_up(to=Path(folder), by=None, at=timezone.now())
        self.stdout.write(f"{made.rows:,} rows and {made.files:,} files.\nSHA-256 {made.sha256}")
