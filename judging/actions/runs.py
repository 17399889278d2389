"""Start, pause, resume and finish runs."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from accounts import events
from accounts.models import User
from annotation.actions.imports.copying import tell_planner
from annotation.actions.studies import note_change
from annotation.models import Item, Round, Study, Submission
from annotation.readers.texts import content_sha256
from annotation.rubric.sentences import Sentence, sentence
from judging import queue, standin
from judging.actions import holding_out, judges
from judging.actions.judges import Settings
from judging.models import (
    BatchState,
    CallState,
    Generation,
    Judge,
    JudgeCall,
    JudgeRun,
    LLMBatch,
    ReplyComparison,
    RunState,
    SentinelSet,
)
from judging.prompts.loading import TemplateError
from judging.prompts.template import PromptSubject, Template
from judging.queries import batches
from judging.queries import runs as queries
from judging.queries.endpoints import of_judge, price_for, reason_not_to_send
from judging.rules import endpoints, trials
from judging.rules.budget import (
    NO_LIMIT,
    Limit,
    Price,
    reason_not_to_go_on,
    reason_not_to_limit_money,
)
from judging.rules.comparing import Pair
from judging.rules.outcomes import Pause
from judging.rules.pace import MOST_AT_ONCE

MOST_REPEATS = 20
_AT_A_TIME = 2000
_AS_BEFORE = (
    *("study_id", "judge_id", "rubric_version_id", "round_id", "generation_id", "comparison_id"),
    *("repeats", "concurrency", "by_batch"),
    *("limit_requests", "limit_tokens", "limit_money", "probe_id"),
    *("used_requests", "used_tokens", "used_money"),
    *("price_prompt", "price_answer", "price_cached", "currency"),
)


_OF_ANOTHER_SUBJECT = {
    PromptSubject.PAIR: sentence(
        "This prompt compares two replies. Choose one that rates a single reply."
    ),
    PromptSubject.REPLY: sentence(
        "This prompt rates a single reply. Choose one that compares two replies."
    ),
}


class CannotRun(Exception):
    """A sentence that says why a run cannot be started or resumed."""


@transaction.atomic
def start(
    *,
    study: Study,
    judge: Settings,
    repeats: int,
    concurrency: int,
    by: User | None,
    at: datetime,
    round_number: int | None = None,
    limit: Limit = NO_LIMIT,
    of_hold_out: bool = False,
    hold_out_reason: str = "",
    by_batch: bool = False,
) -> JudgeRun:
    """Have a judge rate every item of a study that has a reply, or those of one round.

    What is held out is left out, or with `of_hold_out` it is all that is asked about: that counts
    as a use, and where it is not this judge's first one it takes a reason. `by_batch` the calls are
    sent in batches.
    """
    price = _price_to_ask(study, judge, limit=limit, by_batch=by_batch, on=at.date())
    rating_round = _round_of(study, round_number)
    to_judge = queries.granted_to(
        by, study, queries.items_to_judge(study, round_number, of_hold_out=of_hold_out)
    )
    items = list(to_judge.values_list("pk", flat=True).iterator(_AT_A_TIME))
    if not items:
        raise CannotRun(sentence("There is no item with a reply to rate."))
    _refuse_to_answer(judges.template_for(study, judge), to_judge)
    run = _as_asked(
        study,
        judges.edition_of(judge, at=at),
        limit=limit,
        price=price,
        by=by,
        at=at,
        round=rating_round,
        repeats=repeats,
        concurrency=concurrency,
        by_batch=by_batch,
    )
    _save_unfinished(run)
    if of_hold_out:
        _spend(run, items, hold_out_reason)
    _create_calls(run, items)
    events.record(
        "judge_run.started",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={
            "study": study.pk,
            "judge": run.judge_id,
            "rubric_version": run.rubric_version_id,
            "round": rating_round.pk if rating_round else None,
            "items": len(items),
            "repeats": repeats,
            "of_hold_out": of_hold_out,
            "by_batch": by_batch,
            **_facts_of(limit),
        },
    )
    queue.work_on_run(run_id=run.pk)
    return run


@transaction.atomic
def start_comparing(
    *,
    comparison: ReplyComparison,
    judge: Settings,
    pairs: Sequence[Pair],
    repeats: int,
    concurrency: int,
    limit: Limit = NO_LIMIT,
    of_hold_out: bool = False,
    hold_out_reason: str = "",
    by_batch: bool = False,
) -> JudgeRun:
    """Ask a judge about pairs in the order in which they are given; CannotRun."""
    study, at, by = comparison.study, comparison.started_at, comparison.started_by
    price = _price_to_ask(study, judge, limit=limit, by_batch=by_batch, on=at.date())
    run = _as_asked(
        study,
        judges.edition_of(judge, at=at),
        limit=limit,
        price=price,
        by=by,
        at=at,
        comparison=comparison,
        repeats=repeats,
        concurrency=concurrency,
        by_batch=by_batch,
    )
    _save_unfinished(run)
    if of_hold_out:
        _spend(run, sorted({item for pair in pairs for item in pair}), hold_out_reason)
    _keep_calls(
        JudgeCall(run=run, item_id=first, second_id=second, repeat=repeat, position=position)
        for repeat in range(1, repeats + 1)
        for position, (first, second) in enumerate(pairs)
    )
    queue.work_on_run(run_id=run.pk)
    return run


def _price_to_ask(
    study: Study, judge: Settings, *, limit: Limit, by_batch: bool, on: date
) -> Price | None:
    """What a judge costs that may be asked about the items of a study; CannotRun if it may not."""
    if problem := reason_not_to_ask(judge) or (reason_not_to_batch(judge) if by_batch else None):
        raise CannotRun(problem)
    price = price_for(judge.llm, judge.endpoint, on=on, by_batch=by_batch)
    if problem := reason_not_to_limit_money(limit, price=price, max_tokens=judge.max_tokens):
        raise CannotRun(problem)
    if reason := queries.reason_to_keep_from(study, judge.base_url):
        raise CannotRun(reason)
    try:
        template = judges.template_for(study, judge)
    except TemplateError as error:
        raise CannotRun(error.problems[0]) from None
    if reason := reason_not_to_ask_about(queries.subject_of(judge.prompt_edition), template):
        raise CannotRun(reason)
    return price


def _refuse_to_answer(template: Template, items: QuerySet[Item]) -> None:
    """CannotRun where a prompt shows an item that it is to ask about together with its answer."""
    shown = [
        content_sha256(one.turns, reply=one.reply, reply_speaker=one.reply_speaker)
        for one in template.examples
    ]
    found = items.order_by().filter(content_sha256__in=shown)
    known = set(found.values_list("content_sha256", flat=True))
    if number := next((at for at, one in enumerate(shown, start=1) if one in known), None):
        raise CannotRun(
            sentence(
                "Example {number} of the prompt is an item that the judge would be asked about: it "
                "would be shown its answer. Write examples that are in no study.",
                number=number,
            )
        )


def reason_not_to_ask_about(subject: PromptSubject, template: Template) -> Sentence | None:
    """Say why a prompt is not for what a judge is to be asked about, or None."""
    return None if template.subject is subject else _OF_ANOTHER_SUBJECT[template.subject]


@transaction.atomic
def pause(*, run_id: int, by: User | None, at: datetime, reason: Pause = Pause.BY_HAND) -> bool:
    """Make no more calls; what is under way is still taken. False where the run is not running."""
    run = JudgeRun.objects.select_for_update().get(pk=run_id)
    if run.state != RunState.RUNNING:
        return False
    run.state = RunState.PAUSED
    run.pause_reason = reason.value
    run.save(update_fields=["state", "pause_reason"])
    events.record(
        "judge_run.paused",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={"reason": reason.value},
    )
    return True


@transaction.atomic
def resume(*, run_id: int, by: User | None, at: datetime, limit: Limit | None = None) -> bool:
    """Go on under the access of `by`, with another limit if given. False where it is not paused."""
    run = (
        JudgeRun.objects.select_for_update(of=("self",))
        .select_related("judge__endpoint")
        .get(pk=run_id)
    )
    if run.state != RunState.PAUSED:
        return False
    _refuse_to_send(run.study, run.judge)
    limit = limit or run.limit
    if reason := _reason_not_to_limit(run, limit):
        raise CannotRun(reason)
    if reason := reason_not_to_go_on(limit, run.used):
        raise CannotRun(reason)
    run.state = RunState.RUNNING
    run.pause_reason = ""
    run.authority = by
    run.limit_requests = limit.requests
    run.limit_tokens = limit.tokens
    run.limit_money = limit.money
    run.save(
        update_fields=[
            *("state", "pause_reason", "authority"),
            *("limit_requests", "limit_tokens", "limit_money"),
        ]
    )
    events.record(
        "judge_run.resumed",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts=_facts_of(limit),
    )
    queue.work_on_run(run_id=run.pk)
    return True


def reason_not_to_ask(judge: Settings) -> Sentence | None:
    """Say why a judge cannot be asked: by its endpoint, or by what a trial found of its LLM."""
    return reason_not_to_send(judge.base_url, of_judge(judge.endpoint)) or _reason_by_trial(
        judge.llm,
        judge.base_url,
        judge.endpoint,
        has_temperature=judge.temperature is not None,
        in_json=judge.as_json,
    )


def _reason_by_trial(
    llm: str, base_url: str, endpoint: int | None, *, has_temperature: bool, in_json: bool
) -> Sentence | None:
    probe = queries.newest_probe(llm, base_url, endpoint)
    return trials.reason_not_to_ask(
        probe.findings if probe else {}, llm=llm, has_temperature=has_temperature, in_json=in_json
    )


def reason_to_try(llm: str, base_url: str, endpoint: int | None) -> Sentence | None:
    """Say what no trial has shown yet. The stand-in is Concord's own script: all of it is known."""
    if llm == standin.NAME:
        return None
    probe = queries.newest_probe(llm, base_url, endpoint)
    return trials.reason_to_try(probe.findings if probe else None, llm=llm)


