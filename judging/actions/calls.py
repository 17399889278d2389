"""Take calls in hand, and write down what became of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from random import SystemRandom
from uuid import NAMESPACE_URL, uuid5

from django.db import transaction
from django.db.models import F

from annotation.actions import recording
from annotation.actions.recording import AnswerSet, Recording
from annotation.actions.studies import note_change
from annotation.models import Origin, Submission
from annotation.readers.values import Value
from annotation.rubric.answers import Answer
from annotation.rubric.taxonomy import path_as_text
from judging import parsing, writing
from judging.comparing import Comparing, PairFound
from judging.interviews import Asking, Exchange, Interview
from judging.models import CallState, JudgeCall, JudgeRun, Preference, RunState, SentText
from judging.providers.crew import CrewReport, CrewWork
from judging.providers.faults import (
    TIMED_OUT,
    Blocked,
    Denied,
    Fault,
    Missed,
    RateLimited,
    Rejected,
    Transient,
    Unended,
    Withdrawn,
)
from judging.queries.runs import due, text_of
from judging.rules.budget import CENTS, NOTHING, Use
from judging.rules.outcomes import Outcome, Pause
from judging.rules.patience import MOST_ATTEMPTS, back_off
from judging.rules.questions import Unreadable

LEASE = timedelta(seconds=30)
_IN_HAND = (CallState.LEASED, CallState.BATCHED)
_NO_ATTEMPT = (Withdrawn, RateLimited, Blocked)  # faults that say nothing about the call itself

_WRITTEN = [
    "state",
    "leased_until",
    "not_before",
    "attempts",
    "claims",
    "outcome",
    "problem",
    "parser_edition",
    "submission",
    "prompt_sha256",
    "item_sha256",
    "exchanges",
    "sent_at",
    "answered_at",
]


class LimitReached(Exception):
    """What is left of the run's limit is less than the next call may take."""


@transaction.atomic
def claim(
    *,
    run: JudgeRun,
    interview: Asking,
    most: int,
    at: datetime,
    in_hand: Collection[int] = (),
    by_batch: bool = False,
) -> list[JudgeCall]:
    """Lease up to `most` calls that are due, those of the first repeats first.

    Calls that another worker is just claiming are passed over, so no call is in two hands; nor
    are those claimed that the worker has `in_hand` (their ids), for it may have been held up until
    their leases ran out, and they are being asked. Where the run has a limit, no more are leased
    than it has room for; LimitReached where that is none.
    `by_batch` they have no lease: whoever looks after their batch has them, and what each may take
    is always set aside, for a limit may be set while they are at the endpoint.
    """
    calls = list(
        JudgeCall.objects.filter(due(at), run=run, run__state=RunState.RUNNING)
        .exclude(state=CallState.DONE)
        .exclude(pk__in=in_hand)
        .select_for_update(skip_locked=True, of=("self",))
        .select_related("item__dialogue", "second__dialogue")
        .order_by("repeat", "position")[:most]
    )
    if run.limit.is_set or by_batch:
        calls = _within_limit(run, interview, calls)
    JudgeCall.objects.filter(pk__in=[call.pk for call in calls]).update(
        state=CallState.BATCHED if by_batch else CallState.LEASED,
        leased_until=None if by_batch else at + LEASE,
        claims=F("claims") + 1,
    )
    for call in calls:
        call.claims += 1
    return calls


def reclaim(*, run_id: int) -> int:
    """Take back what a worker had in hand that is gone: it was no attempt."""
    in_hand = JudgeCall.objects.filter(run=run_id, state=CallState.LEASED)
    return in_hand.update(state=CallState.PENDING, leased_until=None)


def set_aside(*, run: JudgeRun, interview: Asking, calls: Collection[JudgeCall]) -> None:
    """Set aside what calls in hand may take at most, where a limit was set after they were claimed."""
    for call in calls:
        call.set_aside = _most_use(run, interview, call)
    _book(run, sum((call.set_aside for call in calls), Use()))


def _within_limit(run: JudgeRun, interview: Asking, calls: Sequence[JudgeCall]) -> list[JudgeCall]:
    """Set aside what each call may take at most, for as many as there is room for."""
    account = JudgeRun.objects.select_for_update().get(pk=run.pk)
    used = account.used
    kept = []
    for call in calls:
        call.set_aside = _most_use(run, interview, call)
        if not account.limit.allows(used + call.set_aside):
            break
        used += call.set_aside
        kept.append(call)
    if calls and not kept:
        raise LimitReached
    _book(run, used - account.used)
    return kept


