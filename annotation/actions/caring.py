"""Say how a study cares for those who annotate."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import Care
from annotation.rules.remarks import tidied


@transaction.atomic
def set_care(
    *,
    study_id: int,
    break_after: int,
    most_a_day: int | None,
    support: str,
    by: User,
    at: datetime,
) -> Care:
    """Set breaks, the most of a day, and what the support panel says."""
    care, _is_new = Care.objects.update_or_create(
        study_id=study_id,
        defaults={
            "break_after": break_after,
            "most_a_day": most_a_day,
            "support": tidied(support),
        },
    )
    events.record(
        "study.care_set",
        subject=f"study:{study_id}",
        by=by,
        at=at,
        facts={"break_after": break_after, "most_a_day": most_a_day},
    )
    return care
