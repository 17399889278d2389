"""The audit trail: every action of every app writes its line through here."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from accounts.models import Event, User


def record(
    verb: str, *, subject: str, by: User | None, at: datetime, facts: Mapping[str, object] = {}
) -> None:
    """Append one line. `subject` is "kind:id"; facts hold ids, counts and hashes, never texts."""
    Event.objects.create(verb=verb, subject=subject, actor=by, at=at, facts=dict(facts))


def record_unless_recent(
    verb: str,
    *,
    subject: str,
    by: User,
    at: datetime,
    facts: Mapping[str, object],
    within: timedelta,
) -> None:
    """Append one line unless the same one was written a moment ago."""
    same = Event.objects.filter(
        subject=subject, verb=verb, actor=by, at__gt=at - within, facts=dict(facts)
    )
    if not same.exists():
        record(verb, subject=subject, by=by, at=at, facts=facts)
