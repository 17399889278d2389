"""Say whether the sealed verdicts of a study still hold, for a pipeline that stops where not."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from analytics.trust import gating
from annotation.management.asking import study_named


class Command(BaseCommand):
    help = (
        "Hold the newest sealed verdicts of a study against today's ratings, under the rules that "
        "they were sealed by. Exits with 1 where one no longer holds, or where nothing was sealed "
        "that lets one use a judge."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            metavar="KEY",
            help="only this judge; may be repeated",
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="print JSON")

    def handle(self, *args: object, study: str, judge: list[str], **options: Any) -> None:
        with refusing(gating.NothingSealed):
            lines = gating.gate(study_named(study), judges=judge, at=timezone.now())
        if options["as_json"]:
            told = [
                {
                    "judge": one.judge,
                    "criterion": one.criterion,
                    "sealed": one.sealed,
                    "holds": not one.broken,
                    "why": one.broken,
                }
                for one in lines
            ]
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))
        else:
            for one in lines:
                state = f"no longer holds: {one.broken}" if one.broken else "holds"
                self.stdout.write(f"{one.judge}, {one.criterion}: “{one.sealed}” {state}.")
        if any(one.broken for one in lines):
            sys.exit(1)
