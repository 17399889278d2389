"""Whether a run of judges loses, doubles or invents a verdict while all that can go wrong does.

5,000 calls are made by three real worker processes at an endpoint that storms, breaks off, hangs and
errs (`bench.faulty`). Fifty times the worker that has the run is killed with SIGKILL, while another
stands by; every message is delivered twice, and Redis is emptied five times. In the end each (item, repeat) must
have exactly one verdict, no more answers may have been paid for beyond need than were in flight at
the kills, and after each kill calls are to be done again within five seconds.
CALLS=1000 KILLS=10 is a shorter one.
"""

import contextlib
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from annotation.models import Rating, Submission
from bench.figures import BenchFigure
from bench.judging import endpoint, started
from bench.people import a_study, some_people
from bench.running import database_url
from config.celery import app as celery_app
from judging.actions import runs
from judging.models import CallState, JudgeCall, JudgeRun, RunState
from judging.queries.runs import HELD
from judging.rules.outcomes import FAILED

REPEATS, AT_ONCE, WORKERS, FLUSHES = 5, 16, 3, 5
CALLS = int(os.environ.get("CALLS", "5000"))
KILLS = int(os.environ.get("KILLS", "50"))
LATENCY_MS = 250
TIMEOUT = "8"  # seconds after which a worker gives a call up
BETWEEN_KILLS = (1.0, 3.0)  # seconds
PATIENCE = 1800.0
KNOCK_EVERY = celery_app.conf.beat_schedule["wake-runs"]["schedule"]  # seconds
_WHO_HOLDS = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid::bigint = (hashtext(%s)::bigint & 4294967295)
"""


def run() -> Iterator[BenchFigure]:
    items = CALLS // REPEATS
    study = a_study(
        "outlasting", rubric="dialogue_safety", n_items=items, annotators=some_people(1)
    )
    with endpoint(LATENCY_MS, module="bench.faulty") as base_url:
        settings.LLM_BASE_URL = base_url
        judge_run = started(study, AT_ONCE, repeats=REPEATS)
        began = time.monotonic()
        fire = _Fire(judge_run)
        fire.work_off()
        seconds, counts = time.monotonic() - began, counts_of(base_url)
    n_kills, rests = len(fire.rests), sorted(fire.rests)
    yield BenchFigure("calls, kills of a worker, seconds", f"{CALLS:,}, {n_kills}, {seconds:.0f}")
    yield BenchFigure("what the endpoint did", _listed(counts))
    yield from _verdicts(judge_run, items)
    paid = counts["answered"]
    yield BenchFigure(
        "answers paid beyond need, in flight at the kills",
        f"{paid - n_answered(judge_run):,}, {fire.in_flight:,}",
    )
    yield BenchFigure(
        "seconds from a kill to the next call done, median and worst",
        f"{statistics.median(rests):.1f}, {rests[-1]:.1f}" if rests else "no kill",
    )


@dataclass
class _Fire:
    """The workers of a run, and how they are killed while it is worked off."""

    judge_run: JudgeRun
    rests: list[float] = field(default_factory=list)  # seconds from each kill to the next call done
    in_flight: int = 0  # requests at the kills, at most

    def __post_init__(self) -> None:
        self.drawn = random.Random(7)  # noqa: S311 -- when a worker dies
        self.broker = redis.Redis.from_url(settings.REDIS_URL)
        self.killed_at, self.n_done = 0.0, 0

    def work_off(self) -> None:
        """Until the run has ended."""
        self.workers = {name: _worker(name) for name in map(str, range(WORKERS))}
        deadline, next_kill, next_knock = time.monotonic() + PATIENCE, 0.0, 0.0
        try:
            while JudgeRun.objects.filter(pk=self.judge_run.pk, state=RunState.RUNNING).exists():
                now = time.monotonic()
                if now > deadline:
                    raise RuntimeError("The run did not end.")
                if now > next_knock:
                    _deliver_twice()
                    next_knock = now + KNOCK_EVERY
                if self._has_gone_on(now):
                    next_kill = now + self.drawn.uniform(*BETWEEN_KILLS)
                if not self.killed_at and now > next_kill and len(self.rests) < KILLS:
                    self._kill()
                time.sleep(0.05)
        finally:
            for one in self.workers.values():
                one.kill()
                one.wait()

    def _has_gone_on(self, now: float) -> bool:
        """Whether calls are done again since the last kill, for the first time."""
        if not self.killed_at or _n_done(self.judge_run) == self.n_done:
            return False
        self.rests.append(now - self.killed_at)
        self.killed_at = 0.0
        return True

    def _kill(self) -> None:
        """End the worker that has the run, if another one is ready."""
        name, clients = _holder(), self.broker.client_list()
        if name is None or sum(one["cmd"] == "brpop" for one in clients) < 2:
            return
        self.workers[name].kill()
        self.workers[name].wait()
        self.killed_at, self.n_done = time.monotonic(), _n_done(self.judge_run)
        self.in_flight += AT_ONCE
        self.workers[name] = _worker(name)
        if (len(self.rests) + 1) % max(1, KILLS // FLUSHES) == 0:
            self.broker.flushall()


def _n_done(judge_run: JudgeRun) -> int:
    return JudgeCall.objects.filter(run=judge_run, state=CallState.DONE).count()


def _holder() -> str | None:
    """The name of the worker that has the run."""
    with connection.cursor() as cursor:
        cursor.execute(_WHO_HOLDS, [HELD])
        found = cursor.fetchone()
    return found[0] if found else None


def _deliver_twice() -> None:
    """As the scheduler does, and once more."""
    for _time in range(2):
        runs.wake(at=timezone.now())


def _worker(name: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--queues=judges"]
    options = ["--pool=threads", "--concurrency=2", "--loglevel=WARNING", "--without-gossip"]
    env = os.environ | {
        "DATABASE_URL": database_url(),
        "CONCORD_LLM_BASE_URL": settings.LLM_BASE_URL,
        "CONCORD_LLM_TIMEOUT": TIMEOUT,
        "PGAPPNAME": name,
    }
    return subprocess.Popen(
        [*command, *options, f"--hostname=outlasting{time.monotonic_ns()}@bench"],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _verdicts(judge_run: JudgeRun, items: int) -> Iterator[BenchFigure]:
    calls = JudgeCall.objects.filter(run=judge_run)
    given = Submission.objects.filter(judge_call__run=judge_run)
    twice = given.values("item", "repeat").annotate(n=Count("id")).filter(n__gt=1).count()
    n_verdicts, n_done = given.count(), calls.filter(state=CallState.DONE).count()
    n_ratings = Rating.objects.filter(submission__judge_call__run=judge_run).count()
    yield BenchFigure(
        "verdicts, missing, twice, ratings without or beside one",
        f"{n_verdicts:,}, {items * REPEATS - n_done}, {twice}, {abs(n_ratings - n_verdicts)}",
    )
    outcomes = Counter(calls.values_list("outcome", flat=True))
    yield BenchFigure("how calls ended", _listed(outcomes))


def n_answered(judge_run: JudgeRun) -> int:
    """Calls that ended with an answer of the endpoint, readable or not."""
    return JudgeCall.objects.filter(run=judge_run).exclude(outcome__in=["", *FAILED]).count()


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in counts.most_common())


def counts_of(base_url: str) -> Counter[str]:
    address = urlsplit(base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    with contextlib.closing(connection):
        connection.request("GET", "/v1/counts")
        return Counter(json.loads(connection.getresponse().read()))
