"""How many calls a second a judge run makes, beside a bare loop of the same client.

Both ask the stand-in, at no latency and in a process of its own, with the same prompts and the
same number of requests at a time. The bare loop is what one writes without Concord: AsyncOpenAI,
a text out of each answer, and nothing kept. The run claims, reads and stores every call. Then two
runs are worked off by one real worker process and by two, against answers of a fixed latency.
"""

import asyncio
import contextlib
import http.client
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import openai
from django.conf import settings
from django.db.models import F, Max, Min, QuerySet, Sum
from django.utils import timezone

from annotation.models import Study
from bench import processes
from bench.figures import BenchFigure
from bench.people import a_study, some_people
from bench.running import database_url, postmaster, wait_until
from config.celery import app as celery_app
from judging import standin
from judging.actions import runs, work
from judging.actions.judges import Settings
from judging.models import JudgeCall, JudgeRun, RunState
from judging.queries.runs import interview_of, item_text
from judging.rules.outcomes import FAILED

AT_ONCE = (8, 32)
ITEMS = 500
REPEATS = 4
SLOW_MS, SLOW_AT_ONCE = 1500, 32
FIXED_MS, FIXED_AT_ONCE, FIXED_REPEATS = 150, 16, 2
TURNS = 3  # bare loop and run in turns, so that a busy machine disturbs both alike


def run() -> list[BenchFigure]:
    study = a_study("bench", rubric="dialogue_safety", n_items=ITEMS, annotators=some_people(1))
    figures = []
    with endpoint() as base_url:
        settings.LLM_BASE_URL = base_url
        for at_once in AT_ONCE:
            pairs = [(bare(study, at_once), judged(study, at_once)) for _ in range(TURNS)]
            bare_speed, speed = (statistics.median(speeds) for speeds in zip(*pairs, strict=True))
            share = statistics.median(ours / theirs for theirs, ours in pairs)
            what = f"{at_once} at a time"
            figures += [
                BenchFigure(name=f"judge run, {what}", value=f"{speed:.0f} calls/s"),
                BenchFigure(
                    name=f"bare AsyncOpenAI loop, {what}", value=f"{bare_speed:.0f} calls/s"
                ),
                BenchFigure(name=f"run as a share of the bare loop, {what}", value=f"{share:.0%}"),
            ]
    with endpoint(latency_ms=SLOW_MS) as base_url:
        settings.LLM_BASE_URL = base_url
        figures.append(slow(study))
    with endpoint(latency_ms=FIXED_MS) as base_url:
        settings.LLM_BASE_URL = base_url
        figures += of_workers(study)
    return figures


