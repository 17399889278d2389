"""Hold items of a study out, spend them on a judge, and end it: each is a line in the trail."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions.splits import to_divide
from annotation.actions.studies import note_change
from annotation.models import HeldOutItem, HoldOut, Study
from annotation.rubric.sentences import sentence
from annotation.rules.splitting import share_of
from judging.models import HoldOutUse, JudgeRun
from judging.queries import holding_out as queries

LEAST, MOST = 5, 95  # percent


class CannotHoldOut(Exception):
    """A sentence that says why items cannot be held out, spent, or given up."""


@transaction.atomic
def draw(*, study: Study, percent: int, seed: str, by: User | None, at: datetime) -> HoldOut:
    """Hold a share of the dialogues out about which no judge was asked yet, the same of each stratum."""
    if not LEAST <= percent <= MOST:
        raise CannotHoldOut(
            sentence("The share is between {least} and {most} percent.", least=LEAST, most=MOST)
        )
    Study.objects.select_for_update().get(pk=study.pk)
    if queries.in_force(study):
        raise CannotHoldOut(
            sentence("The study has a hold-out. Only once it is ended can another be drawn.")
        )
    drawn = share_of(to_divide(queries.unasked(study)), percent=percent, seed=seed)
    if not drawn:
        raise CannotHoldOut(
            sentence(
                "Nothing can be held out: judges were asked about every dialogue, or the share "
                "comes to none. Import others first, or take a larger share."
            )
        )
    hold_out = HoldOut.objects.create(
        study=study, seed=seed, percent=percent, drawn_at=at, drawn_by=by
    )
    HeldOutItem.objects.bulk_create(HeldOutItem(hold_out=hold_out, item_id=one) for one in drawn)
    events.record(
        "hold_out.drawn",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"hold_out": hold_out.pk, "percent": percent, "seed": seed, "items": len(drawn)},
    )
    note_change(study_id=study.pk)
    return hold_out


def spend(
    *, run: JudgeRun, items: Sequence[int], reason: str, by: User | None, at: datetime
) -> HoldOutUse:
    """Count that a run asks its judge about the hold-out; CannotHoldOut without a reason to, again."""
    HoldOut.objects.select_for_update().filter(study=run.study, ended_at=None).first()
    hold_out = queries.in_force(run.study)
    if hold_out is None:
        raise CannotHoldOut(sentence("The study has no hold-out."))
    family, is_again = queries.family_of(run.judge), queries.used_before(hold_out, run.judge)
    if is_again and not reason.strip():
        raise CannotHoldOut(
            sentence(
                "“{judge}” was asked about the hold-out already. A hold-out is spent once; to ask "
                "again, say why.",
                judge=run.judge.rater.name,
            )
        )
    use = HoldOutUse.objects.create(
        hold_out=hold_out,
        judge=run.judge,
        run=run,
        family=family,
        n_items=len(items),
        reason=reason.strip(),
        used_at=at,
        used_by=by,
    )
    events.record(
        "hold_out.used",
        subject=f"study:{run.study_id}",
        by=by,
        at=at,
        facts={
            "hold_out": hold_out.pk,
            "run": run.pk,
            "judge": run.judge_id,
            "items": len(items),
            "again": is_again,
            "by_family": HoldOutUse.objects.filter(hold_out=hold_out, family=family).count(),
        },
    )
    return use


@transaction.atomic
def end(*, study: Study, reason: str, by: User | None, at: datetime) -> HoldOut:
    """Give the hold-out up: from now on its items are like all others, and figures say so."""
    if not reason.strip():
        raise CannotHoldOut(sentence("Say why the hold-out ends."))
    Study.objects.select_for_update().get(pk=study.pk)
    hold_out = queries.in_force(study)
    if hold_out is None:
        raise CannotHoldOut(sentence("The study has no hold-out."))
    hold_out.ended_at, hold_out.ended_by, hold_out.end_reason = at, by, reason.strip()
    hold_out.save(update_fields=["ended_at", "ended_by", "end_reason"])
    events.record(
        "hold_out.ended",
        subject=f"study:{study.pk}",
        by=by,
        at=at,
        facts={"hold_out": hold_out.pk, "uses": hold_out.uses.count()},
    )
    note_change(study_id=study.pk)
    return hold_out
