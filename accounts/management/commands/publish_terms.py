"""Put an edition of the confidentiality agreement in force."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts import editions
from accounts.actions import terms
from accounts.queries import people


class Command(BaseCommand):
    help = (
        "Publish an edition of the confidentiality agreement. Without FILE: the one that ships with "
        "Concord. A text that was published before is left as it is; a new one makes everybody sign "
        "again before they see anything more."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a TOML file")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen and change nothing"
        )

    def handle(self, *args: object, file: Path | None, dry_run: bool, **options: object) -> None:
        try:
            edition = editions.read(file or editions.newest_shipped())
        except editions.UnreadableEdition as problem:
            raise CommandError(str(problem)) from None
        waiting = people.n_who_may_enter(at=timezone.now())
        if dry_run:
            self.stdout.write(f"The file is sound. {waiting} accounts would have to sign again.")
            return
        published, is_new = terms.publish(edition=edition, by=None, at=timezone.now())
        if is_new:
            self.stdout.write(
                f"Edition {published.number} is in force. {waiting} accounts sign again."
            )
        else:
            self.stdout.write(f"Published before, as edition {published.number}: nothing changed.")
