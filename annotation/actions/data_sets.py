"""Say in whose care a data set is, and what its rules are."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import DataSet


@transaction.atomic
def govern(
    *,
    data_set_id: int,
    steward: User | None,
    longest_days: int,
    least_raters: int,
    provider_policy: str,
    processors: Sequence[str],
    by: User,
    at: datetime,
) -> DataSet:
    """Set the rules of a data set; judge runs that break them stop at their next call."""
    data_set = DataSet.objects.select_for_update().get(pk=data_set_id)
    data_set.steward = steward
    data_set.longest_days = longest_days
    data_set.least_raters = least_raters
    data_set.provider_policy = provider_policy
    data_set.processors = list(processors)
    data_set.save(
        update_fields=[
            *("steward", "longest_days", "least_raters", "provider_policy", "processors"),
        ]
    )
    events.record(
        "data_set.governed",
        subject=f"data_set:{data_set.pk}",
        by=by,
        at=at,
        facts={
            "steward": steward.pk if steward else None,
            "longest_days": longest_days,
            "least_raters": least_raters,
            "provider_policy": provider_policy,
            "processors": len(processors),
        },
    )
    return data_set
