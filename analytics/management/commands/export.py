"""Export a study to a file."""

import shutil
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from analytics.exports import actions as exports
from annotation.management.asking import account_given, study_named


class Command(BaseCommand):
    help = (
        "Write a study into a zip: ratings, gold, items, judges and their calls, the rubric, and a "
        "manifest with SHA-256 sums; people are pseudonyms. The account named by --by passes the "
        "same gate as in the browser: it is approved and has the role “exporter” in the study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        parser.add_argument("--to", required=True, metavar="FILE", help="a file that is not there")
        parser.add_argument(
            "--by", required=True, metavar="EMAIL", help="the account that receives the export"
        )
        parser.add_argument(
            "--with-texts", action="store_true", help="put the texts of the dialogues in as well"
        )

    def handle(
        self, *args: object, study: str, to: str, by: str, with_texts: bool, **options: object
    ) -> None:
        target = Path(to)
        if target.exists():
            raise CommandError(f"{target} is there already. Name another file.")
        if not target.parent.is_dir():
            raise CommandError(f"There is no folder {target.parent}.")
        account, found = account_given(by), study_named(study)
        with refusing(exports.MayNotExport, about=f"No export for {by}: "):
            exports.pass_disclosure(found.key, by=account, at=timezone.now())
            built = exports.build(
                study_key=found.key, with_texts=with_texts, by=account, at=timezone.now()
            )
            export = exports.keep_record(built=built, by=account, at=timezone.now())
            exports.hand_over(built=built, export=export, by=account, at=timezone.now())
        shutil.move(built.path, target)
        built.remove()
        counts = built.manifest["counts"]
        self.stdout.write(
            f"{target}: {counts['ratings']:,} ratings of {counts['items']:,} items, "
            f"revision {export.revision}\nSHA-256 {export.sha256}"
        )
