"""How well workers use an endpoint that allows so many requests a second, without being refused.

One process and two ask an endpoint of the bench's own, which keeps a bucket of requests as vendors
do and answers 429 with Retry-After where it is empty. The limit is the shared one, in a real Redis.
"""

import asyncio
import multiprocessing
import random
import time
from dataclasses import dataclass
from multiprocessing.sharedctypes import SynchronizedArray
from uuid import uuid4

from django.conf import settings

from bench.figures import BenchFigure
from judging.providers.gate import Ended, Gate, SharedLimit
from judging.rules.pace import Pace

ALLOWED = 100.0  # requests a second
SECONDS = 45.0
LATENCY = 0.05  # seconds, the mean
AT_ONCE = 32
RETRY_AFTER = 1.0


@dataclass(slots=True)
class LimitedEndpoint:
    """What an endpoint with a bucket does, without the network; shared by processes."""

    bucket: "SynchronizedArray[float]"

    async def takes(self) -> bool:
        await asyncio.sleep(LATENCY * (0.5 + random.random()))  # noqa: S311 -- spreads answers
        with self.bucket.get_lock():
            now = time.monotonic()
            tokens, filled, taken, refused = self.bucket[:]
            tokens = min(ALLOWED, tokens + (now - filled) * ALLOWED)
            is_taken = tokens >= 1
            self.bucket[:] = [
                tokens - is_taken,
                now,
                taken + is_taken,
                refused + (not is_taken),
            ]
            return is_taken


def run() -> list[BenchFigure]:
    return [figure for processes in (1, 2) for figure in measured(processes)]


def measured(processes: int) -> list[BenchFigure]:
    """What share of the allowed requests so many processes use, and what share is refused."""
    bucket = multiprocessing.Array("d", [ALLOWED, time.monotonic(), 0.0, 0.0])
    place = f"http://{uuid4().hex}/v1"
    workers = [
        multiprocessing.Process(target=work, args=(bucket, place, number))
        for number in range(processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    _tokens, _filled, taken, refused = bucket[:]
    used = (taken - ALLOWED) / SECONDS / ALLOWED  # without what the bucket held in the beginning
    what = f"{ALLOWED:g} a second allowed, {processes} process{'es' if processes > 1 else ''}"
    return [
        BenchFigure(name=f"{what}, used", value=f"{used:.1%}"),
        BenchFigure(name=f"{what}, refused", value=f"{refused / (taken + refused):.2%}"),
    ]


def work(bucket: "SynchronizedArray[float]", place: str, number: int) -> None:
    asyncio.run(_ask(LimitedEndpoint(bucket), place, number))


async def _ask(endpoint: LimitedEndpoint, place: str, number: int) -> None:
    shared = SharedLimit(
        redis_url=settings.REDIS_URL, base_url=place, llm="bench", run=str(number), lease=30.0
    )
    gate = Gate(shared, pace=Pace(ceiling=AT_ONCE))
    until = time.monotonic() + SECONDS

    async def one_after_the_other() -> None:
        while time.monotonic() < until:
            permit = await gate.enter()
            is_taken = await endpoint.takes()
            ended = Ended.ANSWERED if is_taken else Ended.LIMITED
            gate.leave(permit, ended, wait=None if is_taken else RETRY_AFTER)

    await asyncio.gather(*(one_after_the_other() for _number in range(AT_ONCE)))
    await gate.close()