def _most_use(run: JudgeRun, interview: Asking, call: JudgeCall) -> Use:
    """What a call may take at most."""
    item = text_of(call)
    return interview.most_use(item, max_tokens=run.judge.max_tokens, price=run.price)


def _book(run: JudgeRun, use: Use) -> None:
    """Add what was used or set aside, or take off what was not needed after all."""
    JudgeRun.objects.filter(pk=run.pk).update(
        used_requests=F("used_requests") + use.requests,
        used_tokens=F("used_tokens") + use.tokens,
        used_money=F("used_money") + use.money,
    )


def renew(*, calls: Iterable[JudgeCall], at: datetime) -> None:
    """Hold on to calls that are still in hand."""
    JudgeCall.objects.filter(
        pk__in=[call.pk for call in calls], state=CallState.LEASED, leased_until__gte=at
    ).update(leased_until=at + LEASE)


def work_of(call: JudgeCall) -> CrewWork:
    """Return what the crew needs to know of a call."""
    return CrewWork(
        call_id=call.pk,
        claim=call.claims,
        item=text_of(call),
        exchanges=call.exchanges,
    )


def record(
    *,
    run: JudgeRun,
    interview: Asking,
    calls: Mapping[int, JudgeCall],
    reports: Sequence[CrewReport],
    nothing_succeeds: bool,
    at: datetime,
) -> Pause | None:
    """Write down what became of calls, all in one go; return why the run must pause, if it must.

    A worker that has lost a call to another, because its lease ran out, writes nothing of it.
    `nothing_succeeds` says that no call has been answered for a while: then a failing one
    speaks against the endpoint, not against its item.
    """
    # What a call was sent and answered is kept with it, so its ratings need no line in the trail.
    with recording.change(study_id=run.study_id, is_traced=True) as change:
        reports = _still_ours(reports)
        used = sum((_used(run, interview, calls[each.call_id], each) for each in reports), Use())
        reasons = {_settle(calls[each.call_id], each, nothing_succeeds, at) for each in reports}
        done = [calls[each.call_id] for each in reports if calls[each.call_id].outcome]
        keep_texts(text for report in reports for text in report.texts.items())
        if isinstance(interview, Comparing):
            _store_preferences(interview, done, at)
        elif isinstance(interview, Interview):
            _store_ratings(change, run, interview, done, at)
        else:
            _note_replies(done)
        # One statement for rows with different values; they all exist, so nothing is inserted.
        JudgeCall.objects.bulk_create(
            [calls[each.call_id] for each in reports],
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=_WRITTEN,
        )
        _book(run, used)
        if run.comparison_id is not None:
            note_change(study_id=run.study_id)
        return next((reason for reason in reasons if reason), _over_limit(run))


def keep_recorded(
    change: Recording,
    *,
    run: JudgeRun,
    interview: Interview,
    calls: Sequence[JudgeCall],
    at: datetime,
) -> None:
    """Write down calls whose answers were recorded elsewhere, and what is read in them."""
    for call in calls:
        _complete(call, Outcome.RATED, at=call.answered_at or at)
    JudgeCall.objects.bulk_create(calls)
    _store_ratings(change, run, interview, calls, at)
    JudgeCall.objects.bulk_update(calls, ["submission", "outcome"])


def keep_texts(sent: Iterable[tuple[str, str]]) -> None:
    """Keep what was sent, each text once; in one order, or two workers wait for each other.

    `sent`: (fingerprint, text).
    """
    texts = dict(sent)
    rows = [SentText(sha256=one, text=texts[one]) for one in sorted(texts)]
    SentText.objects.bulk_create(rows, ignore_conflicts=True)


def _still_ours(reports: Sequence[CrewReport]) -> list[CrewReport]:
    """The reports of calls that nobody has claimed since; their rows are locked."""
    ours = set(
        JudgeCall.objects.select_for_update()
        .filter(pk__in=[each.call_id for each in reports], state__in=_IN_HAND)
        .values_list("pk", "claims")
    )
    return [each for each in reports if (each.call_id, each.claim) in ours]


def _used(run: JudgeRun, interview: Asking, call: JudgeCall, report: CrewReport) -> Use:
    """What a call has used beyond, or short of, what was set aside for it.

    An endpoint that does not count tokens is taken to have used what was reckoned, and so is one
    whose answer did not come in time: it is billed all the same.
    """
    asked = report.exchanges[len(call.exchanges) :]
    uses = [_counted(exchange.get("usage") or {}, run) for exchange in asked]
    uses += _without_answer(report.fault, run)
    reckoned = _each(_most_use(run, interview, call)) if None in uses else Use()
    return sum((use or reckoned for use in uses), Use()) - call.set_aside


