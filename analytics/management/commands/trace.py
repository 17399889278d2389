"""Say whose copy of a release a file was made from."""

import csv
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.refusing import refusing
from analytics.exports import tracing
from analytics.exports.jsonlines import NoRow
from analytics.exports.zips import UnreadableZip

_REFUSALS = (tracing.CannotTrace, UnreadableZip, NoRow, csv.Error, OSError, ValueError)


class Command(BaseCommand):
    help = (
        "Name the recipient whose copy of a release a file is or was made from, by the order of "
        "its rows; no value tells it. Reads the archive, or a table with a column “item” as .csv, "
        ".jsonl or .parquet, also a part of one. Says so where it cannot be told."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file that was found somewhere")

    def handle(self, *args: object, file: str, **options: object) -> None:
        path = Path(file)
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        with refusing(*_REFUSALS, about=f"{path}: "):
            found = tracing.trace(path)
        if found is None:
            self.stdout.write("Unknown: the rows stand in the order of nobody's copy.")
            return
        self.stdout.write(
            f"{found.email}, study {found.study}: {found.in_order} of {found.steps} steps from an "
            "item to the next go as in this copy alone."
        )
