"""`manage.py verify_audit`: is the ledger whole, and is every row that it governs as it was?"""

import json
import re
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.ledger.checkpoints import Checkpoint
from accounts.ledger.verifying import REFUSALS, Audit, Finding, verify
from accounts.management.refusing import refusing


class Command(BaseCommand):
    help = "Compare the ledger with its checkpoints and with the rows that it governs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")
        parser.add_argument(
            "--checkpoints",
            type=Path,
            default=settings.CHECKPOINT_DIR,
            metavar="FOLDER",
            help="where the files of checkpoints are (default: %(default)s)",
        )
        parser.add_argument(
            "--no-checkpoint-files", action="store_true", help="the files are elsewhere"
        )
        parser.add_argument(
            "--checkpoint",
            action="append",
            default=[],
            metavar="ROW:HASH",
            help="one that came by mail or stands in another log",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with (
            refusing(OSError, about="The checkpoints cannot be read: "),
            refusing(*REFUSALS, about="The ledger cannot be read: "),
        ):
            audit = verify(
                folder=None if options["no_checkpoint_files"] else options["checkpoints"],
                others=[_checkpoint(text) for text in options["checkpoint"]],
            )
        if options["json"]:
            self.stdout.write(json.dumps({"is_sound": not audit.findings} | asdict(audit)))
        else:
            self._tell(audit)
        if audit.findings:
            sys.exit(1)

    def _tell(self, audit: Audit) -> None:
        self.stdout.write(
            f"{audit.n_sealed:,} rows of the ledger against {audit.n_checkpoints:,} checkpoints:"
            f" {audit.seconds_ledger:.1f} s. {audit.n_waiting:,} wait to be sealed."
        )
        self.stdout.write(f"{audit.n_rows:,} governed rows: {audit.seconds_rows:.1f} s.")
        if not audit.findings:
            self.stdout.write(self.style.SUCCESS("All of it is as it was written."))
            return
        first, *others = audit.findings
        self.stdout.write(self.style.ERROR(f"First bad row: {_sentence(first)}"))
        for finding in others:
            self.stdout.write(f"  also: {_sentence(finding)}")


def _checkpoint(text: str) -> Checkpoint:
    found = re.fullmatch("([0-9]{1,18}):([0-9a-f]{64})", text.lower())
    if found is None:
        raise CommandError(f"A checkpoint is ROW:HASH with 64 digits, not {text!r}.")
    return Checkpoint(sequence=int(found[1]), hash=found[2])


def _sentence(finding: Finding) -> str:
    where = f"{finding.table} {finding.id}" if finding.id is not None else finding.table
    if finding.sequence is not None:
        where += f" (row {finding.sequence:,} of the ledger)"
    values = (
        f" Expected {finding.expected}, found {finding.found or 'nothing'}."
        if finding.expected
        else ""
    )
    return f"{where}: {finding.problem}{values}"