def _without_answer(fault: Fault | None, run: JudgeRun) -> list[Use | None]:
    """What a request took to which there is no answer; nothing where no endpoint took it in."""
    match fault:
        case Unended(usage=usage):
            return [_counted(usage, run)]
        case Transient(code=code) if code == TIMED_OUT:
            return [None]
        case Missed():
            return []
        case Transient() | Rejected():
            return [Use(requests=1)]
    return []


def _each(use: Use) -> Use:
    """The share of one request."""
    requests = max(1, use.requests)
    money = round(use.money / requests, CENTS)
    return Use(requests=1, tokens=use.tokens // requests, money=money)


def _counted(usage: Mapping[str, int], run: JudgeRun) -> Use | None:
    """What the endpoint says that one request took; None where it does not.

    Some count what an LLM has thought in the total alone, and bill it like the answer.
    """
    prompt, answer = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    if not prompt or not usage.keys() & {"completion_tokens", "total_tokens"}:
        return None
    answer = max(answer, usage.get("total_tokens", 0) - prompt)
    cached = usage.get("cached_tokens", 0)
    money = run.price.of(prompt=prompt, answer=answer, cached=cached) if run.price else NOTHING
    return Use(requests=1, tokens=prompt + answer, money=money)


def _over_limit(run: JudgeRun) -> Pause | None:
    """Answers can turn out longer than was reckoned: then nothing more is sent."""
    if not run.limit.is_set or run.limit.allows(JudgeRun.objects.get(pk=run.pk).used):
        return None
    is_complete = not run.calls.exclude(state=CallState.DONE).exists()
    return None if is_complete else Pause.LIMIT_REACHED


def _settle(
    call: JudgeCall, report: CrewReport, nothing_succeeds: bool, at: datetime
) -> Pause | None:
    """Set a call's new state; return why its run must pause, if it must."""
    call.exchanges = list(report.exchanges)
    call.sent_at = report.sent_at or call.sent_at
    call.attempts += _is_attempt(report.fault)
    match report.fault:
        case None:
            _complete(call, Outcome.RATED, at=report.answered_at)
        case Withdrawn():
            _give_back(call)
        case RateLimited():
            _give_back(call, not_before=at + timedelta(seconds=report.wait))
        case Denied(reason=reason, code=code) if call.attempts < MOST_ATTEMPTS:
            _give_back(call, not_before=at + _back_off(call), problem=code)
            # Denied again after somebody has resumed the run: others are to show whether the key is.
            return reason if nothing_succeeds and call.attempts == 1 else None
        case Denied(code=code):
            _complete(call, Outcome.REQUEST_REFUSED, at=at, problem=code)
        case Blocked(reason=reason, code=code):
            _give_back(call, problem=code)
            return reason
        case Rejected(outcome=Outcome.REQUEST_REFUSED, code=code) if (
            nothing_succeeds and call.attempts == 1
        ):
            _give_back(call, problem=code)
            return Pause.REQUESTS_REFUSED
        case Rejected(outcome=outcome, code=code):
            _complete(call, outcome, at=at, problem=code)
        case Transient(code=code, wait=told) if call.attempts < MOST_ATTEMPTS:
            wait = timedelta(seconds=told) + _back_off(call)
            _give_back(call, not_before=at + wait, problem=code)
        case Transient(code=code) if nothing_succeeds and call.attempts == MOST_ATTEMPTS:
            _give_back(call, problem=code)
            return Pause.NO_ANSWERS
        case Transient(code=code):
            _complete(call, Outcome.ENDPOINT_ERROR, at=at, problem=code)
        case fault:
            raise fault
    return None


def _is_attempt(fault: Fault | None) -> bool:
    return isinstance(fault, Denied) or not isinstance(fault, _NO_ATTEMPT)


def _back_off(call: JudgeCall) -> timedelta:
    return timedelta(seconds=back_off(call.attempts, SystemRandom().random()))


def _complete(call: JudgeCall, outcome: Outcome, *, at: datetime | None, problem: str = "") -> None:
    call.state = CallState.DONE
    call.leased_until = call.not_before = None
    call.outcome = outcome.value
    call.problem = problem
    call.parser_edition = parsing.EDITION
    call.answered_at = at
    call.item_sha256 = text_of(call).sha256
    call.prompt_sha256 = _fingerprint(call.exchanges)


def _give_back(call: JudgeCall, *, not_before: datetime | None = None, problem: str = "") -> None:
    call.state = CallState.PENDING
    call.leased_until = None
    call.not_before = not_before
    call.problem = problem


def _fingerprint(exchanges: Sequence[Exchange]) -> str:
    """The hash of the one prompt that was sent, or of the hashes of several in order."""
    hashes = [exchange["prompt_sha256"] for exchange in exchanges]
    if len(hashes) > 1:
        return sha256("".join(hashes).encode()).hexdigest()
    return "".join(hashes)


def _note_replies(calls: Iterable[JudgeCall]) -> None:
    """Say what became of those that were answered; the replies stay with their calls."""
    for call in calls:
        if call.outcome == Outcome.RATED:
            call.outcome = writing.outcome_of(call.exchanges).value


def _store_ratings(
    change: Recording,
    run: JudgeRun,
    interview: Interview,
    calls: Sequence[JudgeCall],
    at: datetime,
) -> None:
    before = _failed_before(run, calls)
    sets = [
        _answers(call, run, interview, at, before.get((call.item_id, call.repeat)))
        for call in calls
    ]
    if run.sentinels_id is not None:
        return
    submissions = change.store(sets, origin=Origin.JUDGE, rubric_version=run.rubric_version_id)
    for call, submission in zip(calls, submissions, strict=True):
        call.submission = submission


def _store_preferences(interview: Comparing, calls: Sequence[JudgeCall], at: datetime) -> None:
    found = [one for call in calls for one in _preferences(call, interview, at)]
    Preference.objects.bulk_create(found)


def _preferences(call: JudgeCall, interview: Comparing, at: datetime) -> Iterator[Preference]:
    """What a call that compares came to, which its outcome then says."""
    fault = None if call.outcome == Outcome.RATED else Outcome(call.outcome)
    told = interview.found_in(call.exchanges)
    call.outcome = (fault or first_reason(told.values())).value
    for key, found in told.items():
        yield preference(call, key, found, fault=fault, at=at)


def preference(
    call: JudgeCall,
    key: str,
    found: PairFound | Unreadable,
    *,
    fault: Outcome | None = None,
    at: datetime,
) -> Preference:
    """What was found in a call about one thing that was asked, unsaved."""
    made = Preference(call=call, criterion_key=key, edition=call.parser_edition, read_at=at)
    if isinstance(found, Unreadable):
        made.unscored = _reason_for(found, fault).value
    else:
        made.preferred = found.preferred
        made.first_score, made.second_score = found.first, found.second
    return made


def _failed_before(run: JudgeRun, calls: Sequence[JudgeCall]) -> dict[tuple[int, int], int]:
    """{(item, repeat): what was stored of it} where the endpoint failed and is asked again."""
    if run.retry_of_id is None:
        return {}
    rows = Submission.objects.filter(
        judge_call__run__judge=run.judge_id,
        item__in=[call.item_id for call in calls],
        is_current=True,
    )
    return {(item, repeat): pk for pk, item, repeat in rows.values_list("pk", "item", "repeat")}


def _answers(
    call: JudgeCall, run: JudgeRun, interview: Interview, at: datetime, supersedes: int | None
) -> AnswerSet:
    """What a call came to, which its outcome then says: rated only if every criterion is."""
    fault = None if call.outcome == Outcome.RATED else Outcome(call.outcome)
    concluded = interview.conclude(call.exchanges)
    call.outcome = (fault or first_reason(concluded.values())).value
    return AnswerSet(
        key=uuid5(NAMESPACE_URL, f"concord:judge-call:{call.pk}"),
        item=call.item_id,
        rater=run.judge.rater_id,
        values=[value_of(key, found, fault) for key, found in concluded.items()],
        submitted_at=call.answered_at or at,
        repeat=call.repeat,
        supersedes=supersedes,
        grounds=interview.beside(text_of(call), call.exchanges, concluded),
    )


def first_reason(concluded: Iterable[Answer | PairFound | Unreadable]) -> Outcome:
    """Rated only if every criterion is."""
    unread = (found.reason for found in concluded if isinstance(found, Unreadable))
    return next(unread, Outcome.RATED)


def value_of(key: str, found: Answer | Unreadable, fault: Outcome | None = None) -> Value:
    """A value, or why there is none: what the LLM wrote, or that the endpoint failed before."""
    if isinstance(found, Answer):
        return Value(key, found.label, found.score, path=path_as_text(found.path))
    return Value(key, unscored=_reason_for(found, fault).value)


def _reason_for(found: Unreadable, fault: Outcome | None) -> Outcome:
    return fault if fault and found.reason is Outcome.NO_ANSWER else found.reason