def reason_not_to_batch(judge: Settings) -> Sentence | None:
    """Say why a judge cannot be asked in batches, or None."""
    if batches.takes_batches(judge.llm, judge.base_url, judge.endpoint):
        return None
    return sentence(
        "No trial has shown that “{llm}” can be asked in batches there. Try it first.",
        llm=judge.llm,
    )


def reason_not_to_ask_again(study: Study, judge: Judge) -> Sentence | None:
    """Say why a judge that was asked before cannot be asked in another run, or None."""
    return _reason_not_to_send(study, judge) or _reason_by_trial(
        judge.llm,
        judge.base_url,
        judge.endpoint_id,
        has_temperature=judge.temperature is not None,
        in_json=judge.json_answer,
    )


def _refuse_to_ask(study: Study, judge: Judge) -> None:
    if reason := reason_not_to_ask_again(study, judge):
        raise CannotRun(reason)


def _refuse_to_send(study: Study, judge: Judge) -> None:
    if reason := _reason_not_to_send(study, judge):
        raise CannotRun(reason)


def _reason_not_to_send(study: Study, judge: Judge) -> Sentence | None:
    """Say why a judge, or the texts of a study, may no longer go where it is asked, or None."""
    return _reason_not_to_resume(judge) or queries.reason_to_keep_from(study, judge.base_url)


