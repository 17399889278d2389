"""Make the calls of a run for a while: claim, ask, write down, in a loop that can die anywhere."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.conf import settings

from judging import queue
from judging.actions import calls, runs
from judging.models import JudgeCall, JudgeRun
from judging.providers.crew import Crew, CrewReport
from judging.providers.endpoint import Address, Sampling
from judging.queries import runs as queries
from judging.rules import endpoints
from judging.rules.outcomes import Pause

LONGEST_STINT = 60.0  # seconds in which calls are begun
LONGEST_REQUEST = 90.0  # seconds
_LONGEST_TASK = 100.0  # seconds; a task is ended by force a little later
_TICK = 0.25  # seconds
_MOST_IN_HAND = 1000
_RENEW_EVERY = timedelta(seconds=10)
_WORTH_WAITING = timedelta(seconds=20)  # what is due later, the scheduler wakes the run for

Clock = Callable[[], datetime]


def work_on(*, run_id: int, clock: Clock) -> bool:
    """Make calls of a run for up to a minute; say whether there is more to do at once.

    Nothing is lost if the process dies: calls in hand are leased, and leases run out. A run
    that somebody else works on is left to them, so that its concurrency is what was asked for.
    """
    if queries.somebody_works_on(run_id, at=clock()):
        return False
    run = queries.run_with_judge(run_id)
    if reason := _reason_to_pause(run, at=clock()):
        runs.pause(run_id=run_id, by=None, at=clock(), reason=reason)
        return False
    with _crew_for(run, clock) as crew:
        _Stint(run, crew, clock, until=clock() + _stint()).work()
    if not queries.is_running(run_id):
        return False
    if queries.is_complete(run_id):
        runs.finish(run_id=run_id, by=None, at=clock())
        return False
    return queries.has_due(run_id, at=clock() + _WORTH_WAITING)


def _reason_to_pause(run: JudgeRun, *, at: datetime) -> Pause | None:
    if run.judge.base_url != settings.LLM_BASE_URL:
        return Pause.ENDPOINT_CHANGED
    if endpoints.problem_with(run.judge.base_url, http_hosts=settings.LLM_HTTP_HOSTS):
        return Pause.ENDPOINT_NOT_ALLOWED
    return None if queries.has_authority(run, at=at) else Pause.ACCESS_LOST


def _timeout() -> float:
    return min(LONGEST_REQUEST, settings.LLM_TIMEOUT)


def _stint() -> timedelta:
    """Leave enough of the task's time for the last request to be answered."""
    return timedelta(seconds=min(LONGEST_STINT, _LONGEST_TASK - _timeout()))


def _crew_for(run: JudgeRun, clock: Clock) -> Crew:
    judge = run.judge
    return Crew(
        interview=queries.interview_of(run),
        address=Address(
            base_url=judge.base_url,
            api_key=settings.LLM_API_KEY,
            timeout=_timeout(),
        ),
        sampling=Sampling(
            llm=judge.llm, temperature=judge.temperature, max_tokens=judge.max_tokens
        ),
        ceiling=run.concurrency,
        clock=clock,
    )


class _Stint:
    """One worker's time with one run."""

    def __init__(self, run: JudgeRun, crew: Crew, clock: Clock, *, until: datetime) -> None:
        self.run = run
        self.crew = crew
        self.clock = clock
        self.until = until
        self.interview = queries.interview_of(run)
        self.in_hand: dict[int, JudgeCall] = {}
        self.wanted = 4 * run.concurrency
        self.is_leaving = False
        self.nothing_succeeds = True
        self.renewed_at = clock()

    def work(self) -> None:
        while True:
            if not self.is_leaving:
                self._leave_or_claim()
            if self.is_leaving and not self.in_hand:
                return
            self._write_down(self.crew.collect(wait=_TICK))
            self._renew()
            queue.note_pace(run_id=self.run.pk, pace=self._pace())

    def _leave_or_claim(self) -> None:
        now = self.clock()
        if now >= self.until or not queries.is_running(self.run.pk):
            return self._leave()
        if not queries.has_authority(self.run, at=now):
            return self._pause(Pause.ACCESS_LOST)
        if self.crew.closed_for() > _WORTH_WAITING.total_seconds():
            return self._leave()
        if len(self.in_hand) <= self.wanted // 2:
            self._claim(now)
        if not self.in_hand and not queries.has_due(self.run.pk, at=now + _WORTH_WAITING):
            self._leave()
        return None

    def _claim(self, now: datetime) -> None:
        most = min(self.wanted, _MOST_IN_HAND) - len(self.in_hand)
        try:
            claimed = calls.claim(run=self.run, interview=self.interview, most=most, at=now)
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
        self.nothing_succeeds &= all(report.fault for report in reports)
        reason = calls.record(
            run=self.run,
            interview=self.interview,
            calls=self.in_hand,
            reports=reports,
            nothing_succeeds=self.nothing_succeeds,
            at=self.clock(),
        )
        for report in reports:
            del self.in_hand[report.call_id]
        # As many as will be answered while the next batch is written, and some to spare.
        self.wanted = 4 * self.run.concurrency + 2 * len(reports)
        if reason:
            self._pause(reason)

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

    def _pace(self) -> dict[str, int]:
        pace = self.crew.pace
        return {
            "under_way": self.crew.under_way,
            "limit": int(pace.limit),
            "episodes": pace.episodes,
            "closed_for": round(self.crew.closed_for()),
        }
