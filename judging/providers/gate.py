"""The limit that all workers and runs keep together against one endpoint, learnt from its answers.

It stands in Redis and is moved by one script (`trade.lua`): slow start, then a rate that is what the
endpoint took between two rate limits, one cut an episode, and no more for a run than its share
while another waits. Where Redis is away each worker keeps a pace of its own.
"""

import asyncio
import contextlib
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import count
from pathlib import Path
from uuid import uuid4

from redis.asyncio import Redis
from redis.exceptions import RedisError

from judging.providers.faults import Withdrawn
from judging.rules.pace import Pace

_SCRIPT = Path(__file__).with_name("trade.lua").read_text(encoding="utf-8")
_KEYS = ("state", "held", "own", "seen", "hungry")
_LONGEST_PAUSE, _SHORTEST_PAUSE = 1.0, 0.002  # seconds between two looks
_ALONE_FOR = 2.0  # seconds until Redis is asked again


class Ended(StrEnum):
    """How a request ended, as far as the limit is concerned."""

    ANSWERED = "answered"
    LIMITED = "limited"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLimit:
    """Where the limit is kept, for whom permits are asked, and how long one lasts, in seconds.

    `most` is the most requests at a time of all runs together; 0: as many as are taken.
    """

    redis_url: str
    base_url: str
    llm: str
    run: str
    lease: float
    most: int = 0

    @property
    def keys(self) -> list[str]:
        place = sha256(f"{self.base_url}\0{self.llm}".encode()).hexdigest()[:20]
        return [f"concord:llm:{{{place}}}:{name}" for name in _KEYS]


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to send one request; `sent` is Redis's time in milliseconds, None without Redis."""

    name: str
    sent: float | None


@dataclass(frozen=True, slots=True)
class _Return:
    permit: Permit
    ended: Ended
    wait: float | None

    @property
    def told(self) -> tuple[str, str, str, str]:
        wait = -1.0 if self.wait is None else self.wait * 1000
        return self.permit.name, self.ended.value, str(self.permit.sent), str(wait)


