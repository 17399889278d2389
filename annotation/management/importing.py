"""What every import command asks for, prints, and ends with."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from tqdm import tqdm

from annotation.actions.imports.refusals import CannotImport
from annotation.actions.imports.running import ImportReport
from annotation.management.asking import account_named, add_by, study_named
from annotation.readers.calling import called_in
from annotation.readers.problems import CannotRead
from annotation.readers.records import Source

Found = TypeVar("Found", bound=ImportReport)
Row = TypeVar("Row")


class ImportCommand(BaseCommand, Generic[Found]):
    """Reads one file into a study.

    A command says what more it asks for (`add_options`), which action it takes (`run`), and what
    it prints of the report: its `size`, and `lines` of what, and how many or which; blanks and
    zeros are left out.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        parser.add_argument("file", help="the file to read")
        self.add_options(parser)
        parser.add_argument(
            "--field",
            action="append",
            default=[],
            metavar="NAME=FIELD",
            help="what a field of the file is, such as question_id=item, or all whose names begin "
            "alike: 'safety_*=safety.*'; may be given several times",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would happen; nothing is written"
        )
        parser.add_argument(
            "--skip-bad", action="store_true", help="import the good rows and leave out the others"
        )
        add_by(parser)

    def add_options(self, parser: CommandParser) -> None:
        """Nothing more, unless a command says so."""

    def run(self, options: Mapping[str, Any], **given: Any) -> Found:
        raise NotImplementedError

    def size(self, report: Found) -> str:
        return f"{report.rows:,} rows"

    def lines(self, report: Found) -> Iterable[tuple[str, int | str]]:
        raise NotImplementedError

    def handle(
        self,
        *args: object,
        study: str,
        file: str,
        field: Sequence[str],
        dry_run: bool,
        skip_bad: bool,
        by: str | None,
        **options: Any,
    ) -> None:
        path = Path(file)
        try:
            report = self.run(
                options,
                study_id=study_named(study).pk,
                source=Source(
                    path=path,
                    name=path.name,
                    most_bytes=settings.UPLOAD_LIMIT_MB * 2**20,
                    called=called_in("\n".join(field)),
                ),
                by=account_named(by),
                at=timezone.now(),
                skip_bad=skip_bad,
                dry_run=dry_run,
                watch=_drawn,
            )
        except (CannotRead, CannotImport) as error:
            raise CommandError(f"{path.name}: {error.sentence}") from None
        except KeyboardInterrupt:
            raise CommandError("Stopped. Nothing was imported.") from None
        self._print(path.name, report)
        self._name_bad_rows(path.name, report)
        self._conclude(report, dry_run=dry_run)

    def _print(self, name: str, report: Found) -> None:
        self.stdout.write(f"{name} ({report.layout}): {self.size(report)}")
        lines = [
            *self.lines(report),
            ("bad rows", report.problems.count),
            ("fields that nothing was read from", ", ".join(report.ignored)),
        ]
        shown = [(what, how_many) for what, how_many in lines if how_many]
        width = max((len(what) for what, _ in shown), default=0)
        for what, how_many in shown:
            count = f"{how_many:,}" if isinstance(how_many, int) else how_many
            self.stdout.write(f"  {what:<{width}}  {count}")

    def _name_bad_rows(self, name: str, report: Found) -> None:
        problems = report.problems
        shown = problems.in_order
        for problem in shown:
            self.stderr.write(f"{name}, {problem.words}")
        if problems.count > len(shown):
            self.stderr.write(f"… and {problems.count - len(shown):,} more like these.")
        if problems.count:
            self.stderr.write(f"Rows that cannot be imported: {counts(problems.by_reason)}.")

    def _conclude(self, report: ImportReport, *, dry_run: bool) -> None:
        """Say whether anything was written; CommandError where rows are in the way of it."""
        bad = report.problems.count
        if report.is_written:
            self.stdout.write(
                f"Imported, but for rows that are wrong: {bad:,}." if bad else "Imported."
            )
        elif not bad:
            self.stdout.write("Dry run: nothing was written.")
        elif dry_run:
            raise CommandError(
                f"Dry run: rows that cannot be imported: {bad:,}. Nothing was written."
            )
        else:
            raise CommandError(
                f"Nothing was imported; rows that are wrong: {bad:,}. Correct them, or give "
                "--skip-bad to import the others."
            )


def counts(by_name: Mapping[str, int] | Mapping[int, int]) -> str:
    """“231 × 0, 8 × 6”, most frequent first."""
    ordered = sorted(by_name.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count:,} × {name}" for name, count in ordered)


def _drawn(rows: Iterable[Row]) -> Iterable[Row]:
    """Draw how rows pass on a terminal, and nowhere else."""
    return tqdm(rows, unit=" rows", file=sys.stderr, disable=None, leave=False)
