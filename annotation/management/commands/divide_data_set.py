"""Open a share of a data set."""

import secrets

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from annotation.actions import splits
from annotation.actions.grants import CannotGrant
from annotation.management.asking import account_named, add_by
from annotation.models import DataSet


class Command(BaseCommand):
    help = (
        "Puts a share of the dialogues of a data set into its open split, the same share of each "
        "source and gold. The same seed and share open the same items; what is open stays so."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="the key of the data set")
        parser.add_argument(
            "--open",
            type=int,
            required=True,
            metavar="PERCENT",
            dest="percent",
            help="the share that is to be open",
        )
        parser.add_argument("--seed", help="drawn anew where none is given, and printed")
        add_by(parser)

    def handle(
        self,
        *args: object,
        key: str,
        percent: int,
        seed: str | None,
        by: str | None,
        **options: object,
    ) -> None:
        data_set = DataSet.objects.filter(key=key).first()
        if data_set is None:
            raise CommandError(f"There is no data set “{key}”.")
        if not 0 <= percent <= 100:
            raise CommandError("The share is a percentage, from 0 to 100.")
        with refusing(CannotGrant):
            division = splits.divide(
                data_set_id=data_set.pk,
                open_percent=percent,
                seed=seed or secrets.token_hex(8),
                by=account_named(by),
                at=timezone.now(),
            )
        self.stdout.write(
            f"Opened {division.open_items.count()} items with the seed {division.seed}."
        )
