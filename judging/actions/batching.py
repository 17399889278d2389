"""Have the calls of a run answered in batches: send, look, take in, in steps that may die anywhere.

A batch is a row before anything of it is sent, with the key by which it is found again at its
endpoint; what comes back counts only for the claims that are in it. So a verdict is stored once,
whoever dies when, and however often an answer comes.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from accounts import events
from accounts.models import User
from judging.actions import calls, runs
from judging.interviews import Exchange
from judging.models import BatchState, JudgeCall, JudgeRun, LLMBatch, RunState
from judging.prompts import Prompt
from judging.providers.batches import BatchDesk, BatchSeen, answer_in, request_line
from judging.providers.crew import CrewReport
from judging.providers.endpoint import body_of, fault_of_status
from judging.providers.faults import (
    TIMED_OUT,
    Blocked,
    Fault,
    Missed,
    RateLimited,
    Rejected,
    Transient,
    Withdrawn,
)
from judging.providers.refusals import EndpointRefusal
from judging.queries import batches as queries
from judging.queries.endpoints import address_of, sampling_of
from judging.queries.runs import asking_of, is_complete, reason_to_stop, text_of
from judging.rules.batches import MOST_CALLS, BatchEnd, call_and_claim, custom_id
from judging.rules.budget import Use
from judging.rules.endpoints import Rung
from judging.rules.outcomes import Pause

GIVEN_UP_AFTER = timedelta(hours=72)  # a batch has a day, and its endpoint two more to say so
_A_DAY = timedelta(days=1)
_FILES_COME_WITHIN = 3600.0  # seconds
_AT_A_TIME = 200  # calls that are written down in one go
_LATER = timedelta(minutes=5)  # where an endpoint cannot be asked now
_BUSY = 60.0  # seconds for which a full endpoint is left alone if it does not say
_FULL = {"token_limit_exceeded", "request_limit_exceeded", "rate_limit_exceeded"}
_WORTH_WAITING = 20.0  # seconds; what is due later, the scheduler wakes the run for
_TICK = 0.25  # seconds

Clock = Callable[[], datetime]


def tend(run: JudgeRun, *, timeout: float, clock: Clock, leaving: threading.Event) -> bool:
    """Look after the batches of a run and send more; say whether there is more to do at once.

    `timeout` in seconds is for one request. The batches of a run that is paused or has ended are
    taken in as well: they were paid for.
    """
    judge = run.judge
    if queries.may_be_contacted(judge):
        address = address_of(judge.base_url, judge.endpoint, timeout=timeout)
        with BatchDesk(address) as desk:
            errand = _Errand(run, desk, timeout, clock)
            while errand.go() and not leaving.is_set():
                leaving.wait(_TICK)
    else:
        queries.open_batches(run).update(look_at=clock() + _LATER)
        if run.state == RunState.RUNNING:
            _pause(run, reason_to_stop(run, at=clock()) or Pause.ENDPOINT_NOT_ALLOWED, clock())
    return False


@transaction.atomic
def cancel(*, run_id: int, by: User | None, at: datetime) -> bool:
    """Pause a run and have its batches cancelled: what is answered is taken, the rest is open again.

    False where it has none.
    """
    runs.pause(run_id=run_id, by=by, at=at)
    asked = runs.ask_to_cancel(run_id=run_id, at=at)
    if asked:
        events.record(
            "judge_run.batches_cancelled",
            subject=f"judge_run:{run_id}",
            by=by,
            at=at,
            facts={"batches": asked},
        )
    return bool(asked)


class _Errand:
    """One worker's time with the batches of one run."""

    def __init__(self, run: JudgeRun, desk: BatchDesk, timeout: float, clock: Clock) -> None:
        self.run, self.desk, self.clock = run, desk, clock
        self.interview = asking_of(run)
        self.sampling = sampling_of(run.judge, run.probe)
        self.members = run.judge.endpoint.body if run.judge.endpoint else {}
        self.has_room = True
        # So long the requests of a worker that is gone may still be under way.
        self.grace = 2 * timedelta(seconds=timeout)

    def go(self) -> bool:
        """Do what is to be done now; say whether more is to be done soon."""
        self.has_room = True
        for batch in queries.open_batches(self.run).filter(look_at__lte=self.clock()):
            self._look_after(batch)
        self.run.refresh_from_db()
        if self.run.state == RunState.RUNNING:
            self._send_all()
            if is_complete(self.run.pk):
                runs.finish(run_id=self.run.pk, by=None, at=self.clock())
        next_at = queries.next_at(self.run, with_calls=self.has_room)
        wait = timedelta(seconds=_WORTH_WAITING)
        return next_at is not None and next_at <= self.clock() + wait

    # What is under way.

    def _look_after(self, batch: LLMBatch) -> None:
        try:
            self._look(batch)
        except RateLimited as fault:
            self._look_later(batch, timedelta(seconds=fault.wait or _BUSY))
        except Blocked as fault:
            self._look_later(batch, _LATER)
            _pause(self.run, fault.reason, self.clock())
        except Fault as fault:
            batch.problem = fault.code
            self._look_later(batch, max(_every(), _asked_for(fault)))

    def _look(self, batch: LLMBatch) -> None:
        now = self.clock()
        if now > batch.made_at + GIVEN_UP_AFTER:
            return self._end(batch, BatchEnd.LOST, lambda _: Transient(TIMED_OUT))
        # One that is not there by its name may be in the list: where that fails too, it is the path.
        seen = (self.desk.look(batch.remote_id) if batch.remote_id else None) or self._found(batch)
        if seen is None and batch.remote_id:
            return self._end(batch, BatchEnd.LOST, lambda _: Transient(TIMED_OUT))
        if seen is None:
            if now < batch.made_at + self.grace:
                return self._look_later(batch, timedelta(seconds=_TICK))
            self.desk.forget_uploads(batch.key)
            return self._end(batch, BatchEnd.NOT_SENT, lambda _: Withdrawn())
        self._note(batch, seen)
        if seen.end is not None:
            return self._take_in(batch, seen, seen.end)
        if batch.cancel_asked_at and not seen.is_being_cancelled:
            self.desk.cancel(seen.remote_id)
        return self._look_later(batch, _every())

    def _found(self, batch: LLMBatch) -> BatchSeen | None:
        """The batch that a worker left before it noted its name; what is there twice goes."""
        found = self.desk.find(batch.key)
        for other in found[:-1]:
            if other.end is None:
                self.desk.cancel(other.remote_id)
        return found[-1] if found else None

    def _note(self, batch: LLMBatch, seen: BatchSeen) -> None:
        batch.remote_id, batch.n_answered = seen.remote_id, min(seen.n_answered, batch.n_calls)
        batch.state, batch.sent_at = BatchState.SENT, batch.sent_at or self.clock()
        batch.problem = Fault(seen.problem).code
        batch.save(update_fields=["remote_id", "n_answered", "state", "sent_at", "problem"])

    def _look_later(self, batch: LLMBatch, wait: timedelta) -> None:
        batch.look_at = self.clock() + wait
        batch.save(update_fields=["look_at", "problem"])

    def _take_in(self, batch: LLMBatch, seen: BatchSeen, end: BatchEnd) -> None:
        """Store what came, and give back the rest with the reason for which it did not."""
        wanted = queries.calls_in(batch).exists()
        came = self._came(batch, seen.files[1:]) if wanted else {}
        n_told = min(seen.n_answered, len(batch.requests))
        if wanted and len(came) < n_told and self._is_fresh(seen):
            return self._look_later(batch, max(timedelta(seconds=_TICK), _every()))
        if end is BatchEnd.FAILED and not came:
            self._end(batch, end, lambda _: self._left_alone(seen.problem), files=seen.files)
            if seen.problem not in _FULL:
                _pause(self.run, _reason_for(seen.problem), self.clock())
        else:
            self._end(
                batch, end, lambda custom: came.get(custom) or _not_answered(end), files=seen.files
            )
        return None

    def _is_fresh(self, seen: BatchSeen) -> bool:
        """Whether files may still be on their way to where they are fetched: they were paid for."""
        return self.clock().timestamp() < seen.ended_at + _FILES_COME_WITHIN

    def _came(self, batch: LLMBatch, files: Sequence[str]) -> dict[str, Mapping[str, Any] | Fault]:
        """{custom id: what came}: a line that comes twice counts once, an answer before an error."""
        came: dict[str, Mapping[str, Any] | Fault] = {}
        for line in (line for file in files if file for line in self.desk.lines(file)):
            custom = line.get("custom_id")
            if not isinstance(custom, str) or custom not in batch.requests:
                continue
            if custom not in came or isinstance(came[custom], Fault):
                came[custom] = _answer_or_fault(line)
        return came

    def _left_alone(self, problem: str) -> Fault:
        """Of a batch that its endpoint did not begin: it is full, or will not have it."""
        return RateLimited(problem, wait=_BUSY) if problem in _FULL else Withdrawn(problem)

    def _end(
        self,
        batch: LLMBatch,
        end: BatchEnd,
        came: Callable[[str], Mapping[str, Any] | Fault],
        *,
        files: Sequence[str] = (),
    ) -> None:
        """Write down what became of each call that is still in a batch, and then of the batch.

        `files` are deleted at the endpoint once nothing of them is needed any more.
        """
        found = {call.pk: call for call in queries.calls_in(batch)}
        reports = []
        for custom, asked in batch.requests.items():
            call_id, claim = call_and_claim(custom) or (0, 0)
            if call_id in found and found[call_id].claims == claim:
                found[call_id].set_aside = _use(asked["set_aside"])
                reports.append(self._report(batch, found[call_id], asked, came(custom)))
        nothing_succeeds = all(report.fault for report in reports) and not queries.was_answered(
            self.run, since=self.clock() - _A_DAY
        )
        for start in range(0, len(reports), _AT_A_TIME):
            reason = calls.record(
                run=self.run,
                interview=self.interview,
                calls=found,
                reports=reports[start : start + _AT_A_TIME],
                nothing_succeeds=nothing_succeeds,
                at=self.clock(),
            )
            if reason:
                _pause(self.run, reason, self.clock())
        self.desk.forget(files)
        batch.state, batch.ended_as, batch.ended_at = BatchState.ENDED, end.value, self.clock()
        batch.requests = {}
        batch.save(update_fields=["state", "ended_as", "ended_at", "requests", "problem"])

    def _report(
        self,
        batch: LLMBatch,
        call: JudgeCall,
        asked: Mapping[str, Any],
        came: Mapping[str, Any] | Fault,
    ) -> CrewReport:
        """What became of a call; one that has more to be asked goes back with what it has."""
        exchanges: list[Exchange] = list(call.exchanges)
        fault = came if isinstance(came, Fault) else None
        if not isinstance(came, Fault):
            exchanges.append({**asked["exchange"], **came})
            if self.interview.next_prompt(text_of(call), exchanges):
                fault = Withdrawn()
        return CrewReport(
            call_id=call.pk,
            claim=call.claims,
            exchanges=exchanges,
            sent_at=batch.sent_at or batch.made_at,
            answered_at=None if fault else self.clock(),
            fault=fault,
            wait=(fault.wait or _BUSY) if isinstance(fault, RateLimited) else 0.0,
        )

    # What is sent.

    def _send_all(self) -> None:
        while self.run.state == RunState.RUNNING:
            now = self.clock()
            if reason := reason_to_stop(self.run, at=now):
                _pause(self.run, reason, now)
                runs.ask_to_cancel(run_id=self.run.pk, at=now)
                return
            try:
                made = self._prepare(now)
            except calls.LimitReached:
                # What is at the endpoint may yet leave some of what was set aside for it.
                self.has_room = False
                if not queries.open_batches(self.run).exists():
                    _pause(self.run, Pause.LIMIT_REACHED, now)
                return
            if made is None:
                return
            self._send(*made)
            self.run.refresh_from_db()

    @transaction.atomic
    def _prepare(self, now: datetime) -> tuple[LLMBatch, list[bytes]] | None:
        """Take calls in hand and keep what will be asked of each; None where there are none."""
        claimed = calls.claim(
            run=self.run, interview=self.interview, most=MOST_CALLS, at=now, by_batch=True
        )
        requests, lines = {}, []
        texts: dict[str, str] = {}
        for call in claimed:
            asked = self.interview.next_prompt(text_of(call), call.exchanges)
            if asked is None:
                continue
            prompt = self.sampling.put(asked)
            custom = custom_id(call.pk, call.claims)
            requests[custom] = self._request(call, prompt)
            body = body_of(prompt, self.sampling, self.sampling.limit_is_called, self.members)
            lines.append(request_line(custom, body))
            texts |= prompt.texts
        if rest := [one for one in claimed if custom_id(one.pk, one.claims) not in requests]:
            self._conclude(rest)
        if not lines:
            return None
        calls.keep_texts(texts.items())
        batch = LLMBatch.objects.create(
            run=self.run,
            key=uuid4().hex,
            requests=requests,
            n_calls=len(lines),
            made_at=now,
            look_at=now,
        )
        return batch, lines

    def _request(self, call: JudgeCall, prompt: Prompt) -> dict[str, Any]:
        """What is kept of a request while it is at the endpoint."""
        rung = self.sampling.rung if prompt.schema else Rung.PLAIN
        asked = {"asked": prompt.asked, "messages": prompt.kept, "rung": rung.value}
        use = call.set_aside
        return {
            "set_aside": [use.requests, use.tokens, str(use.money)],
            "exchange": {"prompt_sha256": prompt.sha256, **asked},
        }

    def _conclude(self, answered: Sequence[JudgeCall]) -> None:
        """Calls that have all their answers: an earlier edition of the parser wanted more."""
        calls.record(
            run=self.run,
            interview=self.interview,
            calls={call.pk: call for call in answered},
            reports=[
                CrewReport(
                    call_id=call.pk,
                    claim=call.claims,
                    exchanges=call.exchanges,
                    answered_at=self.clock(),
                )
                for call in answered
            ],
            nothing_succeeds=False,
            at=self.clock(),
        )

    def _send(self, batch: LLMBatch, lines: Sequence[bytes]) -> None:
        """Upload the requests and have them answered."""
        try:
            file = self.desk.upload(batch.key, lines)
        except Fault as fault:
            return self._not_sent(batch, fault)
        try:
            seen = self.desk.create(batch.key, file)
        except Transient as fault:  # it may have been made all the same: it is found by its key
            return self._look_later(batch, max(timedelta(seconds=_TICK), _asked_for(fault)))
        except Fault as fault:
            self.desk.forget([file])
            return self._not_sent(batch, fault)
        self._note(batch, seen)
        return self._look_later(batch, _every())

    def _not_sent(self, batch: LLMBatch, fault: Fault) -> None:
        """Give all calls back: what would block or refuse each of them pauses the run once."""
        batch.problem = fault.code
        match fault:
            case Blocked(reason=reason):
                self._end(batch, BatchEnd.NOT_SENT, lambda _: Withdrawn())
                _pause(self.run, reason, self.clock())
            case Rejected():
                self._end(batch, BatchEnd.NOT_SENT, lambda _: Withdrawn())
                _pause(self.run, Pause.REQUESTS_REFUSED, self.clock())
            case RateLimited():
                self._end(batch, BatchEnd.NOT_SENT, lambda _: fault)
            case Transient(wait=wait):
                self._end(batch, BatchEnd.NOT_SENT, lambda _: Missed(fault.code, wait=wait))


