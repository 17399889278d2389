"""The application's marks: keyed hashes, so that nobody writes to the ledger with SQL alone.

An event is marked before it is sent. The digests of governed rows are taken in the database, which
has no key: so each session that the application opens is introduced with a secret of its own, made
of the key and a name drawn by lot, and the triggers mark with that what they note.
"""

import hmac
import json
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.crypto import salted_hmac
from psycopg import Cursor

SALT = "accounts.ledger.mark"
SALT_OF_SESSIONS = "accounts.ledger.session"
SESSION = "concord.session"  # the setting: the name, and after it the secret, in hex
_NAME = 16  # hex digits
_LOT = 8  # of them drawn by lot; the others tell which key it was
_MARK = 48
_SECRET = f"decode(substr(current_setting('{SESSION}'), {_NAME + 1}), 'hex')"


def session_mark(content: str) -> str:
    """In SQL, of an expression: the name of the session, and a hash of both under its secret. Nothing
    where somebody else than the application opened it."""
    return f"""CASE WHEN coalesce(current_setting('{SESSION}', true), '') = '' THEN ''
        ELSE left(current_setting('{SESSION}'), {_NAME}) || left(
            encode(sha256({_SECRET} || sha256({_SECRET} || {content})), 'hex'), {_MARK}
        ) END"""


SESSION_MARK = session_mark("content")


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
    text = _WRITER.encode(said)
    return salted_hmac(SALT, text, secret=secret or None, algorithm="sha256").hexdigest()


def bears_mark(
    mark: str, *, verb: str, subject: str, actor: int | None, at: datetime, facts: str
) -> bool:
    """Whether the application wrote this event, under its key or one that it had before."""
    try:
        return any(
            _is_same(
                mark,
                mark_of(verb=verb, subject=subject, actor=actor, at=at, facts=facts, secret=secret),
            )
            for secret in _secrets()
        )
    except (ValueError, RecursionError):  # facts that PostgreSQL takes and Python does not read
        return False


def introduce(*, connection: BaseDatabaseWrapper, **_signal: object) -> None:
    """Tell a session that was just opened by what its digests are to be marked.

    Beside the statement, not in it: others of the same role are shown what a session asked last.
    """
    lot = secrets.token_hex(_LOT // 2)
    name = _named_by(settings.SECRET_KEY, lot) + lot
    with Cursor(connection.connection) as cursor:
        cursor.execute(
            "SELECT set_config(%s, %s, false)",
            [SESSION, name + _session_secret(name, settings.SECRET_KEY).hex()],
        )


def bears_session_mark(mark: str, content: bytes) -> bool:
    """Whether what is noted was written in a session of the application."""
    return any(
        _is_same(mark, _session_mark(mark[:_NAME], secret, content)) for secret in _secrets()
    )


def is_of_known_key(mark: str) -> bool:
    """Whether the session that a mark names was opened under a key of now: else nobody can tell."""
    lot = mark[_NAME - _LOT : _NAME]
    return any(mark.startswith(_named_by(secret, lot)) for secret in _secrets())


def _is_same(mark: str, expected: str) -> bool:
    return hmac.compare_digest(mark.encode(), expected.encode())


def _named_by(key: str | bytes, lot: str) -> str:
    return _session_secret(lot, key).hex()[: _NAME - _LOT]


def _session_mark(name: str, key: str | bytes, content: bytes) -> str:
    secret = _session_secret(name, key)
    return name + sha256(secret + sha256(secret + content).digest()).hexdigest()[:_MARK]


def _session_secret(name: str, key: str | bytes) -> bytes:
    digest: bytes = salted_hmac(SALT_OF_SESSIONS, name, secret=key, algorithm="sha256").digest()
    return digest


def _secrets() -> Iterator[str | bytes]:
    yield settings.SECRET_KEY
    yield from settings.SECRET_KEY_FALLBACKS


def _plain(facts: str) -> object:
    """What JSON says; 1.0 is 1, however the database writes it."""
    return _READER.decode(facts)


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


_READER = json.JSONDecoder(parse_float=_number)
_WRITER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
