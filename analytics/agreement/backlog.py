"""What ought to have been computed by now."""

from django.db.models import Exists, OuterRef

from analytics.agreement import numbers as agreement
from analytics.models import Snapshot
from annotation.models import Round, Study
from annotation.rules.lifecycle import RoundState


def studies_behind() -> list[int]:
    """The studies whose stored report is older than their ratings, or missing."""
    fresh = Snapshot.objects.filter(
        study=OuterRef("pk"),
        part=agreement.PART.key,
        edition=agreement.PART.fingerprint,
        revision__gte=OuterRef("revision"),
    )
    behind = Study.objects.filter(~Exists(fresh), revision__gt=0)
    return list(behind.order_by("pk").values_list("pk", flat=True))


def rounds_without_verdict() -> list[int]:
    """The closed rounds whose agreement has not been computed."""
    closed = Round.objects.filter(state=RoundState.CLOSED, verdict="")
    return list(closed.order_by("pk").values_list("pk", flat=True))
