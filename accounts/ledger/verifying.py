"""Compare the ledger with itself, with its checkpoints, and with the rows that it governs."""

from binascii import unhexlify
from collections.abc import Generator, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import Any

import psycopg
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.utils.module_loading import import_string
from psycopg.sql import SQL, Identifier, Literal

from accounts.ledger import chain, checkpoints, sealing, surroundings
from accounts.ledger.checkpoints import Checkpoint
from accounts.ledger.governed import (
    NEWEST,
    NOTED,
    TRIGGERS,
    Governed,
    digest_as_noted,
    governed,
)

HASHES = SQL("encode(entry.previous, 'hex'), encode(entry.hash, 'hex'),")
REFUSALS = (DatabaseError, psycopg.Error)  # the second from a COPY
# What Python says of rows that it cannot read, or that hold something else than they should.
UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_NOTHING = b"\\N"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A row that is not as it was; `sequence` is its row in the ledger, None where it has none."""

    table: str
    id: int | None
    sequence: int | None
    problem: str
    expected: str = ""
    found: str = ""


Findings = Generator[Finding, None, None]


@dataclass(slots=True, kw_only=True)
class Audit:
    """What was compared, and the first bad row of each part: the first of all in front."""

    n_sealed: int = 0
    n_waiting: int = 0
    n_checkpoints: int = 0
    n_rows: int = 0
    seconds_ledger: float = 0.0
    seconds_rows: float = 0.0
    findings: list[Finding] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Reading:
    """How far the ledger was read, and all hashes up to there, one after the other."""

    end: int = 0
    is_whole: bool = False
    hashes: bytearray = field(default_factory=bytearray)

    def hash_at(self, sequence: int) -> str:
        return self.hashes[32 * (sequence - 1) : 32 * sequence].hex()


def verify(*, folder: Path | None, others: Sequence[Checkpoint] = ()) -> Audit:
    """Compare everything. `folder` has the checkpoints, and `others` came back from elsewhere."""
    audit, reading = Audit(), _Reading()
    with _one_moment(folder) as kept:
        start = perf_counter()
        of_chain = _first_of_each(
            [
                _chain_findings(reading),
                _checkpoint_findings(reading, [*kept, *others]),
                _uncovered(reading, kept, folder),
            ]
        )
        audit.findings += sorted(of_chain, key=lambda finding: finding.sequence or 0)
        audit.findings += _first_of_each(
            [_never_sealed(), _waiting_findings(audit), _noted_again()]
        )
        audit.n_sealed, audit.n_checkpoints = reading.end, len(kept) + len(others)
        audit.seconds_ledger = perf_counter() - start
        start = perf_counter()
        audit.findings += _first_of_each(_table_findings(audit))
        audit.findings += _told(_alterations(), most=None)
        audit.findings += _first_of_each(_copy_findings())
        audit.seconds_rows = perf_counter() - start
    audit.findings = list(dict.fromkeys(audit.findings))
    return audit


@contextmanager
def _one_moment(folder: Path | None) -> Iterator[list[Checkpoint]]:
    """See ledger, checkpoints and rows as they are between two batches of seals."""
    is_inside = connection.in_atomic_block
    with ExitStack() as moment:
        with chain.nobody_else_appends():
            moment.enter_context(transaction.atomic())
            with connection.cursor() as cursor:
                if not is_inside:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SET LOCAL work_mem TO '256MB'")
                cursor.execute("SET LOCAL timezone TO 'UTC'")
                cursor.execute("SELECT FROM accounts_seal LIMIT 1")  # the moment begins
            kept = checkpoints.kept(folder) if folder else []
        yield kept


def _first_of_each(parts: Iterable[Findings]) -> list[Finding]:
    return [finding for part in parts for finding in _told(part, most=1)]


def _told(part: Findings, *, most: int | None) -> Iterator[Finding]:
    """What PostgreSQL refuses to compare, or Python cannot read, is told too: a column is gone, another's
    view is there; all else is compared."""
    try:
        with transaction.atomic(), closing(part):
            yield from islice(part, most)
    except (*REFUSALS, *UNREADABLE) as refusal:
        is_told = isinstance(refusal, REFUSALS) and str(refusal)
        said = str(refusal).splitlines()[0] if is_told else type(refusal).__name__
        problem = f"It cannot be compared: {said}."
        yield Finding(table="PostgreSQL", id=None, sequence=None, problem=problem)


def _chain_findings(reading: _Reading) -> Findings:
    """Each row has the next sequence, follows the hash before it, and gives its own."""
    with closing(chain.lines(SQL("accounts_seal"), first=HASHES)) as lines:
        yield from _breaks(lines, reading)


def _breaks(lines: Iterator[bytes], reading: _Reading) -> Iterator[Finding]:
    last, sealed_at, before = chain.FIRST.hex().encode(), b"", b""
    broken: tuple[Finding, Finding] | None = None
    for line in lines:
        previous, stored, body = line.split(b"\t", 2)
        sequence, time, _rest = body.split(b"\t", 2)
        if _NOTHING in (previous, stored):
            yield _about(body, "Its hash is gone.", last, _NOTHING)
            return
        if broken:
            # Of two rows that do not fit, the one that the rest fits is as it was.
            yield broken[0] if previous == last else broken[1]
            return
        if int(sequence) != reading.end + 1:
            yield _missing(reading.end + 1, found=int(sequence))
            return
        hashed = chain.hash_of(unhexlify(previous), body).hex().encode()
        if hashed != stored:
            yield _about(body, _what_is_wrong(body), hashed, stored)
            return
        if time < sealed_at:
            yield _about(body, "It was sealed before the row in front of it.", sealed_at, time)
            return
        if previous != last:
            second = _about(body, "It does not follow the row before it.", last, previous)
            first = _about(before, "The next row follows another one.", previous, last)
            broken = (first if before else second, second)
        reading.end += 1
        reading.hashes += unhexlify(stored)
        last, sealed_at, before = stored, time, body
    if broken:
        yield broken[0]
    reading.is_whole = True


def _missing(sequence: int, *, found: int | str) -> Finding:
    return Finding(
        table="accounts_seal",
        id=sequence,
        sequence=sequence,
        problem="The row is missing.",
        expected=str(sequence),
        found=str(found),
    )


def _about(body: bytes, problem: str, expected: bytes, found: bytes) -> Finding:
    """What is wrong with a line of the ledger: with its event or its digest."""
    if not body:
        return _missing(1, found="")
    fields = body.split(b"\t")
    table, pk = (
        ("accounts_rowdigest", fields[8])
        if fields[2] == _NOTHING
        else ("accounts_event", fields[2])
    )
    return Finding(
        table=table,
        id=int(pk) if pk != _NOTHING else None,
        sequence=int(fields[0]),
        problem=problem,
        expected=expected.decode(),
        found=found.decode(),
    )


def _what_is_wrong(body: bytes) -> str:
    fields = body.split(b"\t")
    if _NOTHING in (fields[3] if fields[2] != _NOTHING else fields[9],):
        return "What was sealed is gone."
    return "What it says does not give its hash."


def _checkpoint_findings(reading: _Reading, known: Sequence[Checkpoint]) -> Findings:
    """The ledger still has every row that a checkpoint has seen."""
    for checkpoint in known:
        for sequence, begin in checkpoint.hashes():
            if sequence > reading.end:
                if reading.is_whole:
                    yield Finding(
                        table="accounts_seal",
                        id=reading.end + 1,
                        sequence=reading.end + 1,
                        problem="The end is cut off: a checkpoint knows more rows.",
                        expected=f"{checkpoint.sequence} rows",
                        found=f"{reading.end} rows",
                    )
                return
            if not reading.hash_at(sequence).startswith(begin):
                yield Finding(
                    table="accounts_seal",
                    id=sequence,
                    sequence=sequence,
                    problem="A checkpoint has seen another row here.",
                    expected=begin,
                    found=reading.hash_at(sequence),
                )
                return


def _uncovered(reading: _Reading, kept: Sequence[Checkpoint], folder: Path | None) -> Findings:
    """Every row is in a checkpoint, for each is written down before it is committed."""
    if folder is None:
        return
    following = 1
    for checkpoint in kept:
        if checkpoint.begins_at > following:
            break
        following = max(following, checkpoint.sequence + 1)
    if following <= reading.end:
        yield Finding(
            table="accounts_seal",
            id=following,
            sequence=following,
            problem=_why_unknown(following, kept, folder),
            found=reading.hash_at(following),
        )


def _why_unknown(sequence: int, kept: Sequence[Checkpoint], folder: Path) -> str:
    if not folder.is_dir():
        return f"There is no folder {folder}, so no checkpoint to compare with."
    if not kept:
        return f"There is no checkpoint in {folder}."
    if any(one.begins_at <= sequence <= one.sequence for one in kept):
        return "The checkpoint that knows this row stands behind later ones."
    return "No checkpoint knows this row: Concord did not seal it."


def _never_sealed() -> Findings:
    """Every event and every digest is sealed, or waits for it."""
    for table, column in (("accounts_event", "event_id"), ("accounts_rowdigest", "digest_id")):
        row = _first_row(
            f"SELECT id FROM {table} AS row WHERE NOT EXISTS"  # noqa: S608 -- names from above
            f" (SELECT FROM accounts_seal WHERE {column} = row.id) AND NOT EXISTS"
            f" (SELECT FROM accounts_unsealed WHERE {column} = row.id) ORDER BY id LIMIT 1"
        )
        if row:
            yield Finding(
                table=table, id=row[0], sequence=None, problem="It was written past the ledger."
            )


def _waiting_findings(audit: Audit) -> Findings:
    """What waits was written by the application, and is there."""
    rows = list(sealing.waiting())
    audit.n_waiting = len(rows)
    for one in rows:
        if not one.may_be_sealed:
            yield Finding(
                table=one.table,
                id=one.row,
                sequence=None,
                problem=_why_not_sealed(one),
            )


def _why_not_sealed(one: sealing.Awaited) -> str:
    if not one.is_there:
        return "It is gone."
    if one.is_again:
        return "It waits a second time."
    return "This application did not write it."


_AGAIN = """
SELECT max(digest.id), (SELECT sequence FROM accounts_seal WHERE digest_id = max(digest.id))
FROM accounts_rowdigest AS digest
WHERE noted_at IN (SELECT noted_at FROM accounts_rowdigest GROUP BY noted_at HAVING count(*) > 1)
GROUP BY noted_at, table_name, edition, row_ids, digests HAVING count(*) > 1
ORDER BY 1 LIMIT 1
"""


def _noted_again() -> Findings:
    """No digest says what another says, to the microsecond: who has read the mark of what waited could
    have a row that was changed since noted as it was then."""
    if row := _first_row(_AGAIN):
        yield Finding(
            table="accounts_rowdigest", id=row[0], sequence=row[1], problem="It was noted before."
        )


def _table_findings(audit: Audit) -> Iterator[Findings]:
    tables = [
        sorted(editions, key=lambda one: -one.edition)
        for _table, editions in groupby(governed(), key=lambda one: one.table)
    ]
    at_work = _triggers_at_work()
    for newest_first in tables:
        yield _trigger_findings(newest_first[0], at_work)
        yield _row_findings(newest_first, audit)


def _alterations() -> Findings:
    """The first of each table: each may let in what rows do not show."""
    found = sorted(surroundings.alterations(), key=attrgetter("table"))
    for _table, (first, *_others) in groupby(found, attrgetter("table")):
        yield Finding(id=None, sequence=None, **asdict(first))


def _copy_findings() -> Iterator[Findings]:
    """What apps keep a second time says what the rows say."""
    for app in apps.get_app_configs():
        for name in getattr(app, "differing_copies", ()):
            differing_copies = import_string(name)
            yield (
                Finding(table=table, id=None, sequence=None, problem=problem)
                for table, problem in differing_copies()
            )


def _triggers_at_work() -> set[tuple[str, str, str]]:
    """(table, trigger, what it does) of all that are on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgname, prosrc"
            " FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid"
            " WHERE tgenabled = 'O' AND prosecdef AND tgname = ANY(%s)",
            [list(TRIGGERS)],
        )
        return set(cursor.fetchall())


