"""Which judges stand under sentinels, and which of them are to be asked again now."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from annotation.models import Study
from annotation.queries.visibility import held_out
from annotation.rules.splitting import lot
from judging.models import CallState, Judge, JudgeCall, JudgeRun, Outcome, RunState, SentinelSet
from judging.queries.runs import which_rate
from judging.recorded import RECORDED


def in_force(study: Study) -> QuerySet[SentinelSet]:
    """The sentinels of a study, one set a judge."""
    found = SentinelSet.objects.filter(study=study, retired_at=None)
    return found.select_related("judge__rater", "set_by", "study").order_by("pk")


def of_judge(study: Study, rater: int) -> SentinelSet | None:
    """The sentinels of the judge that is this rater."""
    return in_force(study).filter(judge__rater=rater).first()


def judge_asked(study: Study, rater: int) -> Judge | None:
    """The judge that is this rater, if it was asked in the study."""
    asked = Judge.objects.filter(rater=rater, runs__study=study).select_related("rater")
    return asked.first()


def may_replace(one: SentinelSet) -> QuerySet[Judge]:
    """The judges that can be asked about the sentinels of another one: those of the study that rate."""
    asked = JudgeRun.objects.filter(which_rate(), study=one.study_id).values("judge")
    others = Judge.objects.filter(pk__in=asked, generator=None).exclude(pk=one.judge_id)
    return others.exclude(prompt_edition=RECORDED).select_related("rater").order_by("rater__name")


def next_at(one: SentinelSet) -> datetime:
    """When they are asked about again at the latest."""
    newest = one.runs.filter(judge=one.judge_id).order_by("-pk").first()
    since = newest.started_at if newest else one.set_at
    return since + timedelta(days=one.every_days)


def is_being_asked(one: SentinelSet) -> bool:
    return one.runs.exclude(state=RunState.FINISHED).exists()


def candidates(study: Study, judge: Judge, *, seed: str) -> list[JudgeCall]:
    """The first answer of the judge to one item of each dialogue, by lot; none that is held out."""
    answered = (
        JudgeCall.objects.filter(
            which_rate("run__"),
            run__study=study,
            run__judge=judge,
            run__rubric_version=study.rubric_version_id,
            run__sentinels=None,
            state=CallState.DONE,
            outcome=Outcome.RATED,
        )
        .exclude(exchanges=[])
        .exclude(run__judge__prompt_edition=RECORDED)
        .exclude(item__in=held_out(study))
        .select_related("item")
        .order_by("repeat", "pk")
    )
    of_dialogue: dict[int, dict[int, JudgeCall]] = {}
    for call in answered:
        of_dialogue.setdefault(call.item.dialogue_id, {}).setdefault(call.item_id, call)
    one_each = (
        min(calls.values(), key=lambda call: lot(seed, call.item.key))
        for calls in of_dialogue.values()
    )
    return sorted(one_each, key=lambda call: lot(seed, call.item.key))


def due(*, at: datetime) -> list[tuple[SentinelSet, str]]:
    """The sets to be asked about now, and why: their time has come, or somebody else answers."""
    found = []
    for one in SentinelSet.objects.filter(retired_at=None).select_related("judge", "set_by"):
        runs = JudgeRun.objects.filter(study=one.study_id, judge=one.judge_id)
        if runs.exclude(state=RunState.FINISHED).exists():
            continue
        if next_at(one) <= at:
            found.append((one, "schedule"))
        elif _has_changed(one, runs.filter(sentinels=one).order_by("-pk").first()):
            found.append((one, "answerer"))
    return found


def _has_changed(one: SentinelSet, newest: JudgeRun | None) -> bool:
    """Whether the newest answer of a judge came from another LLM or configuration than those that
    its sentinels were last compared with."""
    answers = JudgeCall.objects.filter(
        run__study=one.study_id, run__judge=one.judge_id, state=CallState.DONE
    ).exclude(answered_llm=None)
    last = answers.order_by("-answered_at", "-pk")
    members = one.members.values("call")
    seen = last.filter(run=newest) if newest else last.filter(pk__in=members)
    who = ("answered_llm", "answered_fingerprint")
    now, then = last.values_list(*who).first(), seen.values_list(*who).first()
    return now is not None and then is not None and now != then
