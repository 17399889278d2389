"""The audit trail: every action of every app writes its line through here."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from accounts.models import Event, User
from accounts.models.prepared import preparing_cursor

# With the values of `line`. An action of one statement makes it a part of that.
RECORD = """
INSERT INTO accounts_event (verb, subject, actor_id, at, facts)
SELECT %(verb)s::text, %(subject)s::text, %(actor)s::bigint, %(at)s::timestamptz, %(facts)s::jsonb
"""


def record(
    verb: str, *, subject: str, by: User | None, at: datetime, facts: Mapping[str, object] = {}
) -> None:
    """Append one line. `subject` is "kind:id"; facts hold ids, counts and hashes, never texts."""
    with preparing_cursor() as cursor:
        cursor.execute(RECORD, line(verb, subject=subject, by=by, at=at, facts=facts))


def line(
    verb: str, *, subject: str, by: User | None, at: datetime, facts: Mapping[str, object]
) -> dict[str, str | int | datetime | None]:
    """The values of one line."""
    return {
        "verb": verb,
        "subject": subject,
        "actor": by.pk if by else None,
        "at": at,
        "facts": json.dumps(facts),
    }


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