def _reason_not_to_resume(judge: Judge) -> Sentence | None:
    if judge.endpoint is not None or judge.base_url == settings.LLM_BASE_URL:
        return reason_not_to_send(judge.base_url, judge.endpoint)
    return sentence(
        "This run asks {old}, but the server is set up for {new}. Set "
        "CONCORD_LLM_BASE_URL back, or end this run and start another.",
        old=endpoints.host_of(judge.base_url),
        new=endpoints.host_of(settings.LLM_BASE_URL) or "—",
    )


@transaction.atomic
def finish(*, run_id: int, by: User | None, at: datetime) -> bool:
    """End a run, complete or not; calls that were not made stay unmade. False where it has ended.

    Batches that are under way are cancelled; what has been answered in them is still taken.
    """
    run = JudgeRun.objects.select_for_update().get(pk=run_id)
    if run.state == RunState.FINISHED:
        return False
    run.state = RunState.FINISHED
    run.pause_reason = ""
    run.finished_at = at
    run.save(update_fields=["state", "pause_reason", "finished_at"])
    events.record(
        "judge_run.finished",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={"not_made": run.calls.exclude(state=CallState.DONE).count()},
    )
    note_change(study_id=run.study_id)
    ask_to_cancel(run_id=run.pk, at=at)
    return True


