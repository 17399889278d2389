"""Put what waits into the chain, in the order in which it came. Nobody waits for this."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from psycopg.sql import SQL, Literal

from accounts.ledger import chain, checkpoints
from accounts.ledger.marks import bears_mark

BATCH = 5_000
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The last row of the ledger; sequence 0 is before the first."""

    sequence: int
    hash: bytes
    sealed_at: datetime | None = None


def seal_all() -> int:
    """Seal all that waits; how many rows that were."""
    with chain.nobody_else_appends():
        _confirm_the_last()
        before = end()
        after = before
        while (now := _seal_some(after)) is not None:
            after = now
    every = settings.CHECKPOINT_EVERY
    if before.sequence // every != after.sequence // every:
        checkpoints.send(after.sequence, after.hash)
    return after.sequence - before.sequence


def send_checkpoint() -> None:
    """Take the end of the ledger out of the house."""
    last = end()
    if last.sequence:
        checkpoints.send(last.sequence, last.hash)


def end() -> End:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sequence, hash, sealed_at FROM accounts_seal ORDER BY sequence DESC LIMIT 1"
        )
        row = cursor.fetchone()
    if row is None:
        return End(sequence=0, hash=chain.FIRST)
    return End(sequence=row[0], hash=bytes(row[1]), sealed_at=row[2])


def _confirm_the_last() -> None:
    """A process that ended between its commit and the confirmation has sealed all the same."""
    sequence = checkpoints.unconfirmed(settings.CHECKPOINT_DIR)
    if sequence is not None and end().sequence == sequence:
        checkpoints.confirm(sequence, at=timezone.now())


def _seal_some(before: End) -> End | None:
    """Seal a batch after `before`; None if nothing waits."""
    with transaction.atomic():
        waiting = _waiting()
        if not waiting:
            return None
        at = max(filter(None, (before.sealed_at, timezone.now())))
        hashes = _hashes(waiting, before, at)
        after = End(sequence=before.sequence + len(hashes), hash=hashes[-1], sealed_at=at)
        _insert(waiting, hashes, before, at)
        checkpoints.promise(hashes, sequence=after.sequence, at=at)
    checkpoints.confirm(after.sequence, at=at)
    return after


def _waiting() -> list[int]:
    """The next ones to be sealed; an event that is not the application's stays where it is."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT unsealed.id, event_id, mark, verb, subject, actor_id, at, facts::text"
            " FROM accounts_unsealed AS unsealed"
            " LEFT JOIN accounts_event AS event ON event.id = event_id"
            " ORDER BY unsealed.id LIMIT %s",
            [BATCH],
        )
        rows = cursor.fetchall()
    genuine = []
    for pk, event_id, mark, *said in rows:
        if event_id is None or is_genuine(mark, *said):
            genuine.append(pk)
        else:
            logger.error("Event %s was not written by this application; it is not sealed", event_id)
    return genuine


def is_genuine(
    mark: str, verb: str | None, subject: str, actor: int | None, at: datetime, facts: str
) -> bool:
    """Whether an event that waits is there and the application wrote it."""
    return verb is not None and bears_mark(
        mark, verb=verb, subject=subject, actor=actor, at=at, facts=facts
    )


def _hashes(waiting: Sequence[int], before: End, at: datetime) -> list[bytes]:
    rows = SQL(
        "(SELECT {before} + row_number() OVER (ORDER BY id) AS sequence, {at}::timestamptz"
        " AS sealed_at, event_id, digest_id FROM accounts_unsealed WHERE id = ANY({waiting}))"
    ).format(before=Literal(before.sequence), at=Literal(at), waiting=Literal(list(waiting)))
    hashes, previous = [], before.hash
    for line in chain.lines(rows):
        previous = chain.hash_of(previous, line)
        hashes.append(previous)
    return hashes


def _insert(waiting: Sequence[int], hashes: Sequence[bytes], before: End, at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH sealed AS (DELETE FROM accounts_unsealed WHERE id = ANY(%(waiting)s)"
            " RETURNING id, event_id, digest_id)"
            " INSERT INTO accounts_seal"
            " (sequence, sealed_at, event_id, digest_id, previous, hash)"
            " SELECT %(before)s + place, %(at)s, event_id, digest_id, previous, hash"
            " FROM sealed JOIN unnest(%(waiting)s::bigint[], %(previous)s::bytea[], %(hashes)s::bytea[])"
            " WITH ORDINALITY AS of (id, previous, hash, place) USING (id)",
            {
                "waiting": list(waiting),
                "before": before.sequence,
                "at": at,
                "previous": [before.hash, *hashes[:-1]],
                "hashes": list(hashes),
            },
        )
