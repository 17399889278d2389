"""The batches of runs: which are under way, and what is in them."""

from datetime import datetime

from django.conf import settings
from django.db.models import Min, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.models import Study
from judging.models import (
    BatchState,
    CallState,
    Judge,
    JudgeCall,
    JudgeRun,
    LLMBatch,
    Probe,
    RunState,
)
from judging.queries.endpoints import problem_with_host, problem_with_key
from judging.queries.runs import newest_probe
from judging.rules import endpoints
from judging.rules.batches import call_and_claim
from judging.rules.outcomes import FAILED, Taken

MOST_SHOWN = 20


def open_batches(run: JudgeRun) -> QuerySet[LLMBatch]:
    """Those that have not been taken in yet, the oldest first."""
    return LLMBatch.objects.filter(run=run).exclude(state=BatchState.ENDED).order_by("pk")


def shown(run: JudgeRun) -> list[LLMBatch]:
    """The newest ones, for the page of the run."""
    return list(LLMBatch.objects.filter(run=run).defer("requests").order_by("-pk")[:MOST_SHOWN])


def are_under_way(study: Study, judge: Judge) -> bool:
    """Whether an earlier run of a judge still has a batch at its endpoint."""
    found = LLMBatch.objects.filter(
        run__study=study, run__judge=judge, run__state=RunState.FINISHED
    )
    return found.exclude(state=BatchState.ENDED).exists()


def calls_in(batch: LLMBatch) -> QuerySet[JudgeCall]:
    """The calls of a batch of which nothing has been written down yet."""
    named = (call_and_claim(custom) for custom in batch.requests)
    return JudgeCall.objects.filter(
        run=batch.run_id, state=CallState.BATCHED, pk__in=[one[0] for one in named if one]
    ).select_related("item__dialogue")


def was_answered(run: JudgeRun, *, since: datetime) -> bool:
    """Whether the endpoint has answered any call of a run of late."""
    done = JudgeCall.objects.filter(run=run, state=CallState.DONE, answered_at__gte=since)
    return done.exclude(outcome__in=[one.value for one in FAILED]).exists()


def next_at(run: JudgeRun, *, with_calls: bool) -> datetime | None:
    """When there is something to do for a run again; None where nothing is under way."""
    looks: datetime | None = open_batches(run).aggregate(at=Min("look_at"))["at"]
    if not with_calls or run.state != RunState.RUNNING:
        return looks
    waiting = JudgeCall.objects.filter(run=run, state=CallState.PENDING)
    calls = waiting.aggregate(at=Min(Coalesce("not_before", "run__started_at")))["at"]
    return min((at for at in (looks, calls) if at), default=None)


def may_be_contacted(judge: Judge) -> bool:
    """Whether answers may be fetched: where they are, the deployment still lets requests go.

    An endpoint that is no longer in use still has what it was sent before.
    """
    if endpoints.problem_with(judge.base_url, http_hosts=settings.LLM_HTTP_HOSTS):
        return False
    if judge.endpoint is None and judge.base_url != settings.LLM_BASE_URL:
        return False
    elsewhere = problem_with_host(judge.base_url) if judge.endpoint else None
    return not (elsewhere or problem_with_key(judge.endpoint))


def takes_batches(llm: str, base_url: str, endpoint: int | None) -> bool:
    """Whether the newest trial of an LLM has shown that it can be asked in batches."""
    probe = newest_probe(llm, base_url, endpoint)
    return probe is not None and probe.findings.get("batches") == Taken.YES


def known_of(endpoint_key: str) -> Probe | None:
    """The newest trial at any version of an endpoint that says whether it takes batches."""
    tried = Q(endpoint__key=endpoint_key, findings__has_key="batches")
    return Probe.objects.filter(tried).order_by("-pk").first()
