"""Whether a run of judges loses, doubles or invents a verdict while all that can go wrong does.

5,000 calls are made by two real worker processes at an endpoint that storms, breaks off, hangs and
errs (`bench.faulty`). One of the workers is killed with SIGKILL fifty times, every message is
delivered twice, and Redis is emptied five times. In the end each (item, repeat) must have exactly one verdict, and
no more answers may have been paid for beyond need than were in flight at the kills.
CALLS=1000 KILLS=10 is a shorter one.
"""

import contextlib
import http.client
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from annotation.models import Rating, Submission
from bench.figures import BenchFigure
from bench.judging import endpoint, started
from bench.people import a_study, some_people
from bench.running import database_url
from judging.actions import runs
from judging.models import CallState, JudgeCall, JudgeRun, RunState
from judging.rules.outcomes import FAILED

REPEATS, AT_ONCE, WORKERS, FLUSHES = 5, 16, 2, 5
CALLS = int(os.environ.get("CALLS", "5000"))
KILLS = int(os.environ.get("KILLS", "50"))
LATENCY_MS = 250
TIMEOUT = "8"  # seconds after which a worker gives a call up
BETWEEN_KILLS = (2.0, 5.0)  # seconds
PATIENCE = 1800.0
KNOCK_EVERY = 1.0


def run() -> Iterator[BenchFigure]:
    items = CALLS // REPEATS
    study = a_study(
        "outlasting", rubric="dialogue_safety", n_items=items, annotators=some_people(1)
    )
    with endpoint(LATENCY_MS, module="bench.faulty") as base_url:
        settings.LLM_BASE_URL = base_url
        judge_run = started(study, AT_ONCE, repeats=REPEATS)
        began = time.monotonic()
        n_kills = _under_fire(judge_run)
        seconds, counts = time.monotonic() - began, counts_of(base_url)
    yield BenchFigure("calls, kills of a worker, seconds", f"{CALLS:,}, {n_kills}, {seconds:.0f}")
    yield BenchFigure("what the endpoint did", _listed(counts))
    yield from _verdicts(judge_run, items)
    paid = counts["answered"]
    yield BenchFigure(
        "answers paid beyond need, in flight at the kills at most",
        f"{paid - n_answered(judge_run):,}, {AT_ONCE * n_kills:,}",
    )


def _under_fire(judge_run: JudgeRun) -> int:
    """Work the run off while workers are killed; how often one was."""
    drawn = random.Random(7)  # noqa: S311 -- when a worker dies
    broker = redis.Redis.from_url(settings.REDIS_URL)
    begun, n_kills, deadline = [_worker() for _ in range(WORKERS)], 0, time.monotonic() + PATIENCE
    next_kill, next_knock = time.monotonic() + 10, 0.0
    try:
        while JudgeRun.objects.filter(pk=judge_run.pk, state=RunState.RUNNING).exists():
            now = time.monotonic()
            if now > deadline:
                raise RuntimeError("The run did not end.")
            if now > next_knock:
                _deliver_twice()
                next_knock = now + KNOCK_EVERY
            if now > next_kill and n_kills < KILLS:
                place = drawn.randrange(WORKERS)
                begun[place].kill()
                begun[place].wait()
                begun[place] = _worker()
                n_kills += 1
                next_kill = now + drawn.uniform(*BETWEEN_KILLS)
                if n_kills % max(1, KILLS // FLUSHES) == 0:
                    broker.flushall()
            time.sleep(0.1)
    finally:
        for one in begun:
            one.kill()
            one.wait()
    return n_kills


def _deliver_twice() -> None:
    """As the scheduler does, and once more."""
    for _time in range(2):
        runs.wake(at=timezone.now())


def _worker() -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--queues=judges"]
    options = ["--pool=threads", "--concurrency=2", "--loglevel=WARNING", "--without-gossip"]
    env = os.environ | {
        "DATABASE_URL": database_url(),
        "CONCORD_LLM_BASE_URL": settings.LLM_BASE_URL,
        "CONCORD_LLM_TIMEOUT": TIMEOUT,
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
