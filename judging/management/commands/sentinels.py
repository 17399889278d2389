"""Place sentinels for a judge, ask about them now, list them, retire them."""

import secrets

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accounts.management.refusing import refusing
from accounts.models import User
from annotation.management.asking import account_named, add_by, study_named
from annotation.models import Study
from judging.actions import runs, sentinels
from judging.models import Judge, SentinelSet
from judging.queries import sentinels as queries


class Command(BaseCommand):
    help = (
        "Sentinels are items that a judge has answered and is asked about again every so often, and "
        "when its endpoint names another LLM or configuration. Answers to prompts that are the same "
        "to the byte are held against a margin; the trust card, `gate` and a letter say what came "
        "of it. Without more than the study this lists them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's key")
        parser.add_argument("--judge", metavar="KEY", help="the judge's key")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--ask", action="store_true", help="ask about them now")
        what.add_argument(
            "--replace-by",
            metavar="KEY",
            help="ask another judge about them, that is to replace it",
        )
        what.add_argument("--retire", action="store_true", help="ask about them no more")
        parser.add_argument("--items", type=int, default=60, help="how many at most (default 60)")
        parser.add_argument(
            "--margin", type=float, default=0.1, help="share that may change (default 0.1)"
        )
        parser.add_argument("--every", type=int, default=7, metavar="DAYS", help="default 7")
        parser.add_argument("--seed", help="drawn anew where none is given")
        add_by(parser)

    def handle(
        self,
        *args: object,
        study: str,
        judge: str | None,
        ask: bool,
        retire: bool,
        replace_by: str | None,
        items: int,
        margin: float,
        every: int,
        seed: str | None,
        by: str | None,
        **options: object,
    ) -> None:
        studied, account = study_named(study), account_named(by)
        if judge is None:
            for one in queries.in_force(studied):
                self._tell(one)
        elif retire:
            held = self._held(studied, judge)
            sentinels.retire(sentinels=held, by=account, at=timezone.now())
            self.stdout.write("The judge is not asked about them any more.")
        elif ask or replace_by:
            self._ask(self._held(studied, judge), replace_by, account)
        else:
            self._place(studied, judge, account, items, margin, every, seed)

    def _place(
        self,
        study: Study,
        judge: str,
        by: User | None,
        items: int,
        margin: float,
        every: int,
        seed: str | None,
    ) -> None:
        found = Judge.objects.filter(rater__key=judge, runs__study=study, generator=None).first()
        if found is None:
            raise CommandError(f"No judge “{judge}” was asked in this study.")
        with refusing(sentinels.CannotWatch):
            made = sentinels.place(
                study=study,
                judge=found,
                n_items=items,
                margin=margin,
                every_days=every,
                seed=seed or secrets.token_hex(8),
                by=by,
                at=timezone.now(),
            )
        self._tell(made)

    def _held(self, study: Study, judge: str) -> SentinelSet:
        held = queries.in_force(study).filter(judge__rater__key=judge).first()
        if held is None:
            raise CommandError(f"“{judge}” has no sentinels in this study.")
        return held

    def _ask(self, held: SentinelSet, other: str | None, by: User | None) -> None:
        at = timezone.now()
        with refusing(sentinels.CannotWatch, runs.CannotRun):
            if other is None:
                run = sentinels.ask(sentinels=held, why="by hand", by=by, at=at)
            else:
                found = queries.may_replace(held).filter(rater__key=other).first()
                to = found.rater_id if found else 0
                run = sentinels.bridge(sentinels=held, to=to, by=by, at=at)
        self.stdout.write(f"Run {run.pk}. Watch it with: manage.py judge watch {run.pk}")

    def _tell(self, one: SentinelSet) -> None:
        self.stdout.write(
            f"{one.judge.rater.key}: {one.members.count()} sentinels, margin {one.margin:g}, every "
            f"{one.every_days} days, seed {one.seed}"
        )