def _trigger_findings(now: Governed, at_work: Set[tuple[str, str, str]]) -> Findings:
    """Its triggers still note what is written."""
    expected = now.triggers
    if missing := [one for one in sorted(expected) if (now.table, one, now.body) not in at_work]:
        yield Finding(
            table=now.table,
            id=None,
            sequence=None,
            problem="Its triggers are gone, switched off or changed.",
            expected=", ".join(expected),
            found=f"not {', '.join(missing)}",
        )


_ROWS = """
WITH noted AS ({noted})
SELECT coalesce(noted_row, id), noted_in, (SELECT sequence FROM accounts_seal WHERE digest_id = noted_in),
    encode(noted_digest, 'hex'), encode(found_digest, 'hex')
FROM (
    SELECT *, CASE WHEN id IS NOT NULL THEN {digest} END AS found_digest
    FROM noted FULL JOIN {rows} ON noted_row = id
) AS compared
WHERE (noted_row IS NULL AND {when})
    OR (noted_row IS NOT NULL AND noted_digest <> coalesce(found_digest, ''))
    OR (noted_digest = '' AND {never_deleted})
ORDER BY 1 LIMIT 1
"""


def _row_findings(newest_first: Sequence[Governed], audit: Audit) -> Findings:
    """Each row has the digest that was noted when it was written last.

    What is written once has every digest that was ever noted of it, and what is never deleted is
    there: triggers note what an owner does as well, who may do more than the application.
    """
    now = newest_first[0]
    audit.n_rows += _count_rows(now.table)
    row = _first_row(
        SQL(_ROWS)
        .format(
            noted=SQL(NOTED).format(
                newest=SQL("" if now.is_written_once else NEWEST), table=Literal(now.table)
            ),
            rows=SQL(now.table),
            digest=SQL(digest_as_noted(newest_first)),
            when=SQL(now.when),
            never_deleted=Literal(now.may_change is not None),
        )
        .as_string(None)
    )
    if row:
        pk, noted_in, sequence, expected, found = row
        yield Finding(
            table=now.table,
            id=pk,
            sequence=sequence,
            problem=_what_became_of_it(noted_in, expected, found),
            expected=expected or "",
            found=found or "",
        )


def _what_became_of_it(noted_in: int | None, expected: str | None, found: str | None) -> str:
    if noted_in is None:
        return "It was written past the ledger."
    if found is None:
        return "It is gone."
    if not expected:
        return "It was deleted, and is back."
    return "It was changed past the ledger."


def _count_rows(table: str) -> int:
    counted = SQL("SELECT count(*) FROM {}").format(Identifier(table))
    row = _first_row(counted.as_string(None))
    return int(row[0]) if row else 0


def _first_row(statement: str) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        row: tuple[Any, ...] | None = cursor.fetchone()
        return row
