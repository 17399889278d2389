"""How long what was revoked goes on: pages, the API, an export and a judge run, all under way.

All that `make run` starts stands. Somebody opens pages and takes items through the API without a
pause, has an export built and a judge asked. Then every grant that this stands on is revoked in
one transaction, and from its end on it is taken how long each of them still gives anything.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import Role, User
from analytics.exports import actions as exports
from annotation.actions import grants, teams
from annotation.models import FileJob, Grant, Study, TeamRole
from annotation.rules.granting import DataLevel
from annotation.rules.lifecycle import JobState
from bench.figures import BenchFigure
from bench.live import answered, started
from bench.load import Client
from bench.people import a_study, some_people
from bench.running import running, wait_until
from bench.submitting import signed_in
from judging.actions import runs
from judging.models import JudgeCall, RunState

ITEMS = 40_000
TIMES = 5
KEY = "revoking"
PAGES = {"pages": f"/studies/{KEY}/items/", "API": f"/api/v1/studies/{KEY}/items/?limit=100"}
BEFORE, AFTER = 1.5, 4.0  # seconds in which all of it is under way, and in which it is watched


@dataclass(slots=True)
class AskedAgain:
    """A page that is opened again and again: when each answer came, and whether it gave anything."""

    address: str
    answers: list[tuple[datetime, bool]] = field(default_factory=list)

    def ask(self, browser: Client, is_over: threading.Event) -> None:
        while not is_over.is_set():
            status, _text = browser.send("GET", self.address)
            self.answers.append((timezone.now(), 200 <= status < 300))

    def refused_after(self, moment: datetime) -> float:
        """Seconds until the first refusal."""
        return min((at - moment).total_seconds() for at, is_given in self.answers if not is_given)


def run() -> Iterator[BenchFigure]:
    taken: dict[str, list[float]] = {}
    with running() as concord:
        *people, owner, steward = some_people(TIMES + 2)
        User.objects.filter(pk=steward.pk).update(roles=[Role.STEWARD])
        study = a_study(KEY, rubric="dialogue_safety", n_items=ITEMS, annotators=[owner])
        for number, account in enumerate(people):
            browsers = [signed_in(concord.port, account, 2 * number + one) for one in (0, 1)]
            for name, seconds in revoked(study, account, steward, browsers).items():
                taken.setdefault(name, []).append(seconds)
    for name, found in taken.items():
        each = ", ".join(f"{one:.2f}" for one in found)
        yield BenchFigure(f"seconds until refused, {name}", f"{max(found):.2f} at most ({each})")


def revoked(study: Study, account: User, steward: User, browsers: list[Client]) -> dict[str, float]:
    """{what was under way: the seconds until it was refused}."""
    teams.set_roles(
        study_id=study.pk,
        email=account.email,
        roles=[TeamRole.COORDINATOR, TeamRole.EXPORTER],
        by=None,
        at=timezone.now(),
        also=list(DataLevel),
    )
    pages = {name: AskedAgain(address) for name, address in PAGES.items()}
    is_over = threading.Event()
    threads = [
        threading.Thread(target=page.ask, args=(browser, is_over))
        for page, browser in zip(pages.values(), browsers, strict=True)
    ]
    judge_run = started(study, 0, by=account)
    wait_until(lambda: answered(judge_run) > 0)
    job = exports.ask(study_key=KEY, with_texts=True, by=account, at=timezone.now())
    for thread in threads:
        thread.start()
    wait_until(lambda: state_of(job) == JobState.RUNNING)
    time.sleep(BEFORE)
    moment = all_revoked(account, by=steward)
    time.sleep(AFTER)
    is_over.set()
    for thread in threads:
        thread.join()
    job.refresh_from_db()
    judge_run.refresh_from_db()
    if job.state != JobState.CANCELLED or judge_run.state != RunState.PAUSED:
        raise RuntimeError(f"The export is {job.state}, the run {judge_run.state}.")
    runs.finish(run_id=judge_run.pk, by=None, at=timezone.now())
    sent = JudgeCall.objects.filter(run=judge_run).aggregate(last=Max("sent_at"))["last"]
    return {name: page.refused_after(moment) for name, page in pages.items()} | {
        "an export that is built": seconds_from(moment, job.finished_at),
        "a judge run, to the last prompt that it sent": seconds_from(moment, sent),
    }


def all_revoked(account: User, *, by: User) -> datetime:
    """Revoke all that somebody was granted; when that was done."""
    held = Grant.objects.filter(person=account, revoked_at=None)
    with transaction.atomic():
        for grant in held:
            grants.revoke(grant_id=grant.pk, reason="Left.", by=by, at=timezone.now())
    return timezone.now()


def seconds_from(moment: datetime, end: datetime | None) -> float:
    if end is None:
        raise RuntimeError("It has no end.")
    return max(0.0, (end - moment).total_seconds())


def state_of(job: FileJob) -> str:
    return FileJob.objects.values_list("state", flat=True).get(pk=job.pk)
