"""Put an edition of the confidentiality agreement in force."""

import sys
from datetime import timedelta
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.timezone import localdate

from accounts import access, editions
from accounts.actions import terms
from accounts.management.refusing import refusing


class Command(BaseCommand):
    help = (
        "Publish an edition of the confidentiality agreement. Without FILE: the one that ships with "
        "Concord. A text that was published before is left as it is; a new one has everybody sign "
        "again, within the days of grace that the file names (14 unless it does)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a TOML file")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen and change nothing"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask before publishing")

    def handle(
        self, *args: object, file: Path | None, dry_run: bool, yes: bool, **options: object
    ) -> None:
        with refusing(editions.UnreadableEdition):
            edition = editions.read(file or editions.newest_shipped())
        now = timezone.now()
        n_lapsing = access.who_may_enter(at=now).count()
        by = localdate(now + timedelta(days=edition.grace_days)).isoformat()
        lapses = f"People who lapse on {by}, unless they sign it before: {n_lapsing}."
        if dry_run:
            self.stdout.write(f"The file is sound. {lapses}")
            return
        if sys.stdin.isatty() and not yes and not _agreed(lapses):
            raise CommandError("Nothing was published.")
        published, is_new = terms.publish(edition=edition, by=None, at=now)
        if is_new:
            self.stdout.write(f"Edition {published.number} is in force. {lapses}")
        else:
            self.stdout.write(f"Published before, as edition {published.number}: nothing changed.")


def _agreed(lapses: str) -> bool:
    return input(f"{lapses} Publish it? [y/N] ").strip().lower() in {"y", "yes"}
