"""Which runs there are, what they still have to do, and under whose access."""

from datetime import datetime
from hashlib import sha256

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.access import access_of
from accounts.models import User
from annotation.models import DataSet, Item, Study
from annotation.models.rubrics import content_of
from annotation.queries.studies import NotOnTheTeam, study_for
from annotation.queries.visibility import held_out, in_splits
from annotation.rubric.schema import Rubric
from annotation.rubric.sentences import Sentence
from annotation.rules.granting import Split
from judging.comparing import EDITION as PAIRS
from judging.comparing import Comparing, asked_of_pairs
from judging.interviews import Asking, Interview
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
from judging.prompts import ItemText, PairText, loading
from judging.prompts.template import PromptSubject, Template, built_in
from judging.queries.endpoints import hosts_of_ones_own, reason_not_to_send
from judging.rules import endpoints
from judging.rules.outcomes import FAILED, Pause
from judging.rules.questions import AskingManner
from judging.writing import Writing

HELD = "concord.judge-run"  # the kind of lock by which a worker holds a run

_HELD_RUNS = """
SELECT objid::bigint FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND datname = current_database()
    AND classid::bigint = (hashtext(%s)::bigint & 4294967295)
"""


def items_of(study: Study, round_number: int | None) -> QuerySet[Item]:
    """The items of a study, or of one of its rounds."""
    items = Item.objects.filter(study=study)
    if round_number is not None:
        items = items.filter(round_items__round__number=round_number)
    return items


def items_to_judge(
    study: Study, round_number: int | None, *, of_hold_out: bool = False
) -> QuerySet[Item]:
    """Those of them that have a reply, in order: without what is held out, or nothing else."""
    has_no_reply = Q(reply=None) | Q(reply__regex=r"^\s*$")
    with_reply = items_of(study, round_number).exclude(has_no_reply).order_by("position", "pk")
    apart = held_out(study)
    return with_reply.filter(pk__in=apart) if of_hold_out else with_reply.exclude(pk__in=apart)


def without_reply(
    study: Study, round_number: int | None, *, by: User | None, of_hold_out: bool
) -> int:
    """How many of them have none, of those that an account holds."""
    apart, items = held_out(study), items_of(study, round_number)
    items = items.filter(pk__in=apart) if of_hold_out else items.exclude(pk__in=apart)
    asked = items_to_judge(study, round_number, of_hold_out=of_hold_out)
    return granted_to(by, study, items).count() - granted_to(by, study, asked).count()


def item_text(item: Item) -> ItemText:
    """What a judge gets to see of an item: never where its reply comes from."""
    return ItemText(
        turns=item.dialogue.turns,
        reply=item.reply or "",  # a run leaves out the items that have none
        reply_speaker=item.reply_speaker,
        sha256=item.content_sha256,
    )


def text_of(call: JudgeCall) -> ItemText:
    """What a judge gets to see in a call: an item, or two replies to one conversation."""
    return item_text(call.item) if call.second is None else pair_text(call.item, call.second)


def pair_text(first: Item, second: Item) -> PairText:
    """What a judge gets to see of two replies to one conversation."""
    one, other = item_text(first), item_text(second)
    return PairText(
        turns=one.turns,
        reply=one.reply,
        reply_speaker=one.reply_speaker,
        second=other.reply,
        second_speaker=other.reply_speaker,
        sha256=sha256(f"{one.sha256} {other.sha256}".encode()).hexdigest(),
    )


def asking_of(run: JudgeRun) -> Asking:
    """How an LLM is asked in a run: as a judge, or for replies."""
    if run.generation_id is None:
        return interview_of(run)
    return Writing(system=run.judge.generator.system)


def interview_of(run: JudgeRun) -> Interview:
    """How the judge of a run asks."""
    rubric = content_of(run.rubric_version_id)
    template = template_of(run.judge, rubric)
    if run.comparison is None:
        return Interview(rubric=rubric, template=template)
    wanted = run.comparison
    asked = asked_of_pairs(rubric, overall=wanted.overall, ties=wanted.ties, values=wanted.values)
    return Comparing(rubric=asked, template=template)


def which_rate(prefix: str = "") -> Q:
    """Runs, at this path, whose answers are about single replies that were there before."""
    return Q(**{f"{prefix}generation": None, f"{prefix}comparison": None})


FAILED_AND_COUNTS = Q(outcome__in=[one.value for one in FAILED]) & (
    Q(submission__is_current=True) | ~which_rate("run__")
)


def template_of(judge: Judge, rubric: Rubric) -> Template:
    """The prompt that a study wrote for a judge, or Concord's own in the judge's manner."""
    if judge.template is not None:
        return loading.read(judge.template.text, rubric)
    return built_in(
        manner=AskingManner(judge.manner),
        language=judge.prompt_language,
        as_json=judge.json_answer,
        subject=subject_of(judge.prompt_edition),
    )


