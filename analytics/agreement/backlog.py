"""What ought to have been computed by now."""

from django.db.models import Exists, OuterRef, Q

from analytics.agreement import numbers as agreement
from analytics.models import Snapshot
from annotation.models import Round, Study, revision_of
from annotation.rules.lifecycle import RoundState, RoundStep


def studies_behind() -> list[int]:
    """The studies whose stored report is older than their ratings, in whole or in part, or missing."""
    fresh = Snapshot.objects.filter(
        study=OuterRef("pk"),
        part=agreement.GLANCE.key,
        edition=agreement.GLANCE.fingerprint,
        revision__gte=OuterRef("now_at"),
        has_earlier=False,
    )
    studies = Study.objects.annotate(now_at=revision_of("pk"))
    behind = studies.filter(~Exists(fresh), now_at__gt=0)
    return list(behind.order_by("pk").values_list("pk", flat=True))


def rounds_without_verdict() -> list[int]:
    """The rounds whose rating is over and whose agreement has not been computed."""
    over = Q(state=RoundState.CLOSED) | Q(state=RoundState.OPEN, step=RoundStep.GATE)
    return list(Round.objects.filter(over, verdict="").order_by("pk").values_list("pk", flat=True))
