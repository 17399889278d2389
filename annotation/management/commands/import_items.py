"""Import items from a file."""

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.actions.imports.items import ItemsReport, import_items
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
        "Import items into a study: all of a file or, if a row is wrong, nothing. Reads the "
        "DialogueSafety layout (.json: context, response, label), a table (.csv in UTF-8: key, "
        "dialogue, reply, generator, content_note, gold.CRITERION), the same fields as JSON Lines "
        "(.jsonl, with the dialogue as text or as turns), and the MentalAlign layout (.xlsx: one "
        "item a conversation and source, without the replies). In a dialogue given as text each "
        "turn begins with [seeker] or [supporter]. Importing a file again changes nothing."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's key")
        parser.add_argument("file", help="a .json, .jsonl, .csv or .xlsx file")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen, and name every bad row"
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="import the good rows and leave out the others"
        )
        add_by(parser)

    def handle(self, *, study, file, dry_run, skip_bad, by, **options):
        source = source_named(file)
        try:
            report = import_items(
                study_id=study_named(study).pk,
                source=source,
                by=account_named(by),
                at=timezone.now(),
                skip_bad=skip_bad,
                dry_run=dry_run,
                watch=progress("items"),
            )
        except (CannotRead, CannotImport) as error:
            raise CommandError(f"{source.name}: {error.sentence}") from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was imported.") from None
        self._print(source.name, report)
        conclude(
            self.stdout,
            self.stderr,
            file=source.name,
            problems=report.problems,
            is_written=report.is_written,
            dry_run=dry_run,
        )

    def _print(self, name: str, report: ItemsReport) -> None:
        self.stdout.write(f"{name} ({report.layout}): {report.rows:,} rows")
        print_lines(
            self.stdout,
            [
                ("new items", report.new),
                ("in new dialogues", report.new_dialogues),
                ("without a reply", report.without_reply),
                ("already in the study", report.unchanged),
                ("new gold", report.new_gold),
                ("changed gold", report.changed_gold),
                ("gold that a round has decided otherwise", report.kept_gold),
                ("bad rows", report.problems.count),
                ("fields that nothing was read from", ", ".join(report.ignored)),
            ],
        )
