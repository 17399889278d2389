"""Put what waits into the chain, in the order in which it came. Nobody waits for this."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from psycopg.sql import SQL, Literal
from redis.exceptions import RedisError

from accounts.ledger import chain, checkpoints
from accounts.ledger.governed import CONTENT
from accounts.ledger.marks import bears_mark, bears_session_mark

BATCH = 5_000
# Each LIMIT has a row looked up for itself: what waits grows and shrinks faster than PostgreSQL
# counts it, and joined with what it takes for many, all of the ledger is read for a few.
_WAITING = f"""
SELECT unsealed.id, coalesce(mark, ''), event_id, verb, subject, actor_id,
    CASE WHEN at BETWEEN '0001-01-02' AND '9999-12-30' THEN at END, facts::text,
    digest_id, table_name, row_ids[1], CASE WHEN digest.id > 0 THEN {CONTENT} END,
    num_nonnulls(event_id, digest_id) <> 1 OR num_nonnulls(
        (SELECT sequence FROM accounts_seal WHERE accounts_seal.event_id = unsealed.event_id LIMIT 1),
        (SELECT sequence FROM accounts_seal WHERE accounts_seal.digest_id = unsealed.digest_id LIMIT 1)
    ) > 0
FROM accounts_unsealed AS unsealed
LEFT JOIN LATERAL (SELECT * FROM accounts_event WHERE id = event_id LIMIT 1) AS event ON true
LEFT JOIN LATERAL (SELECT * FROM accounts_rowdigest WHERE id = digest_id LIMIT 1) AS digest ON true
WHERE unsealed.id > %s ORDER BY unsealed.id LIMIT %s
"""  # noqa: S608 -- parts of the statement, from one place
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
        _have_checkpoint_sent()
    return after.sequence - before.sequence


def _have_checkpoint_sent() -> None:
    """By a worker that waits for others: a mail server that does not answer holds up nothing here."""
    try:
        current_app.signature("accounts.tasks.send_checkpoint").apply_async()
    except (RedisError, OperationalError):
        send_checkpoint()


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
        to_seal = _to_seal()
        if not to_seal:
            return None
        at = max(filter(None, (before.sealed_at, timezone.now())))
        hashes = _hashes(to_seal, before, at)
        after = End(sequence=before.sequence + len(hashes), hash=hashes[-1], sealed_at=at)
        _insert(to_seal, hashes, before, at)
        checkpoints.promise(hashes, sequence=after.sequence, at=at)
    checkpoints.confirm(after.sequence, at=at)
    return after


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What waits to be sealed: `table` and `row` are the event, or the first row of a digest, None
    where that is gone; `is_genuine` says whether the application wrote it, and `is_again` that it is
    sealed already, or waits before."""

    id: int
    table: str
    row: int | None
    is_genuine: bool
    is_there: bool
    is_again: bool

    @property
    def may_be_sealed(self) -> bool:
        return self.is_genuine and not self.is_again


def waiting() -> Iterator[Awaited]:
    """What waits, the oldest first."""
    last, page = 0, _page_of_waiting(0)
    before: set[tuple[int | None, int | None]] = set()
    while page:
        for row in page:
            yield _waiting(before, *row)
            last = row[0]
        page = _page_of_waiting(last) if len(page) == BATCH else []


def _page_of_waiting(after: int) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [after, BATCH])
        page: list[tuple[Any, ...]] = cursor.fetchall()
    return page


def _waiting(
    before: set[tuple[int | None, int | None]],
    pk: int,
    mark: str,
    event: int | None,
    verb: str | None,
    subject: str,
    actor: int | None,
    at: datetime | None,
    facts: str,
    digest: int | None,
    table: str | None,
    row: int | None,
    content: bytes | None,
    is_sealed: bool,
) -> Awaited:
    if event is not None:
        is_there = verb is not None
        is_genuine = (
            verb is not None
            and at is not None
            and bears_mark(mark, verb=verb, subject=subject, actor=actor, at=at, facts=facts)
        )
        table, row = "accounts_event", event
    else:
        is_there = content is not None
        is_genuine = content is not None and bears_session_mark(mark, bytes(content))
        table, row = table or "accounts_rowdigest", row if is_there else digest
    is_again = is_sealed or (event, digest) in before
    if is_genuine:
        before.add((event, digest))
    return Awaited(
        id=pk, table=table, row=row, is_genuine=is_genuine, is_there=is_there, is_again=is_again
    )


def _to_seal() -> list[int]:
    """The next ones to be sealed; what is not the application's stays where it is."""
    genuine: list[int] = []
    for one in waiting():
        if len(genuine) == BATCH:
            break
        if one.may_be_sealed:
            genuine.append(one.id)
        else:
            logger.error(
                "Row %s of %s was not written by this application, or waits again; it is not sealed",
                one.row,
                one.table,
            )
    return genuine


def _hashes(to_seal: Sequence[int], before: End, at: datetime) -> list[bytes]:
    rows = SQL(
        "(SELECT {before} + row_number() OVER (ORDER BY id) AS sequence, {at}::timestamptz"
        " AS sealed_at, event_id, digest_id FROM accounts_unsealed WHERE id = ANY({waiting}))"
    ).format(before=Literal(before.sequence), at=Literal(at), waiting=Literal(list(to_seal)))
    hashes, previous = [], before.hash
    for line in chain.lines(rows):
        previous = chain.hash_of(previous, line)
        hashes.append(previous)
    return hashes


def _insert(to_seal: Sequence[int], hashes: Sequence[bytes], before: End, at: datetime) -> None:
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
                "waiting": list(to_seal),
                "before": before.sequence,
                "at": at,
                "previous": [before.hash, *hashes[:-1]],
                "hashes": list(hashes),
            },
        )
