"""The audit trail: every action of every app writes its line through here."""

from collections.abc import Mapping
from datetime import datetime

from accounts.models import Event, User


def record(
    verb: str, *, subject: str, by: User | None, at: datetime, facts: Mapping[str, object] = {}
) -> None:
    """Append one line. `subject` is "kind:id"; facts hold ids, counts and hashes, never texts."""
    Event.objects.create(verb=verb, subject=subject, actor=by, at=at, facts=dict(facts))
