"""Interviews under way: an event loop in a thread of its own, fed and emptied by the worker.

The worker's thread reads and writes the database; this one waits for the endpoint. Neither
holds up the other.
"""

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType

from judging.interviews import Exchange, Interview
from judging.prompts import ItemText, Prompt
from judging.providers.endpoint import Address, Endpoint, Sampling
from judging.providers.faults import Blocked, Fault, RateLimited, Rejected, Withdrawn
from judging.rules.pace import Pace

_GATHER = 0.08  # seconds in which more reports may join the first


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewWork:
    """An item to ask about; `exchanges` are those of an interview that was broken off."""

    call_id: int
    attempt: int
    item: ItemText
    exchanges: Sequence[Exchange]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewReport:
    """What became of a work: all exchanges, or those before the fault; `wait` in seconds."""

    call_id: int
    attempt: int
    exchanges: Sequence[Exchange]
    sent_at: datetime | None = None
    answered_at: datetime | None = None
    fault: Fault | None = None
    wait: float = 0.0


class Crew:
    """At most `ceiling` interviews at a time against one endpoint; a context manager."""

    def __init__(
        self,
        *,
        interview: Interview,
        address: Address,
        sampling: Sampling,
        ceiling: int,
        clock: Callable[[], datetime],
    ) -> None:
        self.pace = Pace(ceiling=ceiling)
        self.outstanding = 0
        self._interview = interview
        self._endpoint = Endpoint(address, sampling, connections=ceiling)
        self._clock = clock
        self._waiting: deque[CrewWork] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self._is_leaving = False
        self._has_been_answered = False
        self._reports: queue.SimpleQueue[CrewReport | BaseException] = queue.SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._may_close = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="judge-crew", daemon=True)

    def __enter__(self) -> "Crew":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._may_close.set)
        self._thread.join()
        self._loop.close()

    # The worker's side.

    def hand_in(self, works: Sequence[CrewWork]) -> None:
        """Take on more work; what the pace does not allow yet waits here."""
        self.outstanding += len(works)
        self._loop.call_soon_threadsafe(self._take_on, works)

    def collect(self, *, wait: float) -> list[CrewReport]:
        """Return the reports of the last moments; wait up to `wait` seconds for the first."""
        found: list[CrewReport] = []
        try:
            found.append(self._taken(self._reports.get(timeout=wait)))
            time.sleep(_GATHER)
            while True:
                found.append(self._taken(self._reports.get_nowait()))
        except queue.Empty:
            self.outstanding -= len(found)
            return found

    def leave(self) -> None:
        """Send nothing more: what is under way is still reported, the rest as withdrawn."""
        self._loop.call_soon_threadsafe(self._withdraw)

    def closed_for(self) -> float:
        """Return the seconds for which the endpoint asks to be left alone."""
        return max(0.0, self.pace.closed_until - self._loop.time())

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    def _taken(self, report: CrewReport | BaseException) -> CrewReport:
        if isinstance(report, BaseException):
            raise report
        return report

    # The event loop's side.

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:  # noqa: BLE001 -- handed to the worker, which raises it
            self._reports.put(error)

    async def _serve(self) -> None:
        async with self._endpoint:
            await self._may_close.wait()
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)

    def _take_on(self, works: Sequence[CrewWork]) -> None:
        self._waiting.extend(works)
        self._send_more()

    def _withdraw(self) -> None:
        self._is_leaving = True
        while self._waiting:
            self._put(self._waiting.popleft(), fault=Withdrawn())

    def _send_more(self) -> None:
        now = self._loop.time()
        while self._waiting and self._pace_allows(now):
            work = self._waiting.popleft()
            task = self._loop.create_task(self._interviewed(work))
            self._under_way.add(task)
            task.add_done_callback(self._has_ended)

    def _pace_allows(self, now: float) -> bool:
        return not self._is_leaving and self.pace.room(len(self._under_way), now=now)

    def _has_ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._reports.put(error)
        self._send_more()

    async def _interviewed(self, work: CrewWork) -> None:
        exchanges = list(work.exchanges)
        sent_at = self._clock()
        try:
            while prompt := self._interview.next_prompt(work.item, exchanges):
                exchanges.append(await self._exchange(prompt))
        except RateLimited as fault:
            # When the pace opens again, so does the row: both wait for the same moment.
            self._loop.call_later(self.closed_for(), self._send_more)
            self._put(work, exchanges, sent_at, fault=fault, wait=self.closed_for())
        except Blocked as fault:
            self._put(work, exchanges, sent_at, fault=fault)
            self._withdraw()
        except Rejected as fault:
            self._put(work, exchanges, sent_at, fault=fault)
            if not self._has_been_answered:
                self._withdraw()  # it may be the settings, and then all would be rejected
        except Fault as fault:
            self._put(work, exchanges, sent_at, fault=fault)
        else:
            self._put(work, exchanges, sent_at)

    async def _exchange(self, prompt: Prompt) -> Exchange:
        if self._is_leaving:
            raise Withdrawn
        sent = self._loop.time()
        try:
            answered = await self._endpoint.ask(prompt)
        except RateLimited as fault:
            self.pace.limited(sent=sent, now=self._loop.time(), wait=fault.wait)
            raise
        self._has_been_answered = True
        self.pace.answered(len(self._under_way))
        return {"prompt_sha256": prompt.sha256, **answered}

    def _put(
        self,
        work: CrewWork,
        exchanges: Sequence[Exchange] | None = None,
        sent_at: datetime | None = None,
        *,
        fault: Fault | None = None,
        wait: float = 0.0,
    ) -> None:
        self._reports.put(
            CrewReport(
                call_id=work.call_id,
                attempt=work.attempt,
                exchanges=work.exchanges if exchanges is None else exchanges,
                sent_at=sent_at,
                answered_at=None if fault else self._clock(),
                fault=fault,
                wait=wait,
            )
        )