class Gate:
    """Lets requests of a run through for the one worker that has it; used within one event loop."""

    def __init__(self, shared: SharedLimit, *, pace: Pace) -> None:
        self.limit = pace.limit
        self.rate = 0.0
        self.episodes = 0
        self._shared = shared
        self._pace = pace
        self._redis: Redis = Redis.from_url(shared.redis_url)
        self._trade = self._redis.register_script(_SCRIPT)
        self._names = (f"{shared.run}|{uuid4().hex[:8]}{number}" for number in count())
        self._waiting: deque[asyncio.Future[Permit]] = deque()
        self._returned: list[_Return] = []
        self._alone = 0  # requests under way that Redis knows nothing of
        self._alone_until = 0.0
        self._closed_until = 0.0
        self._has_news = asyncio.Event()
        self._is_open = True
        self._pump: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Hand back what is left, and let go of Redis."""
        self.turn_away()
        self._is_open = False
        self._has_news.set()
        if self._pump is not None:
            await asyncio.wait([self._pump])
        with contextlib.suppress(RedisError):  # what is held lapses by itself
            await self._ask(0)
        await self._redis.aclose()

    async def enter(self) -> Permit:
        """Wait until one more request may be sent; Withdrawn where that is no longer wanted."""
        if self._pump is None:
            self._pump = asyncio.get_running_loop().create_task(self._go_on())
            self._pump.add_done_callback(self._has_stopped)
        coming: asyncio.Future[Permit] = asyncio.get_running_loop().create_future()
        self._waiting.append(coming)
        self._has_news.set()
        return await coming

    def leave(self, permit: Permit, ended: Ended, *, wait: float | None = None) -> None:
        """Give a permit back and say how its request ended, and what wait the endpoint told."""
        if wait:
            closed_until = asyncio.get_running_loop().time() + wait
            self._closed_until = max(self._closed_until, closed_until)
        if permit.sent is None:
            self._alone -= 1
        else:
            self._returned.append(_Return(permit, ended, wait))
        self._has_news.set()

    def turn_away(self) -> None:
        """Let nobody in who waits."""
        while self._waiting:
            coming = self._waiting.popleft()
            if not coming.done():
                coming.set_exception(Withdrawn())

    def closed_for(self, now: float) -> float:
        """The seconds for which the endpoint asks to be left alone."""
        return max(0.0, self._closed_until - now)

    async def _go_on(self) -> None:
        now = asyncio.get_running_loop().time
        await self._take_over()
        while self._is_open:
            await self._has_news.wait()
            self._has_news.clear()
            pause = (
                self._pause_alone(now()) if now() < self._alone_until else await self._trade_in()
            )
            if self._waiting:
                await self._rest(pause)

    async def _take_over(self) -> None:
        """Take back what another worker held that had the run before: it is gone, or this one
        would not have it."""
        _state, held, own, *_others = self._shared.keys
        begins = f"{self._shared.run}|"
        with contextlib.suppress(RedisError):  # what is held lapses by itself
            members = await self._redis.zrange(held, 0, -1)
            names = [one.decode() for one in members if isinstance(one, bytes)]
            if gone := [name for name in names if name.startswith(begins)]:
                async with self._redis.pipeline() as change:
                    change.zrem(held, *gone)
                    change.hdel(own, self._shared.run)
                    await change.execute()

    def _has_stopped(self, pump: asyncio.Task[None]) -> None:
        """Tell all who wait what went wrong, if something did; who comes later has it begun anew."""
        self._pump = None
        error = None if pump.cancelled() else pump.exception()
        while error and self._waiting:
            coming = self._waiting.popleft()
            if not coming.done():
                coming.set_exception(error)

    async def _rest(self, seconds: float) -> None:
        """Look again after a while, or once a request has ended; not more often than makes sense."""
        await asyncio.sleep(_SHORTEST_PAUSE)
        left = min(_LONGEST_PAUSE, seconds) - _SHORTEST_PAUSE
        try:
            await asyncio.wait_for(self._has_news.wait(), max(0.0, left))
        except TimeoutError:
            self._has_news.set()

    async def _trade_in(self) -> float:
        """Ask Redis for permits for all who wait; return when to ask again."""
        try:
            given, pause = await self._ask(len(self._waiting))
        except RedisError:
            now = asyncio.get_running_loop().time()
            self._alone_until = now + _ALONE_FOR
            return self._pause_alone(now)
        for permit in given:
            self._let_in(permit)
        return pause

    async def _ask(self, want: int) -> tuple[list[Permit], float]:
        returned, self._returned = self._returned, []
        names = [next(self._names) for _number in range(want)]
        told = [word for one in returned for word in one.told]
        lease = self._shared.lease * 1000
        try:
            answer = await self._trade(
                keys=self._shared.keys,
                args=[
                    self._shared.run,
                    want,
                    self._shared.most,
                    lease,
                    len(returned),
                    *told,
                    *names,
                ],
            )
        except RedisError:
            self._returned = returned + self._returned
            raise
        n_given, *numbers = answer
        pause, now, limit, rate, episodes, closed = map(float, numbers)
        self.limit, self.rate, self.episodes = limit, rate, int(episodes)
        wait = max(0.0, closed - now) / 1000
        self._closed_until = asyncio.get_running_loop().time() + wait if wait else 0.0
        return [Permit(name, now) for name in names[:n_given]], pause / 1000

    def _pause_alone(self, now: float) -> float:
        """Without Redis: let in as many as the worker's own pace allows."""
        while self._waiting and self._pace.room(self._alone, now=now):
            self._alone += 1
            self._let_in(Permit(next(self._names), None))
        return _LONGEST_PAUSE

    def _let_in(self, permit: Permit) -> None:
        """Give a permit to the first who still waits; back where nobody does."""
        while self._waiting:
            coming = self._waiting.popleft()
            if not coming.done():
                coming.set_result(permit)
                return
        self.leave(permit, Ended.FAILED)
