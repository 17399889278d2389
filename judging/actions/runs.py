"""Start, pause, resume and finish runs."""

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts import events
from accounts.models import User
from annotation.actions.studies import note_change
from annotation.models import Round, Study, Submission
from annotation.rubric.sentences import sentence
from judging import queue
from judging.actions import judges
from judging.actions.judges import Settings
from judging.models import CallState, JudgeCall, JudgeRun, RunState
from judging.queries import runs as queries
from judging.rules import endpoints
from judging.rules.budget import NO_LIMIT, Limit, reason_not_to_go_on
from judging.rules.outcomes import Pause

MOST_REPEATS = 20
MOST_AT_ONCE = 64
_AT_A_TIME = 2000


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
) -> JudgeRun:
    """Have a judge rate every item of a study that has a reply, or those of one round."""
    if problem := endpoints.problem_with(judge.base_url, http_hosts=settings.LLM_HTTP_HOSTS):
        raise CannotRun(problem)
    rating_round = _round_of(study, round_number)
    items = list(queries.items_to_judge(study, round_number).values_list("pk", flat=True))
    if not items:
        raise CannotRun(sentence("There is no item with a reply to rate."))
    run = _create(
        JudgeRun(
            study=study,
            judge=judges.edition_of(judge, at=at),
            rubric_version_id=study.rubric_version_id,
            round=rating_round,
            repeats=repeats,
            concurrency=concurrency,
            limit_requests=limit.requests,
            limit_tokens=limit.tokens,
            probe=queries.newest_probe(judge.llm, judge.base_url),
            started_at=at,
            started_by=by,
            authority=by,
        )
    )
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
            **_facts_of(limit),
        },
    )
    queue.work_on_run(run_id=run.pk)
    return run


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
    run = JudgeRun.objects.select_for_update(of=("self",)).select_related("judge").get(pk=run_id)
    if run.state != RunState.PAUSED:
        return False
    if run.judge.base_url != settings.LLM_BASE_URL:
        raise CannotRun(
            sentence(
                "This run asks {old}, but the server is set up for {new}. Set "
                "CONCORD_LLM_BASE_URL back, or end this run and start another.",
                old=endpoints.host_of(run.judge.base_url),
                new=endpoints.host_of(settings.LLM_BASE_URL) or "—",
            )
        )
    limit = limit or run.limit
    if reason := reason_not_to_go_on(limit, run.used):
        raise CannotRun(reason)
    run.state = RunState.RUNNING
    run.pause_reason = ""
    run.authority = by
    run.limit_requests = limit.requests
    run.limit_tokens = limit.tokens
    run.save(update_fields=["state", "pause_reason", "authority", "limit_requests", "limit_tokens"])
    events.record(
        "judge_run.resumed",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts=_facts_of(limit),
    )
    queue.work_on_run(run_id=run.pk)
    return True


@transaction.atomic
def finish(*, run_id: int, by: User | None, at: datetime) -> bool:
    """End a run, complete or not; calls that were not made stay unmade. False where it has ended."""
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
    return True


def wake(*, at: datetime) -> None:
    """Queue every running run that has work to do and nobody who does it."""
    for run_id in queries.runs_to_wake(at=at):
        queue.work_on_run(run_id=run_id)


def _facts_of(limit: Limit) -> dict[str, int | None]:
    return {"limit_requests": limit.requests, "limit_tokens": limit.tokens}


def _round_of(study: Study, number: int | None) -> Round | None:
    if number is None:
        return None
    try:
        return Round.objects.get(study=study, number=number)
    except Round.DoesNotExist:
        raise CannotRun(sentence("The study has no round {number}.", number=number)) from None


def _create(run: JudgeRun) -> JudgeRun:
    try:
        with transaction.atomic():
            run.save(force_insert=True)
    except IntegrityError as error:
        raise CannotRun(
            sentence(
                "“{judge}” has an unfinished run in this study. Resume it, or end it first.",
                judge=run.judge.rater.name,
            )
        ) from error
    return run


def _create_calls(run: JudgeRun, items: list[int]) -> None:
    """Number the repeats of each item on from those that this judge has given before."""
    given = dict(
        Submission.objects.filter(
            rater=run.judge.rater_id, item__in=items, round=None, is_current=True
        )
        .values_list("item")
        .annotate(Max("repeat"))
    )
    JudgeCall.objects.bulk_create(
        (
            JudgeCall(run=run, item_id=item, repeat=given.get(item, 0) + number, position=position)
            for number in range(1, run.repeats + 1)
            for position, item in enumerate(items)
        ),
        batch_size=_AT_A_TIME,
    )
