"""The hold-out of a study, and how often judges were asked about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import Dialogue, HoldOut, Study
from judging.models import HoldOutUse, Judge, JudgeCall, JudgeRun


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldOutState:
    """What a study holds out, or None; what may still be held out, and what was before."""

    hold_out: HoldOut | None
    n_items: int
    n_dialogues_left: int
    uses: Sequence[HoldOutUse]
    ended: Sequence[HoldOut]


def state(study: Study) -> HoldOutState:
    """All that the page of the hold-out shows."""
    now = in_force(study)
    return HoldOutState(
        hold_out=now,
        n_items=now.held_out_items.count() if now else 0,
        n_dialogues_left=unasked(study).count(),
        uses=list(
            HoldOutUse.objects.filter(hold_out__study=study)
            .select_related("judge__rater", "judge__template", "run", "used_by", "hold_out")
            .order_by("-pk")
        ),
        ended=list(
            HoldOut.objects.filter(study=study, ended_at__isnull=False)
            .select_related("ended_by")
            .order_by("-pk")
        ),
    )


def in_force(study: Study) -> HoldOut | None:
    """The hold-out of a study, if it has one that has not ended."""
    return HoldOut.objects.filter(study=study, ended_at=None).select_related("drawn_by").first()


def unasked(study: Study) -> QuerySet[Dialogue]:
    """The dialogues about which no judge was asked here: only these can still be held out."""
    asked = JudgeCall.objects.filter(run__study=study, run__generation=None).values(
        "item__dialogue"
    )
    return Dialogue.objects.filter(study=study).exclude(pk__in=asked)


def family_of(judge: Judge) -> str:
    """The prompt whose versions are one family; "" for Concord's own."""
    return judge.template.name if judge.template else ""


def used_before(hold_out: HoldOut, judge: Judge) -> bool:
    """Whether this judge was asked about the hold-out already."""
    return HoldOutUse.objects.filter(hold_out=hold_out, judge=judge).exists()


def is_of_hold_out(run: JudgeRun) -> bool:
    """Whether a run counts as a use of a hold-out."""
    return HoldOutUse.objects.filter(run=run).exists()
