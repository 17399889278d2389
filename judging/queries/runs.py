"""Which runs there are, what they still have to do, and under whose access."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.access import access_of
from annotation.models import Item, Study
from annotation.models.rubrics import content_of
from annotation.queries.studies import NotOnTheTeam, study_for
from judging.interviews import Interview
from judging.models import CallState, JudgeCall, JudgeRun, Probe, RunState
from judging.prompts import ItemText
from judging.rules.questions import AskingManner


def items_of(study: Study, round_number: int | None) -> QuerySet[Item]:
    """The items of a study, or of one of its rounds."""
    items = Item.objects.filter(study=study)
    if round_number is not None:
        items = items.filter(round_items__round__number=round_number)
    return items


def items_to_judge(study: Study, round_number: int | None) -> QuerySet[Item]:
    """Those of them that have a reply, in order."""
    has_no_reply = Q(reply=None) | Q(reply__regex=r"^\s*$")
    return items_of(study, round_number).exclude(has_no_reply).order_by("position", "pk")


def item_text(item: Item) -> ItemText:
    """What a judge gets to see of an item: never where its reply comes from."""
    return ItemText(
        turns=item.dialogue.turns,
        reply=item.reply or "",  # a run leaves out the items that have none
        reply_speaker=item.reply_speaker,
        sha256=item.content_sha256,
    )


def interview_of(run: JudgeRun) -> Interview:
    """How the judge of a run asks."""
    return Interview(
        rubric=content_of(run.rubric_version_id),
        manner=AskingManner(run.judge.manner),
        language=run.judge.prompt_language,
        as_json=run.judge.json_answer,
    )


def run_with_judge(run_id: int) -> JudgeRun:
    return JudgeRun.objects.select_related("judge__rater", "study", "authority").get(pk=run_id)


def newest_probe(llm: str, base_url: str) -> Probe | None:
    return Probe.objects.filter(llm=llm, base_url=base_url).order_by("-pk").first()


def is_running(run_id: int) -> bool:
    return JudgeRun.objects.filter(pk=run_id, state=RunState.RUNNING).exists()


def has_authority(run: JudgeRun, *, at: datetime) -> bool:
    """Whether the account behind a run may still run judges there; a command always may."""
    if run.authority is None:
        return True
    run.authority.refresh_from_db()
    try:
        return study_for(access_of(run.authority, at=at), run.study.key).may_run_judges
    except NotOnTheTeam:
        return False


def due(at: datetime) -> Q:
    """Calls that may be made now: not waiting, and not in anybody's hands."""
    is_pending = Q(state=CallState.PENDING)
    may_be_sent = Q(not_before=None) | Q(not_before__lte=at)
    return (is_pending & may_be_sent) | Q(state=CallState.LEASED, leased_until__lt=at)


def somebody_works_on(run_id: int, *, at: datetime) -> bool:
    return _open_calls(run_id).filter(state=CallState.LEASED, leased_until__gte=at).exists()


def is_complete(run_id: int) -> bool:
    return not _open_calls(run_id).exists()


def has_due(run_id: int, *, at: datetime) -> bool:
    """Whether a call may be made at `at`, as far as is known now."""
    return _open_calls(run_id).filter(due(at)).exists()


def runs_to_wake(*, at: datetime) -> list[int]:
    """Running runs with calls that are due, or none left, on which nobody works."""
    calls = JudgeCall.objects.filter(run=OuterRef("pk")).exclude(state=CallState.DONE)
    held = calls.filter(state=CallState.LEASED, leased_until__gte=at)
    return list(
        JudgeRun.objects.filter(Exists(calls.filter(due(at))) | ~Exists(calls))
        .filter(~Exists(held), state=RunState.RUNNING)
        .values_list("pk", flat=True)
    )


def _open_calls(run_id: int) -> QuerySet[JudgeCall]:
    return JudgeCall.objects.filter(run=run_id).exclude(state=CallState.DONE)