def of_workers(study: Study) -> Iterator[BenchFigure]:
    """How much more two real worker processes do than one, with one run in each at a time."""
    worked(study, n_workers=1)  # the limit that all share learns what the endpoint takes
    pairs = [(worked(study, n_workers=1), worked(study, n_workers=2)) for _ in range(TURNS)]
    for number, found in enumerate(zip(*pairs, strict=True), start=1):
        speed = statistics.median(one.per_second for one in found)
        yield BenchFigure(
            name=f"answers of {FIXED_MS} ms, worker processes: {number}",
            value=f"{speed:.0f} calls/s; cores in use: {found[0].cores}",
        )
    ratio = statistics.median(two.per_second / one.per_second for one, two in pairs)
    yield BenchFigure(name="two worker processes, times one", value=f"{ratio:.2f}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedOff:
    """Calls a second of two runs while workers are at them, and how many cores were in use by whom."""

    per_second: float
    cores: str


def worked(study: Study, *, n_workers: int) -> WorkedOff:
    """Two runs, each of a judge of its own, by so many worker processes of one run at a time."""
    celery_app.control.purge()
    with workers(n_workers) as roots:
        before, began = processes.seconds_of(roots), time.monotonic()
        begun = [
            started(study, FIXED_AT_ONCE, repeats=FIXED_REPEATS, max_tokens=10 + number).pk
            for number in (0, 1)
        ]
        wait_until(lambda: _are_over(begun))
        taken = time.monotonic() - began
        used = processes.seconds_of(roots)
    calls = JudgeCall.objects.filter(run__in=begun)
    if failed := calls.filter(outcome__in=["", *FAILED]).count():
        raise RuntimeError(f"{failed} calls were not answered.")
    return WorkedOff(
        per_second=_pace_of(calls, together=n_workers > 1),
        cores=", ".join(f"{name} {(used[name] - before[name]) / taken:.2f}" for name in roots),
    )


def _pace_of(calls: QuerySet[JudgeCall], *, together: bool) -> float:
    """Calls a second of runs one after the other, or of all while all of them are under way."""
    told = list(calls.values("run").annotate(first=Min("sent_at"), last=Max("answered_at")))
    if not together:
        seconds: float = sum((one["last"] - one["first"]).total_seconds() for one in told)
        return calls.count() / seconds
    first, last = max(one["first"] for one in told), min(one["last"] for one in told)
    within = calls.filter(answered_at__gt=first, answered_at__lte=last)
    both: float = (last - first).total_seconds()
    return within.count() / both


def _are_over(run_ids: list[int]) -> bool:
    """Whether all have ended; what waits in a worker that is busy goes to one that is not, as the
    scheduler has it."""
    runs.wake(at=timezone.now())
    return not JudgeRun.objects.filter(pk__in=run_ids, state=RunState.RUNNING).exists()


@contextlib.contextmanager
def workers(number: int) -> Iterator[dict[str, int]]:
    """So many workers on the queue of judge runs, one run at a time each; {name: process}."""
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--queues=judges"]
    options = ["--pool=threads", "--concurrency=1", "--loglevel=WARNING", "--without-gossip"]
    env = os.environ | {
        "DATABASE_URL": database_url(),
        "CONCORD_LLM_BASE_URL": settings.LLM_BASE_URL,
    }
    begun = [
        subprocess.Popen(
            [*command, *options, f"--hostname=bench{one}@bench"],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for one in range(number)
    ]
    try:
        wait_until(lambda: len(celery_app.control.ping(timeout=0.5) or ()) == number)
        yield {f"worker {one + 1}": each.pid for one, each in enumerate(begun)} | {
            "PostgreSQL": postmaster()
        }
    finally:
        for one in begun:
            one.terminate()
        for one in begun:
            one.wait()


def slow(study: Study) -> BenchFigure:
    """What share of the ideal a run has whose answers take long: as many under way as may be."""
    began = time.perf_counter()
    run = started(study, SLOW_AT_ONCE, repeats=REPEATS)
    while work.work_on(run_id=run.pk, clock=timezone.now):
        pass
    seconds = time.perf_counter() - began
    taken = JudgeCall.objects.filter(run=run).aggregate(all=Sum(F("answered_at") - F("sent_at")))
    ideal = taken["all"].total_seconds() / SLOW_AT_ONCE
    return BenchFigure(
        name=f"answers of {SLOW_MS / 1000:g} s, {SLOW_AT_ONCE} at a time, as a share of the ideal",
        value=f"{ideal / seconds:.0%}",
    )


def judged(study: Study, at_once: int) -> float:
    """Calls a second of a run, its start and end included."""
    began = time.perf_counter()
    run = started(study, at_once, repeats=REPEATS)
    while work.work_on(run_id=run.pk, clock=timezone.now):
        pass
    return ITEMS * REPEATS / (time.perf_counter() - began)


def started(study: Study, at_once: int, *, repeats: int, max_tokens: int = 10) -> JudgeRun:
    return runs.start(
        study=study,
        judge=Settings(
            llm=standin.NAME,
            base_url=settings.LLM_BASE_URL,
            temperature=0.0,
            max_tokens=max_tokens,
            as_json=False,
        ),
        repeats=repeats,
        concurrency=at_once,
        by=None,
        at=timezone.now(),
    )


def bare(study: Study, at_once: int) -> float:
    """Calls a second of the client alone, with the prompts of a run."""
    run = started(study, at_once, repeats=1)
    calls = JudgeCall.objects.filter(run=run).select_related("item__dialogue")
    interview = interview_of(run)
    prompts = [interview.first_prompt(item_text(call.item)) for call in calls]
    runs.finish(run_id=run.pk, by=None, at=timezone.now())
    messages = [list(prompt.messages) for prompt in prompts] * REPEATS
    return len(messages) / asyncio.run(asked(messages, at_once))


async def asked(messages: list[list[Any]], at_once: int) -> float:
    """Seconds that a bare loop takes."""
    waiting = iter(messages)
    async with openai.AsyncOpenAI(
        base_url=settings.LLM_BASE_URL, api_key="none", max_retries=0
    ) as client:

        async def ask() -> None:
            for one in waiting:
                answer = await client.chat.completions.create(
                    model=standin.NAME, messages=one, temperature=0.0, max_tokens=10
                )
                if not answer.choices[0].message.content:
                    raise RuntimeError("The endpoint gave no answer.")

        began = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(at_once)))
        return time.perf_counter() - began


@contextlib.contextmanager
def endpoint(latency_ms: int = 0, *, module: str = "judging.standin") -> Iterator[str]:
    """The stand-in, or another one, in a process of its own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    own = ["--port", str(port), "--latency-ms", str(latency_ms)]
    process = subprocess.Popen([sys.executable, "-m", module, *own])
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.request("GET", "/v1/models")
            connection.getresponse().read()
            return
        time.sleep(0.05)
    raise RuntimeError("The stand-in did not start.")
