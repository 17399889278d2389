"""Write the report of a study, or compute one again."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import override

from accounts.management.refusing import refusing
from analytics.exports import writers
from analytics.report import actions as writeups
from analytics.report import bundle, numbers, sums
from analytics.report.basis import UnreadableReport
from annotation.management.asking import account_named, add_by, study_named


class Command(BaseCommand):
    help = (
        "Write the report of a study: methods, tables, figures, all numbers, and the ratings that "
        "they were computed from, people under pseudonyms. --check computes every number of a "
        "report again from the ratings in it, and fails if one differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", nargs="?", help="the study's key")
        parser.add_argument(
            "--to", metavar="FOLDER|FILE.zip", help="a folder or a file that is not there"
        )
        parser.add_argument(
            "--language", choices=["en", "zh-hans"], default="en", help="of the report"
        )
        parser.add_argument("--check", metavar="FOLDER|FILE.zip", help="a report to compute again")
        add_by(parser)

    def handle(
        self,
        *args: object,
        study: str | None,
        to: str | None,
        language: str,
        check: str | None,
        by: str | None,
        **options: object,
    ) -> None:
        if check:
            self._check(Path(check))
        elif study and to:
            self._write(study, Path(to), language, by)
        else:
            raise CommandError(
                "Name a study and with --to where its report goes, or with --check a report."
            )

    def _write(self, key: str, target: Path, language: str, by: str | None) -> None:
        if target.exists():
            raise CommandError(f"{target} is there already. Name another one.")
        if not target.parent.is_dir():
            raise CommandError(f"There is no folder {target.parent}.")
        study, account = study_named(key), account_named(by)
        with override(language):
            written = writeups.write_for_command(study=study, by=account, at=timezone.now())
        if written.reason:
            self.stderr.write(f"Without the ratings, so it cannot be checked: {written.reason}")
        if target.suffix == ".zip":
            target.write_bytes(writers.zipped(written.files))
        else:
            writers.unpacked(written.files, target)
        self.stdout.write(f"{target}: {len(written.files)} files, revision {written.revision}")

    def _check(self, place: Path) -> None:
        with refusing(UnreadableReport, about=f"{place}: "):
            found = numbers.check(bundle.read(place))
        for name in sorted(found.then):
            before, now = found.then[name], found.now.get(name, "not here")
            if before != now:
                self.stdout.write(f"{name}: {before} then, {now} now")
        for part in found.in_another_form:
            self.stdout.write(f"{part}: written in another form, compared where both have the same")
        for part, n in found.computed_otherwise.items():
            self.stdout.write(
                f"{part}: computed otherwise by this Concord, {n:,} of its numbers differ"
            )
        for part in found.not_compared:
            self.stdout.write(f"{part}: not written by this Concord, not compared")
        for part in found.not_there:
            self.stdout.write(f"{part}: not in this report, though this Concord writes it")
        for name in found.edited:
            self.stdout.write(f"{name}: not as it was written")
        if found.unknown:
            self.stdout.write(
                f"{len(found.unknown)} files, the first {found.unknown[0]}: not in {sums.FILE}, so "
                "nobody can say whether they are as they were written"
            )
        self.stdout.write(
            f"{found.n_numbers:,} numbers computed again; the greatest difference is "
            f"{found.greatest:.1e}."
        )
        if found.differing:
            raise CommandError(
                f"{len(found.differing)} places differ, the first at {found.differing[0]}."
            )
        if found.edited:
            raise CommandError(
                f"{len(found.edited)} files are not as they were written, the first {found.edited[0]}."
            )
