"""Make a study of a release of Concord's."""

from pathlib import Path

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug
from django.utils import timezone

from analytics.exports import incoming
from annotation.actions.studies import KeyTaken
from annotation.management.asking import account_named, add_by


class Command(BaseCommand):
    help = (
        "Make a study of a release that Concord wrote, here or elsewhere: rubric, items, ratings, "
        "gold, judges and what is set aside, so that every figure is the same. Each file is "
        "checked against the manifest."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the archive")
        parser.add_argument("--key", required=True, help="the key of the new study")
        parser.add_argument("--name", default="", help="its name (default: as in the release)")
        parser.add_argument(
            "--coordinator", metavar="EMAIL", help="the account that looks after the study"
        )
        add_by(parser)

    def handle(
        self,
        *args: object,
        file: str,
        key: str,
        name: str,
        coordinator: str | None,
        by: str | None,
        **options: object,
    ) -> None:
        try:
            validate_slug(key)
            made = incoming.take_in(
                archive=Path(file),
                key=key,
                name=name,
                coordinator=account_named(coordinator),
                by=account_named(by),
                at=timezone.now(),
            )
        except ValidationError:
            raise CommandError(
                "A study's key is made of Latin letters, digits, hyphens and underscores."
            ) from None
        except (incoming.CannotTakeIn, KeyTaken) as reason:
            raise CommandError(str(reason)) from None
        self.stdout.write(
            f"Created the study “{made.study.key}” from {made.release}: {made.ratings:,} ratings "
            f"of {made.items:,} items.\nSigned with the key {made.signed_by}: compare it with the "
            "one that the server shows from which it came."
        )
