"""Make the calls of a run: claim, ask, write down, in a loop that can die anywhere."""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.conf import settings

from judging import queue
from judging.actions import batching, calls, holding, runs
from judging.interviews import Asking
from judging.models import JudgeCall, JudgeRun, RunState
from judging.providers.crew import Crew, CrewReport
from judging.providers.faults import Denied, Fault, Transient
from judging.providers.gate import SharedLimit
from judging.queries import batches
from judging.queries import runs as queries
from judging.queries.endpoints import address_of, sampling_of
from judging.rules.outcomes import FAILED, Pause

LONGEST_REQUEST = 600.0  # seconds
_LEAVE_OF_A_LATE_ANSWER = 10.0  # seconds after which its permit lapses
_STINT = timedelta(seconds=60)  # after which a run makes way where others wait for a worker
_TICK = 0.25  # seconds
_MOST_IN_HAND = 1000
_RETUNED = ["state", "concurrency", "limit_requests", "limit_tokens", "limit_money"]
_A_DAY = timedelta(days=1)
_AN_OUTAGE = 30  # failures in a row, which speak against the endpoint: a bad item has six
_RENEW_EVERY = timedelta(seconds=10)
_WORTH_WAITING = timedelta(seconds=20)  # what is due later, the scheduler wakes the run for

Clock = Callable[[], datetime]

_leaving = threading.Event()


def work_on(*, run_id: int, clock: Clock) -> bool:
    """Make calls of a run as long as there are any; say whether there is more to do at once.

    Nothing is lost if the process dies: calls in hand are leased, and whoever holds the run next
    takes them back. A run that somebody else holds is left to them, so that its concurrency is
    what was asked for.
    """
    with holding.held(run_id) as is_ours:
        return is_ours and _work_on(run_id, clock)


def leave_all() -> None:
    """Have every run in this process stop sending: what is under way is still taken."""
    _leaving.set()


def _work_on(run_id: int, clock: Clock) -> bool:
    calls.reclaim(run_id=run_id)
    run = queries.run_with_judge(run_id)
    if run.by_batch:
        return batching.tend(run, timeout=_timeout(), clock=clock, leaving=_leaving)
    if reason := queries.reason_to_stop(run, at=clock()):
        runs.pause(run_id=run_id, by=None, at=clock(), reason=reason)
        return False
    interview = queries.asking_of(run)
    with _crew_for(run, interview, clock) as crew:
        _Stint(run, interview, crew, clock).work()
    run.refresh_from_db(fields=["state"])
    if run.state != RunState.RUNNING:
        return False
    if queries.is_complete(run_id):
        runs.finish(run_id=run_id, by=None, at=clock())
        return False
    return queries.has_due(run_id, at=clock() + _WORTH_WAITING)


def _timeout() -> float:
    return min(LONGEST_REQUEST, settings.LLM_TIMEOUT)


def _crew_for(run: JudgeRun, interview: Asking, clock: Clock) -> Crew:
    judge = run.judge
    return Crew(
        interview=interview,
        address=address_of(judge.base_url, judge.endpoint, timeout=_timeout()),
        sampling=sampling_of(judge, run.probe),
        ceiling=run.concurrency,
        shared=SharedLimit(
            redis_url=settings.REDIS_URL,
            base_url=judge.base_url,
            llm=judge.llm,
            run=str(run.pk),
            lease=_timeout() + _LEAVE_OF_A_LATE_ANSWER,
            most=(judge.endpoint.most_at_once or 0) if judge.endpoint else 0,
        ),
        clock=clock,
    )


