"""Interviews under way: an event loop in a thread of its own, fed and emptied by the worker.

The worker's thread reads and writes the database; this one waits for the endpoint. Neither
holds up the other.
"""

import asyncio
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from types import TracebackType

from judging.interviews import Asking, Exchange
from judging.prompts import ItemText, Prompt
from judging.providers.endpoint import Address, Endpoint, Sampling
from judging.providers.faults import Blocked, Denied, Fault, RateLimited, Rejected, Withdrawn
from judging.providers.gate import Ended, Gate, SharedLimit
from judging.rules.endpoints import Rung
from judging.rules.pace import MOST_AT_ONCE, Pace

_GATHER = 0.08  # seconds in which more reports may join the first
_YIELD = 0.0005  # seconds after which who writes rows lets who takes answers go on; Python has 5 ms


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewWork:
    """An item to ask about; `exchanges` are those of an interview that was broken off."""

    call_id: int
    claim: int
    item: ItemText
    exchanges: Sequence[Exchange]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewReport:
    """What became of a work: all exchanges, or those before the fault; `wait` in seconds.

    `texts` are those of the prompts that were sent for it, by their fingerprints.
    """

    call_id: int
    claim: int
    exchanges: Sequence[Exchange]
    sent_at: datetime | None = None
    answered_at: datetime | None = None
    fault: Fault | None = None
    wait: float = 0.0
    texts: Mapping[str, str] = field(default_factory=dict)


class Crew:
    """At most `ceiling` interviews at a time against one endpoint; a context manager."""

    def __init__(
        self,
        *,
        interview: Asking,
        address: Address,
        sampling: Sampling,
        ceiling: int,
        shared: SharedLimit,
        clock: Callable[[], datetime],
    ) -> None:
        self.pace = Pace(ceiling=ceiling)
        self.outstanding = 0
        self._interview = interview
        self._endpoint = Endpoint(address, sampling, connections=MOST_AT_ONCE)
        self._sampling = sampling
        self._shared = shared
        self._clock = clock
        self._waiting: deque[CrewWork] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self.is_leaving = False
        self._has_been_answered = False
        self._reports: queue.SimpleQueue[CrewReport | BaseException] = queue.SimpleQueue()
        self._gate: Gate | None = None
        self._loop = asyncio.new_event_loop()
        self._may_close = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="judge-crew", daemon=True)

    def __enter__(self) -> "Crew":
        sys.setswitchinterval(_YIELD)
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

    def allow(self, ceiling: int) -> None:
        """Let another number of interviews be under way from now on."""
        self._loop.call_soon_threadsafe(self._set_ceiling, ceiling)

    def leave(self) -> None:
        """Send nothing more: what is under way is still reported, the rest as withdrawn."""
        self._loop.call_soon_threadsafe(self._withdraw)

    def closed_for(self) -> float:
        """Return the seconds for which the endpoint asks to be left alone."""
        return self._gate.closed_for(self._loop.time()) if self._gate else 0.0

    def told(self) -> dict[str, int]:
        """How the run does against its endpoint."""
        gate = self._gate
        return {
            "under_way": self.under_way,
            "limit": int(gate.limit) if gate else 0,
            "rate": round(gate.rate) if gate else 0,
            "episodes": gate.episodes if gate else 0,
            "closed_for": round(self.closed_for()),
        }

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
        self._gate = Gate(self._shared, pace=self.pace)
        async with self._endpoint:
            await self._may_close.wait()
            self._waiting.clear()  # none of it takes the place of what is broken off
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)
            await self._gate.close()

    def _take_on(self, works: Sequence[CrewWork]) -> None:
        self._waiting.extend(works)
        if self.is_leaving:
            self._turn_back()
        self._send_more()

    def _set_ceiling(self, ceiling: int) -> None:
        self.pace.allow(ceiling)
        self._send_more()

    def _withdraw(self) -> None:
        self.is_leaving = True
        if self._gate is not None:
            self._gate.turn_away()
        self._turn_back()

    def _turn_back(self) -> None:
        while self._waiting:
            self._put(self._waiting.popleft(), fault=Withdrawn())

    def _send_more(self) -> None:
        while self._waiting and self._may_begin():
            work = self._waiting.popleft()
            task = self._loop.create_task(self._interviewed(work))
            self._under_way.add(task)
            task.add_done_callback(self._has_ended)

    def _may_begin(self) -> bool:
        return not self.is_leaving and len(self._under_way) < self.pace.ceiling

    def _has_ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._reports.put(error)
        self._send_more()

    async def _interviewed(self, work: CrewWork) -> None:
        exchanges = list(work.exchanges)
        texts: dict[str, str] = {}
        sent_at = self._clock()
        put = partial(self._put, work, exchanges, sent_at, texts=texts)
        try:
            while asked := self._interview.next_prompt(work.item, exchanges):
                prompt = self._sampling.put(asked)
                exchanges.append(await self._exchange(prompt))
                texts |= prompt.texts
        except RateLimited as fault:
            # When the pace opens again, so does the row: both wait for the same moment.
            self._loop.call_later(self.closed_for(), self._send_more)
            put(fault=fault, wait=self.closed_for())
        except (Denied, Rejected) as fault:
            put(fault=fault)
            if not self._has_been_answered:
                self._withdraw()  # it may be the settings, and then all would be rejected
        except Blocked as fault:
            put(fault=fault)
            self._withdraw()
        except Fault as fault:
            put(fault=fault)
        else:
            put()

    async def _exchange(self, prompt: Prompt) -> Exchange:
        if self.is_leaving:
            raise Withdrawn
        answered = await self._answered(prompt)
        self._has_been_answered = True
        asked = {"asked": prompt.asked, "messages": prompt.kept, "rung": self._rung(prompt)}
        return {"prompt_sha256": prompt.sha256, **asked, **answered}

    async def _answered(self, prompt: Prompt) -> Mapping[str, object]:
        """Send a prompt once the limit that all workers share allows it."""
        if self._gate is None:
            raise Withdrawn
        permit, sent = await self._gate.enter(), self._loop.time()
        ended, wait = Ended.FAILED, None
        try:
            answered = await self._endpoint.ask(prompt)
            ended = Ended.ANSWERED
            self.pace.answered(len(self._under_way))
        except RateLimited as fault:
            ended, wait = Ended.LIMITED, fault.wait
            self.pace.limited(sent=sent, now=self._loop.time(), wait=fault.wait)
            raise
        finally:
            self._gate.leave(permit, ended, wait=wait)
        return answered

    def _rung(self, prompt: Prompt) -> str:
        """How the answer was made to come in JSON, or that it was not."""
        return (self._sampling.rung if prompt.schema else Rung.PLAIN).value

    def _put(
        self,
        work: CrewWork,
        exchanges: Sequence[Exchange] | None = None,
        sent_at: datetime | None = None,
        *,
        fault: Fault | None = None,
        wait: float = 0.0,
        texts: Mapping[str, str] = {},
    ) -> None:
        self._reports.put(
            CrewReport(
                call_id=work.call_id,
                claim=work.claim,
                exchanges=work.exchanges if exchanges is None else exchanges,
                sent_at=sent_at,
                answered_at=None if fault else self._clock(),
                fault=fault,
                wait=wait,
                texts=texts,
            )
        )
