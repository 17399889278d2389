"""The audit trail: every action of every app writes its line through here."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from accounts.ledger.marks import mark_of
from accounts.models import Event, User
from accounts.models.prepared import preparing_cursor

# With the values of `line` under this name. An action of one statement makes both a part of that: the
# line itself, from as many rows as it is to be written for, and that it waits to be sealed.
RECORD = """
INSERT INTO accounts_event (verb, subject, actor_id, at, facts)
SELECT %({name}_verb)s::text, %({name}_subject)s::text, %({name}_actor)s::bigint,
    %({name}_at)s::timestamptz, %({name}_facts)s::jsonb
{source} RETURNING id
"""
AWAIT_SEAL = """
INSERT INTO accounts_unsealed (event_id, mark) SELECT id, %({name}_mark)s::text FROM {name}
"""
_ONE = "recorded"
_RECORD_ONE = (
    f"WITH {_ONE} AS ({RECORD.format(name=_ONE, source='')}) {AWAIT_SEAL.format(name=_ONE)}"
)


def record(
    verb: str, *, subject: str, by: User | None, at: datetime, facts: Mapping[str, object] = {}
) -> None:
    """Append one line. `subject` is "kind:id"; facts hold ids, counts and hashes, never texts."""
    with preparing_cursor() as cursor:
        cursor.execute(_RECORD_ONE, line(verb, subject=subject, by=by, at=at, facts=facts))


def record_each(
    verb: str,
    lines: Iterable[tuple[str, Mapping[str, object]]],
    *,
    by: User | None,
    at: datetime,
) -> None:
    """Append a line for each (subject, facts), in one journey to the database."""
    written = [line(verb, subject=subject, by=by, at=at, facts=facts) for subject, facts in lines]
    with preparing_cursor() as cursor:
        cursor.executemany(_RECORD_ONE, written)


def line(
    verb: str,
    *,
    subject: str,
    by: User | None,
    at: datetime,
    facts: Mapping[str, object] = {},
    name: str = _ONE,
) -> dict[str, str | int | datetime | None]:
    """The values of one line, under its name in the statement."""
    actor, text = by.pk if by else None, json.dumps(facts)
    return {
        f"{name}_verb": verb,
        f"{name}_subject": subject,
        f"{name}_actor": actor,
        f"{name}_at": at,
        f"{name}_facts": text,
        f"{name}_mark": mark_of(verb=verb, subject=subject, actor=actor, at=at, facts=text),
    }


def no_line(name: str) -> dict[str, None]:
    """The values where a statement that can write this line is to write none."""
    return dict.fromkeys(
        f"{name}_{value}" for value in ("verb", "subject", "actor", "at", "facts", "mark")
    )


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
