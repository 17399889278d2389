"""Import ratings from a file."""

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import RatingsReport, import_ratings
from annotation.actions.imports.refusals import CannotImport
from annotation.management.asking import (
    account_named,
    add_by,
    progress,
    source_named,
    study_named,
)
from annotation.management.reporting import conclude, counts, print_lines
from annotation.models import RaterKind
from annotation.readers.problems import CannotRead


class Command(BaseCommand):
    help = (
        "Import ratings into a study: all of a file or, if a row is wrong, nothing. Reads the "
        "MentalAlign layout (.xlsx: a row per conversation, a column human_response_SOURCE or "
        "judge_response_SOURCE whose cells hold JSON; one rater a file) and tables with one rating "
        "a row (.csv in UTF-8 or .jsonl: item, criterion, value, and rater unless --rater names "
        "it). What cannot be read as a value is stored without one, with the reason. A value off "
        "the scale is kept as released and flagged. Importing a file again changes nothing; "
        "changed ratings take the place of the earlier ones, which are kept."
    )

    def add_arguments(self, parser):
        parser.add_argument("study", help="the study's key")
        parser.add_argument("file", help="a .xlsx, .csv or .jsonl file")
        parser.add_argument("--rater", metavar="KEY", help="whose ratings these are")
        parser.add_argument("--name", help="the rater's name on screens")
        parser.add_argument(
            "--kind",
            choices=RaterKind.values,
            help="a person or an LLM judge; a workbook's columns say it",
        )
        parser.add_argument(
            "--own-source",
            nargs="+",
            metavar="SOURCE",
            help="sources of replies that a judge must not be measured on: its own family",
        )
        parser.add_argument(
            "--with-items",
            action="store_true",
            help="create the items that a workbook speaks of and the study lacks",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen, and name every bad row"
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="import the good rows and leave out the others"
        )
        add_by(parser)

    def handle(self, *, study, file, with_items, dry_run, skip_bad, by, **options):
        source = source_named(file)
        try:
            report = import_ratings(
                study_id=study_named(study).pk,
                source=source,
                rater=_rater_in(options),
                by=account_named(by),
                at=timezone.now(),
                with_items=with_items,
                skip_bad=skip_bad,
                dry_run=dry_run,
                watch=progress("rows"),
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

    def _print(self, name: str, report: RatingsReport) -> None:
        self.stdout.write(
            f"{name} ({report.layout}): {report.ratings:,} ratings of {report.sets:,} items"
        )
        print_lines(
            self.stdout,
            [
                ("new items", report.items.new if report.items else 0),
                ("raters", report.raters),
                ("items rated for the first time", report.new),
                ("items whose ratings changed", report.changed),
                ("items whose ratings are as before", report.unchanged),
                ("ratings", report.n_scored),
                ("of them off the scale, kept and flagged", counts(report.off_scale)),
                ("without a value", counts(report.unscored)),
                ("conversations with another text than the study's", report.other_texts),
                ("bad rows", report.problems.count),
                ("fields that nothing was read from", ", ".join(report.ignored)),
            ],
        )


def _rater_in(options) -> RaterGiven | None:
    key = options["rater"]
    if key is None:
        if options["name"] or options["kind"] or options["own_source"]:
            raise CommandError("--name, --kind and --own-source describe a rater: give --rater.")
        return None
    try:
        validate_slug(key)
    except ValidationError:
        raise CommandError(
            "A rater's key is made of Latin letters, digits, hyphens and underscores."
        ) from None
    return RaterGiven(
        key=key,
        name=options["name"],
        kind=RaterKind(options["kind"]) if options["kind"] else None,
        own_generators=options["own_source"],
    )
