"""The application's mark on an event: a keyed hash, so that nobody writes one with SQL alone."""

import hmac
import json
from datetime import UTC, datetime

from django.conf import settings
from django.utils.crypto import salted_hmac

SALT = "accounts.ledger.mark"


def mark_of(
    *,
    verb: str,
    subject: str,
    actor: int | None,
    at: datetime,
    facts: str,
    secret: str | bytes = "",
) -> str:
    """The mark of an event, whose facts are JSON in any layout."""
    said = [verb, subject, actor, at.astimezone(UTC).isoformat(), _plain(facts)]
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return salted_hmac(SALT, text, secret=secret or None, algorithm="sha256").hexdigest()


def bears_mark(
    mark: str, *, verb: str, subject: str, actor: int | None, at: datetime, facts: str
) -> bool:
    """Whether the application wrote this event, under its key or one that it had before."""
    return any(
        hmac.compare_digest(
            mark,
            mark_of(verb=verb, subject=subject, actor=actor, at=at, facts=facts, secret=secret),
        )
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    )


def _plain(facts: str) -> object:
    """What JSON says; 1.0 is 1, however the database writes it."""
    return json.loads(facts, parse_float=_number)


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number