def ask_to_cancel(*, run_id: int, at: datetime) -> int:
    """Have a worker cancel what a run has at its endpoint; return how many batches that is."""
    under_way = LLMBatch.objects.filter(run=run_id, cancel_asked_at=None)
    asked = under_way.exclude(state=BatchState.ENDED).update(cancel_asked_at=at, look_at=at)
    if asked:
        queue.work_on_run(run_id=run_id)
    return asked


@transaction.atomic
def retry_failed(*, run_id: int, by: User | None, at: datetime) -> JudgeRun | None:
    """Ask again only what the endpoint failed at, in a run of its own; None where that is nothing.

    The calls that failed stay as they are; what was stored of them is superseded once there is an
    answer. The limit stays that of both runs together. Nothing is asked again for a generation
    whose replies have become items.
    """
    run = JudgeRun.objects.select_for_update().get(pk=run_id)
    failed = list(queries.failed_calls(run))
    if run.state != RunState.FINISHED or not failed or _is_taken_in(run):
        return None
    _refuse_to_ask(run.study, run.judge)
    if reason := reason_not_to_go_on(run.limit, run.used):
        raise CannotRun(reason)
    again = JudgeRun(
        retry_of=run,
        started_at=at,
        started_by=by,
        authority=by,
        **{name: getattr(run, name) for name in _AS_BEFORE},
    )
    _save_unfinished(again)
    JudgeCall.objects.bulk_create(
        JudgeCall(
            run=again,
            item_id=one.item_id,
            second_id=one.second_id,
            repeat=one.repeat,
            position=one.position,
        )
        for one in failed
    )
    events.record(
        "judge_run.retried",
        subject=f"judge_run:{again.pk}",
        by=by,
        at=at,
        facts={"run": run.pk, "calls": len(failed)},
    )
    queue.work_on_run(run_id=again.pk)
    return again


def _is_taken_in(run: JudgeRun) -> bool:
    """Whether items were made of the replies of its generation; they wait for this to commit."""
    if run.generation_id is None:
        return False
    held = Generation.objects.select_for_update(no_key=True).get(pk=run.generation_id)
    return held.taken_in_at is not None


def start_again(
    *,
    study: Study,
    judge: Judge,
    items: list[int],
    sentinels: SentinelSet,
    authority: User | None,
    by: User | None,
    at: datetime,
) -> JudgeRun:
    """Ask a judge once more about some items, to compare; CannotRun. Within a transaction."""
    _refuse_to_ask(study, judge)
    run = JudgeRun(
        study=study,
        judge=judge,
        rubric_version_id=study.rubric_version_id,
        sentinels=sentinels,
        probe=queries.newest_probe(judge.llm, judge.base_url, judge.endpoint_id),
        started_at=at,
        started_by=by,
        authority=authority,
    )
    return _begun(run, items)


