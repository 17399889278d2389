"""Fill an empty demo server."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone
from tqdm import tqdm

from analytics import tasks
from annotation.actions.demo import people, simulated, studies
from annotation.models import Study
from judging import standin
from judging.actions import runs
from judging.actions.judges import Settings

KEY_OF_STAND_IN = "stand-in"  # the launcher's; a real endpoint would be paid for the demo
SILENT = "django.core.mail.backends.dummy.EmailBackend"


class Command(BaseCommand):
    help = (
        "Load the demo: people with known passwords, and studies whose dialogues and ratings were "
        "made up. Once loaded it is left as it is. Runs only where CONCORD_DEMO=1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--accounts", action="store_true", help="print the accounts and their password as well"
        )

    def handle(self, *args: object, accounts: bool, **options: object) -> None:
        if not settings.DEMO:
            raise CommandError(
                "The demo has known passwords, so it is loaded only where CONCORD_DEMO=1 is set."
            )
        if not studies.is_there():
            self._load()
        elif not accounts:
            self.stdout.write("The demo is loaded already.")
        if accounts:
            self._print_accounts()

    def _print_accounts(self) -> None:
        width = max(len(person.email) for person in people.EVERYBODY)
        self.stdout.write(f"Everybody's password: {people.PASSWORD}\n")
        for person in people.EVERYBODY:
            self.stdout.write(f"  {person.email:<{width}}  {person.part:<21} {person.try_this}")

    def _load(self) -> None:
        if people.others_are_here():
            raise CommandError(
                "This database has accounts, so it gets no demo with known passwords. "
                "Let DATABASE_URL name an empty database, or leave it unset."
            )
        now = timezone.now()
        steps = len(people.EVERYBODY) + studies.N_SUBMISSIONS + simulated.N_SUBMISSIONS
        with (
            tqdm(total=steps, desc="Loading the demo", unit="", disable=None) as bar,
            without_letters(),
            transaction.atomic(),
        ):
            cast = people.bring_in(at=now - timedelta(days=30), done=bar.update)
            support = studies.make_support(cast, at=now - timedelta(days=28))
            first = studies.rate_first_round(
                support, cast, at=now - timedelta(days=21), done=bar.update
            )
            tasks.report_on_round(first.pk)
            studies.rate_second_round(support, cast, at=now - timedelta(days=2), done=bar.update)
            for make in (studies.make_care, studies.make_crisis):
                rated = make(cast, at=now - timedelta(days=10), done=bar.update)
                tasks.report_on_round(rated.pk)
            for rated in simulated.make(cast, at=now - timedelta(days=32), done=bar.update):
                tasks.report_on_round(rated.pk)
            if settings.LLM_API_KEY == KEY_OF_STAND_IN:
                start_judge(support, cast, at=now)
        self.stdout.write("The demo is loaded.")


def start_judge(study: Study, cast: people.Cast, *, at: datetime) -> None:
    """Have the stand-in rate the study as soon as there is a worker."""
    runs.start(
        study=study,
        judge=Settings(llm=standin.NAME, base_url=settings.LLM_BASE_URL),
        repeats=1,
        concurrency=8,
        by=cast["ada"],
        at=at,
    )


@contextmanager
def without_letters() -> Iterator[None]:
    """Write to nobody: these people do not exist."""
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = SILENT
    try:
        yield
    finally:
        settings.EMAIL_BACKEND = backend
