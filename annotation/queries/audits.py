"""The sample of items on which all raters agree: what waits, and what was found."""

from collections.abc import Collection

from django.db.models import Count, Exists, OuterRef, Q

from annotation.models import GoldAudit, RoundItem, Study
from annotation.rubric.sentences import Sentence
from annotation.rules.auditing import said_of
from annotation.rules.lifecycle import ItemState, RoundState

# While others are still discussed, only these would wait for a decision, and be known by that.
_STILL_DISCUSSED = RoundItem.objects.filter(
    round=OuterRef("gold_audit__drawn_in"), state=ItemState.DISCUSSED
)
TO_AUDIT = Q(
    gold_audit__isnull=False,
    gold_audit__decided_at=None,
    gold_audit__drawn_in__state=RoundState.OPEN,
) & ~Q(Exists(_STILL_DISCUSSED))


def criteria_to_audit(cases: Collection[int]) -> dict[int, list[str]]:
    """{round item: the criteria to decide}, of those of the cases that are in a sample."""
    found = GoldAudit.objects.filter(round_item__in=cases, decided_at=None)
    return dict(found.values_list("round_item", "criteria"))


def n_to_audit(rounds: Collection[int]) -> dict[int, int]:
    """{round: how many items of the sample that it drew wait}."""
    waiting = GoldAudit.objects.filter(drawn_in__in=rounds, decided_at=None)
    return dict(waiting.values_list("drawn_in").annotate(n=Count("pk")))


def found_in(rounds: Collection[int]) -> dict[int, Sentence]:
    """{round: what came of the sample that it drew}, where no item of it waits any more: before,
    who decides could tell by the count which one was in it."""
    counted = (
        GoldAudit.objects.filter(drawn_in__in=rounds)
        .values_list("drawn_in", "drawn_in__number")
        .annotate(
            waiting=Count("pk", filter=Q(decided_at=None)),
            audited=Count("pk"),
            overturned=Count("pk", filter=Q(is_overturned=True)),
        )
    )
    return {
        pk: said_of(number, audited=audited, overturned=overturned)
        for pk, number, waiting, audited, overturned in counted
        if not waiting
    }


def found_in_study(study: Study) -> list[Sentence]:
    """What came of the samples of a study's closed rounds."""
    rounds = study.rounds.filter(state=RoundState.CLOSED).order_by("number")
    found = found_in(rounds.values_list("pk", flat=True))
    return [found[pk] for pk in rounds.values_list("pk", flat=True) if pk in found]