class _Stint:
    """One worker's time with one run."""

    def __init__(self, run: JudgeRun, interview: Asking, crew: Crew, clock: Clock) -> None:
        self.run = run
        self.crew = crew
        self.clock = clock
        self.makes_way_at = clock() + _STINT
        self.interview = interview
        self.in_hand: dict[int, JudgeCall] = {}
        self.wanted = 4 * run.concurrency
        self.is_leaving = False
        self.has_answered = batches.was_answered(run, since=clock() - _A_DAY)
        self.failed_in_a_row = 0
        self.renewed_at = clock()

    def work(self) -> None:
        while True:
            if not self.is_leaving:
                self._leave_or_claim()
            if self.is_leaving and not self.in_hand:
                return
            self._write_down(self.crew.collect(wait=_TICK))
            self._renew()
            queue.note_pace(run_id=self.run.pk, pace=self.crew.told())

    def _leave_or_claim(self) -> None:
        now = self.clock()
        if self.crew.is_leaving or self._is_over(
            now
        ):  # it leaves by itself where requests are refused
            return self._leave()
        if reason := queries.reason_to_stop(self.run, at=now):
            return self._pause(reason)
        if self.crew.closed_for() > _WORTH_WAITING.total_seconds():
            return self._leave()
        if len(self.in_hand) <= self.wanted // 2:
            self._claim(now)
        if not self.in_hand and not queries.has_due(self.run.pk, at=now + _WORTH_WAITING):
            self._leave()
        return None

    def _is_over(self, now: datetime) -> bool:
        """Whether to send nothing more; what somebody has set otherwise meanwhile is followed."""
        before, had_limit = self.run.concurrency, self.run.limit.is_set
        self.run.refresh_from_db(fields=_RETUNED)
        if self.run.limit.is_set and not had_limit:
            calls.set_aside(run=self.run, interview=self.interview, calls=self.in_hand.values())
        if self.run.concurrency != before:
            self.crew.allow(self.run.concurrency)
        if _leaving.is_set() or self.run.state != RunState.RUNNING:
            return True
        if now < self.makes_way_at:
            return False
        self.makes_way_at = now + _STINT
        all_are_busy = len(queries.held_runs()) >= settings.LLM_RUNS_AT_ONCE
        return all_are_busy and bool(queries.runs_to_wake(at=now))

    def _claim(self, now: datetime) -> None:
        most = min(self.wanted, _MOST_IN_HAND) - len(self.in_hand)
        try:
            claimed = calls.claim(
                run=self.run, interview=self.interview, most=most, at=now, in_hand=self.in_hand
            )
        except calls.LimitReached:
            # What is in hand may yet leave some of what was set aside for it.
            if not self.in_hand:
                self._pause(Pause.LIMIT_REACHED)
            return
        self.in_hand |= {call.pk: call for call in claimed}
        self.crew.hand_in([calls.work_of(call) for call in claimed])

    def _write_down(self, reports: Sequence[CrewReport]) -> None:
        if not reports:
            return
        for report in reports:
            self._count(report.fault)
        reason = calls.record(
            run=self.run,
            interview=self.interview,
            calls=self.in_hand,
            reports=reports,
            nothing_succeeds=not self.has_answered or self.failed_in_a_row >= _AN_OUTAGE,
            at=self.clock(),
        )
        for report in reports:
            del self.in_hand[report.call_id]
        # As many as will be answered while the next batch is written, and some to spare.
        self.wanted = 4 * self.run.concurrency + 2 * len(reports)
        if reason:
            self._pause(reason)

    def _count(self, fault: Fault | None) -> None:
        """Take note of what failed, or of an answer: what is refused for its text is neither."""
        if fault is None:
            self.has_answered, self.failed_in_a_row = True, 0
        elif isinstance(fault, Transient | Denied) or getattr(fault, "outcome", None) in FAILED:
            self.failed_in_a_row += 1

    def _pause(self, reason: Pause) -> None:
        runs.pause(run_id=self.run.pk, by=None, at=self.clock(), reason=reason)
        self._leave()

    def _leave(self) -> None:
        self.is_leaving = True
        self.crew.leave()

    def _renew(self) -> None:
        now = self.clock()
        if self.in_hand and now >= self.renewed_at + _RENEW_EVERY:
            calls.renew(calls=self.in_hand.values(), at=now)
            self.renewed_at = now