def subject_of(prompt_edition: str) -> PromptSubject:
    """What the prompts of an edition are about."""
    return PromptSubject.PAIR if prompt_edition == PAIRS else PromptSubject.REPLY


def run_with_judge(run_id: int) -> JudgeRun:
    return JudgeRun.objects.select_related(
        *("judge__rater", "judge__template", "judge__endpoint", "judge__generator"),
        *("study", "authority", "probe", "comparison"),
    ).get(pk=run_id)


def newest_probe(llm: str, base_url: str, endpoint: int | None) -> Probe | None:
    tried = Probe.objects.filter(llm=llm, base_url=base_url, endpoint=endpoint)
    return tried.order_by("-pk").first()


def reason_to_stop(run: JudgeRun, *, at: datetime) -> Pause | None:
    """Why a run makes no call now: asked before each batch, so that it ends within a second."""
    judge = run.judge
    if judge.endpoint is None and judge.base_url != settings.LLM_BASE_URL:
        return Pause.ENDPOINT_CHANGED
    if judge.endpoint is not None:
        judge.endpoint.refresh_from_db(fields=["retired_at"])
    if reason_not_to_send(judge.base_url, judge.endpoint):
        return Pause.ENDPOINT_NOT_ALLOWED
    if reason_to_keep_from(run.study, judge.base_url):
        return Pause.DATA_SET_SAYS_NO
    return None if has_authority(run, at=at) else Pause.ACCESS_LOST


def reason_to_keep_from(study: Study, base_url: str) -> Sentence | None:
    """Say why the texts of a study may not be sent there, by the rules of its data set, or None."""
    policy, processors = DataSet.objects.values_list("provider_policy", "processors").get(
        studies=study
    )
    own_hosts = {*settings.LLM_HTTP_HOSTS, *hosts_of_ones_own()}
    return endpoints.reason_to_keep_texts(
        base_url, policy=policy, processors=processors, own_hosts=own_hosts
    )


def has_authority(run: JudgeRun, *, at: datetime) -> bool:
    """Whether the account behind a run may still have its items judged; a command always may."""
    if run.authority is None:
        return True
    run.authority.refresh_from_db()
    try:
        study_access = study_for(access_of(run.authority, at=at), run.study.key)
    except NotOnTheTeam:
        return False
    if not study_access.may_run_judges:
        return False
    withheld = in_splits(set(Split) - study_access.splits, "item")
    return not _open_calls(run.pk).filter(withheld).exists()


def granted_to(account: User | None, study: Study, items: QuerySet[Item]) -> QuerySet[Item]:
    """Those items whose split an account holds; a command has all."""
    if account is None:
        return items
    try:
        study_access = study_for(access_of(account, at=timezone.now()), study.key)
    except NotOnTheTeam:
        return items.none()
    return items.filter(in_splits(study_access.splits))


def due(at: datetime) -> Q:
    """Calls that may be made now: not waiting, and not in anybody's hands."""
    is_pending = Q(state=CallState.PENDING)
    may_be_sent = Q(not_before=None) | Q(not_before__lte=at)
    return (is_pending & may_be_sent) | Q(state=CallState.LEASED, leased_until__lt=at)


def failed_calls(run: JudgeRun) -> QuerySet[JudgeCall]:
    """The calls at which the endpoint failed and that still count."""
    failed = JudgeCall.objects.filter(FAILED_AND_COUNTS, run=run, run__retries=None)
    return failed.order_by("repeat", "position")


def held_runs() -> set[int]:
    """The runs that a living worker holds."""
    with connection.cursor() as cursor:
        cursor.execute(_HELD_RUNS, [HELD])
        return {run_id for (run_id,) in cursor.fetchall()}


def is_complete(run_id: int) -> bool:
    return not _open_calls(run_id).exists()


def has_due(run_id: int, *, at: datetime) -> bool:
    """Whether a call may be made at `at`, as far as is known now."""
    return _open_calls(run_id).filter(due(at)).exists()


def runs_to_wake(*, at: datetime) -> list[int]:
    """Running runs with calls that are due, or none left, and runs whose batches are to be looked
    at, on which nobody works.

    What is leased there was in the hands of a worker that is gone.
    """
    calls = JudgeCall.objects.filter(run=OuterRef("pk")).exclude(state=CallState.DONE)
    to_make = calls.filter(due(at) | Q(state=CallState.LEASED))
    batches = LLMBatch.objects.filter(run=OuterRef("pk"), look_at__lte=at)
    is_to_go_on = Q(Exists(to_make) | ~Exists(calls), state=RunState.RUNNING)
    return list(
        JudgeRun.objects.filter(is_to_go_on | Q(Exists(batches.exclude(state=BatchState.ENDED))))
        .exclude(pk__in=held_runs())
        .values_list("pk", flat=True)
    )


def _open_calls(run_id: int) -> QuerySet[JudgeCall]:
    return JudgeCall.objects.filter(run=run_id).exclude(state=CallState.DONE)
