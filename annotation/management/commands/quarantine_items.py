"""Set the items of a list aside from figures."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.actions.imports.quarantine import QuarantineReport, import_quarantine
from annotation.management.importing import ImportCommand


class Command(ImportCommand[QuarantineReport]):
    help = (
        "Set the items of a list aside from figures: all of them or, if a row is wrong, none. "
        "Reads a table (.csv in UTF-8 or the first sheet of an .xlsx) with a column item (its "
        "key), or with the columns ConvID and source as MentalAlign names them, and reason unless "
        "--reason gives one for all. Ratings and rounds stay as they are. Importing a list again "
        "changes nothing."
    )

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reason", default="", help="why the items of rows without a reason are set aside"
        )

    def run(self, options: Mapping[str, Any], **given: Any) -> QuarantineReport:
        return import_quarantine(reason=options["reason"], **given)

    def lines(self, report: QuarantineReport) -> list[tuple[str, int | str]]:
        return [("set aside", report.new), ("set aside before", report.unchanged)]
