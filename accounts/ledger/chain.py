"""The chain itself: what a row of the ledger says, as bytes, and the hash over it.

The canonical form of a row is its line in PostgreSQL's text format of COPY: these columns, divided
by tabs, \\N for what is not there, times in UTC, bytes in hex, UTF-8, with its line feed. The hash
of a row is the SHA-256 of the hash before it (32 bytes; of the first: zeros) and this line.
"""

import hashlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress

from django.db import InternalError, connection
from psycopg.sql import SQL, Composable

NOTHING_MORE = SQL("")
FIRST = bytes(32)  # what the first row follows
# One process at a time appends, or looks where the end is.
LOCK = "hashtext('concord.ledger')"

COLUMNS = """
entry.sequence, entry.sealed_at, entry.event_id, event.verb, event.subject, event.actor_id, event.at,
event.facts, entry.digest_id, digest.table_name, digest.edition, digest.row_ids, digest.digests,
digest.noted_at
"""
LINES = SQL(
    """
SELECT {first} """
    + COLUMNS
    + """
FROM {rows} AS entry
LEFT JOIN accounts_event AS event ON event.id = entry.event_id
LEFT JOIN accounts_rowdigest AS digest ON digest.id = entry.digest_id
ORDER BY entry.sequence
"""
)


def hash_of(previous: bytes, line: bytes) -> bytes:
    return hashlib.sha256(previous + line).digest()


def lines(rows: Composable, *, first: Composable = NOTHING_MORE) -> Generator[bytes, None, None]:
    """The lines of `rows`, which have a sequence, a time, and the id of an event or a digest."""
    statement = SQL("COPY ({}) TO STDOUT").format(LINES.format(rows=rows, first=first))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL timezone TO 'UTC'")
        cursor.execute("SET LOCAL datestyle TO 'ISO'")
        cursor.execute("SET LOCAL bytea_output TO 'hex'")
        with cursor.copy(statement) as copy:
            try:
                for data in copy:
                    yield bytes(data)
            finally:
                # A COPY that is left halfway takes the transaction with it.
                for _ in copy:
                    pass


@contextmanager
def nobody_else_appends() -> Iterator[None]:
    """Hold the end of the ledger, over transactions too."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_lock({LOCK})")
    try:
        yield
    finally:
        # In a transaction that failed nothing can be asked: the session that holds it ends soon.
        with suppress(InternalError), connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_unlock({LOCK})")
