"""Hold a share of a study's items out, or end that."""

import secrets

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from annotation.management.asking import account_named, add_by, study_named
from judging.actions import holding_out


class Command(BaseCommand):
    help = (
        "Holds a share of the dialogues of a study out: no judge is asked about them but to "
        "certify it (judge start --hold-out), which is counted. The same seed, share and items "
        "draw the same. --end gives the hold-out up."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--percent", type=int, help="the share of the dialogues")
        what.add_argument("--end", metavar="REASON", help="give the hold-out up, and why")
        parser.add_argument("--seed", help="drawn anew where none is given, and printed")
        add_by(parser)

    def handle(
        self,
        *args: object,
        study: str,
        percent: int | None,
        end: str | None,
        seed: str | None,
        by: str | None,
        **options: object,
    ) -> None:
        studied, account, now = study_named(study), account_named(by), timezone.now()
        with refusing(holding_out.CannotHoldOut):
            if percent is None:
                holding_out.end(study=studied, reason=end or "", by=account, at=now)
                self.stdout.write("The hold-out has ended.")
                return
            drawn = holding_out.draw(
                study=studied,
                percent=percent,
                seed=seed or secrets.token_hex(8),
                by=account,
                at=now,
            )
        self.stdout.write(
            f"Held {drawn.held_out_items.count()} items out with the seed {drawn.seed}."
        )
