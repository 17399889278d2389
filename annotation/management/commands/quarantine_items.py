"""Set the items of a list aside from figures."""

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.actions.imports.quarantine import import_quarantine
from annotation.actions.imports.refusals import CannotImport
from annotation.management.asking import (
    account_named,
    add_by,
    progress,
    source_named,
    study_named,
)
from annotation.management.reporting import conclude, print_lines
from annotation.readers.problems import CannotRead


class Command(BaseCommand):
    help = (
        "Set the items of a list aside from figures: all of them or, if a row is wrong, none. "
        "Reads a table (.csv in UTF-8) with a column item (its key), or with the columns ConvID "
        "and source as MentalAlign names them, and reason unless --reason gives one for all. "
        "Ratings and rounds stay as they are. Importing a list again changes nothing."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's key")
        parser.add_argument("file", help="a .csv file")
        parser.add_argument(
            "--reason", default="", help="why the items of rows without a reason are set aside"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen, and name every bad row"
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="take the good rows and leave out the others"
        )
        add_by(parser)

    def handle(self, *, study, file, reason, dry_run, skip_bad, by, **options):
        source = source_named(file)
        try:
            report = import_quarantine(
                study_id=study_named(study).pk,
                source=source,
                reason=reason,
                by=account_named(by),
                at=timezone.now(),
                skip_bad=skip_bad,
                dry_run=dry_run,
                watch=progress("rows"),
            )
        except (CannotRead, CannotImport) as error:
            raise CommandError(f"{source.name}: {error.sentence}") from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was imported.") from None
        self.stdout.write(f"{source.name} ({report.layout}): {report.rows:,} rows")
        print_lines(
            self.stdout,
            [
                ("set aside", report.new),
                ("set aside before", report.unchanged),
                ("bad rows", report.problems.count),
                ("fields that nothing was read from", ", ".join(report.ignored)),
            ],
        )
        conclude(
            self.stdout,
            self.stderr,
            file=source.name,
            problems=report.problems,
            is_written=report.is_written,
            dry_run=dry_run,
        )