def _answer_or_fault(line: Mapping[str, Any]) -> Mapping[str, Any] | Fault:
    try:
        return answer_in(line)
    except Fault as fault:
        return fault


def _reason_for(problem: str) -> Pause:
    """Why a run cannot go on whose batch its endpoint would not have."""
    fault = fault_of_status(HTTPStatus.BAD_REQUEST, EndpointRefusal(code=problem), {})
    return fault.reason if isinstance(fault, Blocked) else Pause.REQUESTS_REFUSED


def _not_answered(end: BatchEnd) -> Fault:
    """Why a request of a batch that has ended has no line in its files."""
    match end:
        case BatchEnd.CANCELLED:
            return Withdrawn()
        case BatchEnd.COMPLETED:
            return Transient(TIMED_OUT)  # it may be billed: nobody says otherwise
    return Missed(f"batch_{end.value}")


def _pause(run: JudgeRun, reason: Pause, at: datetime) -> None:
    runs.pause(run_id=run.pk, by=None, at=at, reason=reason)


def _asked_for(fault: Fault) -> timedelta:
    """For how long an endpoint that fails asks to be left alone."""
    return timedelta(seconds=fault.wait) if isinstance(fault, Transient) else timedelta()


def _use(told: Sequence[Any]) -> Use:
    requests, tokens, money = told
    return Use(requests=requests, tokens=tokens, money=Decimal(money))


def _every() -> timedelta:
    return timedelta(seconds=settings.LLM_BATCH_LOOK)
