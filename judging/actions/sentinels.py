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
from judging.actions.judges import Settings
from judging.models import Judge, JudgeRun, Sentinel, SentinelSet
from judging.queries import sentinels as queries
from judging.rules.budget import NO_LIMIT, Limit

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
                "Dialogues here, not held out, about which “{judge}” has answered: {n}. Sentinels "
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


@transaction.atomic
def bridge(*, sentinels: SentinelSet, to: int, by: User | None, at: datetime) -> JudgeRun:
    """Ask another judge about the sentinels of one that it is to replace; `to`: its rater."""
    other = queries.may_replace(sentinels).filter(rater=to).first()
    if other is None:
        raise CannotWatch(sentence("Choose another judge that was asked in this study."))
    run = ask(sentinels=sentinels, judge=other, why="bridge", by=by, at=at)
    _ask_itself_too(sentinels, by=by, at=at)
    return run


@transaction.atomic
def bridge_to_new(
    *,
    sentinels: SentinelSet,
    judge: Settings,
    by: User | None,
    at: datetime,
    concurrency: int = 8,
    limit: Limit = NO_LIMIT,
    by_batch: bool = False,
) -> JudgeRun:
    """The same with a judge that nobody may have asked yet, in this study or anywhere; CannotRun."""
    items = _items_of(sentinels)
    run = runs.start_replacing(
        sentinels=sentinels,
        judge=judge,
        items=items,
        concurrency=concurrency,
        limit=limit,
        by_batch=by_batch,
        by=by,
        at=at,
    )
    _note_asked(run, n_items=len(items), why="bridge", by=by, at=at)
    _ask_itself_too(sentinels, by=by, at=at)
    return run


def _ask_itself_too(sentinels: SentinelSet, *, by: User | None, at: datetime) -> None:
    """Ask the judge that is to be replaced at the same moment, so that what it changes by itself can be
    told from what the other one changes. Where it can be asked no more, its first answers stand alone.
    """
    try:
        with transaction.atomic():
            ask(sentinels=sentinels, why="beside a bridge", by=by, at=at)
    except runs.CannotRun:
        log.info("The judge of sentinels %s is not asked beside a bridge.", sentinels.pk)


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
    items = _items_of(sentinels)
    run = runs.start_again(
        study=sentinels.study,
        judge=judge or sentinels.judge,
        items=items,
        sentinels=sentinels,
        authority=sentinels.set_by,
        by=by,
        at=at,
    )
    _note_asked(run, n_items=len(items), why=why, by=by, at=at)
    return run


def _items_of(sentinels: SentinelSet) -> list[int]:
    members = sentinels.members.order_by("call__position", "pk")
    return list(members.values_list("call__item", flat=True))


def _note_asked(run: JudgeRun, *, n_items: int, why: str, by: User | None, at: datetime) -> None:
    events.record(
        "sentinels.asked",
        subject=f"judge_run:{run.pk}",
        by=by,
        at=at,
        facts={
            "sentinels": run.sentinels_id,
            "judge": run.judge_id,
            "items": n_items,
            "why": why,
        },
    )


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
