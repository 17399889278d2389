"""Set sentinels for a judge, and ask about them again."""

import logging
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions.studies import note_change
from annotation.models import Study
from annotation.rubric.sentences import sentence
from judging.actions import runs
from judging.models import Judge, JudgeRun, Sentinel, SentinelSet
from judging.queries import sentinels as queries

log = logging.getLogger(__name__)

FEWEST = 5


class CannotWatch(Exception):
    """A sentence that says why a judge cannot be asked about sentinels."""


@transaction.atomic
def place(
    *,
    study: Study,
    judge: Judge,
    n_items: int,
    margin: float,
    every_days: int,
    seed: str,
    by: User | None,
    at: datetime,
) -> SentinelSet:
    """Choose items that a judge has answered, one a dialogue, to ask it about again."""
    Study.objects.select_for_update().get(pk=study.pk)
    if queries.in_force(study).filter(judge=judge).exists():
        raise CannotWatch(
            sentence("“{judge}” has sentinels. Retire them first.", judge=judge.rater.name)
        )
    if not 0 < margin < 1 or every_days < 1:
        raise CannotWatch(
            sentence("The margin is a share between 0 and 1, and the days are 1 or more.")
        )
    chosen = queries.candidates(study, judge, seed=seed)[:n_items]
    if len(chosen) < FEWEST:
        raise CannotWatch(
            sentence(
                "“{judge}” has answered about {n} dialogues here that are not held out; sentinels "
                "take {least}.",
                judge=judge.rater.name,
                n=len(chosen),
                least=FEWEST,
            )
        )
    made = SentinelSet.objects.create(
        study=study,
        judge=judge,
        margin=margin,
        every_days=every_days,
        seed=seed,
        set_at=at,
        set_by=by,
    )
    Sentinel.objects.bulk_create(Sentinel(sentinels=made, call=call) for call in chosen)
    events.record(
        "sentinels.placed",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"sentinels": made.pk, "judge": judge.pk, "items": len(chosen), "margin": margin},
    )
    return made


def bridge(*, sentinels: SentinelSet, to: int, by: User | None, at: datetime) -> JudgeRun:
    """Ask another judge about the sentinels of one that it is to replace; `to`: its rater."""
    other = queries.may_replace(sentinels).filter(rater=to).first()
    if other is None:
        raise CannotWatch(sentence("Choose another judge that was asked in this study."))
    return ask(sentinels=sentinels, judge=other, why="bridge", by=by, at=at)


@transaction.atomic
def ask(
    *,
    sentinels: SentinelSet,
    why: str,
    by: User | None,
    at: datetime,
    judge: Judge | None = None,
) -> JudgeRun:
    """Ask a judge about its sentinels again, or another one, under the access of who placed them;
    CannotRun."""
    items = list(
        sentinels.members.order_by("call__position", "pk").values_list("call__item", flat=True)
    )
    run = runs.start_again(
        study=sentinels.study,
        judge=judge or sentinels.judge,
        items=items,
        sentinels=sentinels,
        authority=sentinels.set_by,
        by=by,
        at=at,
    )
    events.record(
        "sentinels.asked",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={"sentinels": sentinels.pk, "judge": run.judge_id, "items": len(items), "why": why},
    )
    return run


def ask_due(*, at: datetime) -> None:
    """Ask about all whose time has come, or for whom somebody else answers; what cannot be asked
    now is tried again later."""
    for one, why in queries.due(at=at):
        try:
            ask(sentinels=one, why=why, by=None, at=at)
        except runs.CannotRun:
            log.warning("Sentinels %s cannot be asked about now.", one.pk)


@transaction.atomic
def retire(*, sentinels: SentinelSet, by: User | None, at: datetime) -> None:
    """Ask about them no more."""
    held = SentinelSet.objects.select_for_update().get(pk=sentinels.pk)
    if held.retired_at is None:
        held.retired_at, held.retired_by = at, by
        held.save(update_fields=["retired_at", "retired_by"])
        events.record(
            "sentinels.retired",
            subject=f"study:{held.study_id}",
            by=by,
            at=at,
            facts={"sentinels": held.pk, "judge": held.judge_id},
        )
        note_change(study_id=held.study_id)