def start_replacing(
    *,
    sentinels: SentinelSet,
    judge: Settings,
    items: Sequence[int],
    concurrency: int,
    limit: Limit,
    by_batch: bool,
    by: User | None,
    at: datetime,
) -> JudgeRun:
    """Ask a judge that is to replace another one about the other's sentinels, each once; CannotRun.
    Within a transaction."""
    study = sentinels.study
    price = _price_to_ask(study, judge, limit=limit, by_batch=by_batch, on=at.date())
    if queries.granted_to(by, study, study.items.filter(pk__in=items)).count() < len(items):
        raise CannotRun(sentence("Some of these items are not for this account."))
    edition = judges.edition_of(judge, at=at)
    if edition.pk == sentinels.judge_id:
        raise CannotRun(
            sentence("“{judge}” is asked so already: change a setting.", judge=edition.rater.name)
        )
    run = _as_asked(
        study,
        edition,
        limit=limit,
        price=price,
        by=by,
        at=at,
        sentinels=sentinels,
        concurrency=concurrency,
        by_batch=by_batch,
    )
    return _begun(run, items)


def start_writing(
    *,
    generation: Generation,
    generator: Judge,
    items: Sequence[int],
    repeats: int,
    concurrency: int,
    limit: Limit,
) -> JudgeRun:
    """Have a generator reply to the conversations of some items; CannotRun. Within a transaction."""
    study, at, by = generation.study, generation.started_at, generation.started_by
    _refuse_to_send(study, generator)
    price = price_for(generator.llm, generator.endpoint_id, on=at.date())
    if reason := reason_not_to_limit_money(limit, price=price, max_tokens=generator.max_tokens):
        raise CannotRun(reason)
    run = _as_asked(
        study,
        generator,
        limit=limit,
        price=price,
        by=by,
        at=at,
        generation=generation,
        repeats=repeats,
        concurrency=concurrency,
    )
    return _begun(run, items)


def _as_asked(
    study: Study,
    judge: Judge,
    *,
    limit: Limit,
    price: Price | None,
    by: User | None,
    at: datetime,
    **others: Any,
) -> JudgeRun:
    """A run with its limits, what its tokens cost now, and what is known of its endpoint, unsaved.

    `others`: the fields that are not made here.
    """
    return JudgeRun(
        study=study,
        judge=judge,
        rubric_version_id=study.rubric_version_id,
        limit_requests=limit.requests,
        limit_tokens=limit.tokens,
        limit_money=limit.money,
        price_prompt=price.prompt if price else None,
        price_answer=price.answer if price else None,
        price_cached=price.cached if price else None,
        currency=price.currency if price else "",
        probe=queries.newest_probe(judge.llm, judge.base_url, judge.endpoint_id),
        started_at=at,
        started_by=by,
        authority=by,
        **others,
    )


def _save_unfinished(run: JudgeRun) -> None:
    """Save a run that is to go on, unless its judge has another one under way."""
    if batches.are_under_way(run.study, run.judge):
        raise CannotRun(
            sentence(
                "“{judge}” still has a batch of an earlier run at its endpoint. It is being cancelled; "
                "try again once what was answered in it has been taken in.",
                judge=run.judge.rater.name,
            )
        )
    if _is_still_answering(run):
        raise CannotRun(
            sentence(
                "“{judge}” is still answering what an earlier run asked. Try again in a minute, once "
                "that has been taken in.",
                judge=run.judge.rater.name,
            )
        )
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError as error:
        raise CannotRun(
            sentence(
                "“{judge}” has an unfinished run in this study. Resume it, or end it first.",
                judge=run.judge.rater.name,
            )
        ) from error


def _is_still_answering(run: JudgeRun) -> bool:
    """Whether answers to earlier runs of its judge are on their way, whose repeats would be the same.

    What a worker had in hand that is gone is given up: it may no longer be written down.
    """
    in_hand = JudgeCall.objects.filter(
        run__study=run.study_id,
        run__judge=run.judge_id,
        run__state=RunState.FINISHED,
        state=CallState.LEASED,
    )
    in_hand.filter(leased_until__lt=run.started_at).update(
        state=CallState.PENDING, leased_until=None
    )
    return in_hand.exists()


