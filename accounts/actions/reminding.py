"""Letters to those whose access ends soon."""

from datetime import datetime, timedelta

from django.db import transaction

from accounts import events
from accounts.access import whose_time_ends
from accounts.actions import letters
from accounts.models import Event, User

DAYS_BEFORE = (3, 14)  # the nearer one first: who hears of both on one day gets one letter


@transaction.atomic
def remind(*, at: datetime) -> None:
    """Write once at each distance from an end."""
    reminded: set[int] = set()
    for days in DAYS_BEFORE:
        for account, ends in whose_time_ends(after=at, until=at + timedelta(days=days)):
            if account.pk not in reminded and not _knows(account, ends, days):
                letters.remind_of_end(account)
                events.record(
                    "access.reminded",
                    subject=f"account:{account.pk}",
                    by=None,
                    at=at,
                    facts={"ends": ends.isoformat(), "days": days},
                )
            reminded.add(account.pk)


def _knows(account: User, ends: datetime, days: int) -> bool:
    return Event.objects.filter(
        subject=f"account:{account.pk}",
        verb="access.reminded",
        facts__ends=ends.isoformat(),
        facts__days=days,
    ).exists()