@transaction.atomic
def retune(*, run_id: int, concurrency: int, limit: Limit, by: User | None, at: datetime) -> bool:
    """Let a run ask more or less at a time, or up to another limit, from now on; False if ended."""
    run = JudgeRun.objects.select_for_update(of=("self",)).select_related("judge").get(pk=run_id)
    if run.state == RunState.FINISHED:
        return False
    if reason := _reason_not_to_limit(run, limit):
        raise CannotRun(reason)
    if not 1 <= concurrency <= MOST_AT_ONCE:
        raise CannotRun(
            sentence("Between 1 and {most} requests may be under way.", most=MOST_AT_ONCE)
        )
    if reason := reason_not_to_go_on(limit, run.used):
        raise CannotRun(reason)
    run.concurrency = concurrency
    run.limit_requests, run.limit_tokens = limit.requests, limit.tokens
    run.limit_money = limit.money
    run.save(update_fields=["concurrency", "limit_requests", "limit_tokens", "limit_money"])
    events.record(
        "judge_run.retuned",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={"concurrency": concurrency, **_facts_of(limit)},
    )
    return True


def _reason_not_to_limit(run: JudgeRun, limit: Limit) -> Sentence | None:
    return reason_not_to_limit_money(limit, price=run.price, max_tokens=run.judge.max_tokens)


def wake(*, at: datetime) -> None:
    """Queue every running run that has work to do and nobody who does it."""
    for run_id in queries.runs_to_wake(at=at):
        queue.work_on_run(run_id=run_id)


def _facts_of(limit: Limit) -> dict[str, int | str | None]:
    return {
        "limit_requests": limit.requests,
        "limit_tokens": limit.tokens,
        "limit_money": None if limit.money is None else str(limit.money),
    }


def _spend(run: JudgeRun, items: Sequence[int], reason: str) -> None:
    """Count a use of the hold-out, whole: part of it would spend all of it."""
    try:
        holding_out.spend(run=run, items=items, reason=reason, by=run.started_by, at=run.started_at)
    except holding_out.CannotHoldOut as refusal:
        raise CannotRun(refusal.args[0]) from None


def _round_of(study: Study, number: int | None) -> Round | None:
    if number is None:
        return None
    try:
        return Round.objects.get(study=study, number=number)
    except Round.DoesNotExist:
        raise CannotRun(sentence("The study has no round {number}.", number=number)) from None


def _begun(run: JudgeRun, items: Sequence[int]) -> JudgeRun:
    _save_unfinished(run)
    _create_calls(run, items)
    queue.work_on_run(run_id=run.pk)
    return run


def _create_calls(run: JudgeRun, items: Sequence[int]) -> None:
    """Number the repeats of each item on from those that this judge has given before."""
    before: QuerySet[Submission] | QuerySet[JudgeCall]
    if run.generation_id is None:
        before = Submission.objects.filter(rater=run.judge.rater_id, round=None, is_current=True)
    else:
        before = JudgeCall.objects.filter(run__judge=run.judge_id)
    last = before.values_list("item").annotate(Max("repeat"))
    given: dict[int, int] = {}
    for first in range(0, len(items), _AT_A_TIME):
        given |= last.filter(item__in=items[first : first + _AT_A_TIME])
    _keep_calls(
        JudgeCall(run=run, item_id=item, repeat=given.get(item, 0) + number, position=position)
        for number in range(1, run.repeats + 1)
        for position, item in enumerate(items)
    )


def _keep_calls(calls: Iterator[JudgeCall]) -> None:
    """Store calls, however many: `bulk_create` alone would make all of them first."""
    n_kept = 0
    while batch := list(islice(calls, _AT_A_TIME)):
        n_kept += len(JudgeCall.objects.bulk_create(batch))
    if n_kept >= _AT_A_TIME:
        tell_planner(JudgeCall)
