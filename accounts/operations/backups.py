"""A backup of a running server: its tables as at one moment, its files and its keys.

Tables are copied through the connection that the application has, so a backup needs no programs
of PostgreSQL's and works against a managed server. The tables themselves are made anew by the
migrations; so a backup is restored by the version of Concord that made it, and then upgraded.
"""

import gzip
import hashlib
import json
import shutil
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg.sql import SQL, Composable, Identifier
from pydantic import TypeAdapter, ValidationError

from accounts import events
from accounts.ledger import checkpoints
from accounts.models import User
from accounts.operations.folders import LEDGER_FILES, data_folders

MANIFEST = "backup.json"
FORMAT = "concord-backup/1"
OWN = "django_migrations"  # what stands there is the new database's own
# Triggers that note or refuse changes are off while rows come back as they were.
_HAVE_TRIGGERS = """
SELECT DISTINCT relname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
"""
_COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = %s AND is_generated = 'NEVER'
ORDER BY ordinal_position
"""


class CannotBackUp(Exception):
    """A sentence that says why there is no backup."""


class CannotRestore(Exception):
    """A sentence that says why the backup is not restored here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """What a backup holds."""

    rows: int
    files: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTold:
    """What a backup says of a table."""

    columns: list[str]
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupTold:
    """What `MANIFEST` says; `files`: the SHA-256 of each."""

    format: str
    concord: str
    at: str
    tables: dict[str, TableTold]
    migrations: list[str]
    files: dict[str, str]


def back_up(*, to: Path, by: User | None, at: datetime) -> BackedUp:
    """Copy everything into a new folder, which is there only once it is whole."""
    if to.exists():
        raise CannotBackUp(f"{to} is there already. Name another folder.")
    made = to.with_name(f"{to.name}.half-made")
    shutil.rmtree(made, ignore_errors=True)
    try:
        done = _fill(made, at)
        made.rename(to)
    except BaseException:  # above all where the disk is full
        shutil.rmtree(made, ignore_errors=True)
        raise
    facts = {"rows": done.rows, "sha256": done.sha256}
    events.record("server.backed_up", subject="server:", by=by, at=at, facts=facts)
    return done


def _fill(made: Path, at: datetime) -> BackedUp:
    (made / "tables").mkdir(parents=True, mode=0o700)
    made.chmod(0o700)
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        tables = {name: _copy_out(name, made / "tables") for name in _tables()}
        migrations = sorted(
            ".".join(one) for one in MigrationRecorder(connection).applied_migrations()
        )
        last = _last_sealed()
    for name, folder in data_folders().items():
        if folder.is_dir():
            shutil.copytree(folder, made / name)
    _copy_ledger(last, made / LEDGER_FILES)
    manifest = {
        "format": FORMAT,
        "concord": settings.VERSION,
        "at": at.isoformat(),
        "tables": tables,
        "migrations": migrations,
        "files": {name: _sha256_of(made / name) for name in sorted(_files_in(made))},
    }
    text = json.dumps(manifest, indent=1, sort_keys=True).encode()
    (made / MANIFEST).write_bytes(text)
    return BackedUp(
        rows=sum(one["rows"] for one in tables.values()),
        files=len(manifest["files"]),
        sha256=hashlib.sha256(text).hexdigest(),
    )


def restore(*, source: Path, at: datetime) -> BackedUp:
    """Fill a database that `migrate` has just made, and the home, with what a backup holds.

    As the owner of the tables: rows come back as they were, past the triggers.
    """
    text = (source / MANIFEST).read_bytes() if (source / MANIFEST).is_file() else b"{}"
    try:
        told = TypeAdapter(BackupTold).validate_json(text)
    except ValidationError:
        raise CannotRestore(f"{source} is no backup of Concord's.") from None
    if reason := _reason_not_to(source, told):
        raise CannotRestore(reason)
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute(_HAVE_TRIGGERS)
        guarded = [Identifier(name) for (name,) in cursor.fetchall()]
        for table in guarded:
            cursor.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(table))
        names = SQL(", ").join(map(Identifier, told.tables))
        cursor.execute(SQL("TRUNCATE {}").format(names))
        for name, one in told.tables.items():
            _copy_in(name, one, source)
        try:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except IntegrityError as problem:
            raise CannotRestore(f"Rows are missing: {str(problem).splitlines()[0]}.") from None
        for table in guarded:
            cursor.execute(SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(table))
        # Before the commit: where they cannot be written, all of it can be tried again.
        for name, folder in data_folders().items():
            _bring_back(source / name, folder)
        _bring_back(source / LEDGER_FILES, settings.CHECKPOINT_DIR)
        for statement in _sequences(told.tables):  # last: nothing takes them back
            cursor.execute(statement)
    done = BackedUp(
        rows=sum(one.rows for one in told.tables.values()),
        files=len(told.files),
        sha256=hashlib.sha256(text).hexdigest(),
    )
    facts = {"rows": done.rows, "sha256": done.sha256, "backed_up_at": told.at}
    events.record("server.restored", subject="server:", by=None, at=at, facts=facts)
    return done


def _reason_not_to(source: Path, told: BackupTold) -> str | None:
    if told.format != FORMAT:
        return f"{source} is no backup of Concord's."
    for name, sha256 in told.files.items():
        if not (source / name).is_file() or _sha256_of(source / name) != sha256:
            return f"{name} is not as it was backed up."
    kept = {
        name for name in _files_in(source) if name.split("/")[0] in {*data_folders(), LEDGER_FILES}
    }
    if strangers := sorted(kept - told.files.keys()):
        return f"{strangers[0]} is no part of the backup."
    if User.objects.exists():
        return "There are accounts here. A backup is restored into a new, migrated database only."
    if others := _checkpoints_of_others(source / LEDGER_FILES):
        return (
            f"{others} has checkpoints of a ledger that the backup does not hold. Keep it elsewhere: "
            "it says which rows are not brought back."
        )
    here = sorted(".".join(one) for one in MigrationRecorder(connection).applied_migrations())
    if here != told.migrations or _tables() != sorted(told.tables):
        return (
            f"The tables here are not those of the backup. Restore it with Concord "
            f"{told.concord}, and upgrade then."
        )
    return None


def _checkpoints_of_others(source: Path) -> Path | None:
    """A file that says more than the backup's, or something else: it would be written over, or belie
    the rows that are brought back."""
    for path in sorted(settings.CHECKPOINT_DIR.glob("*.jsonl")):
        coming = source / path.name
        told = coming.read_bytes() if coming.is_file() else b""
        if not told.startswith(path.read_bytes()):
            return path
    return None


def _tables() -> list[str]:
    return sorted(set(connection.introspection.table_names()) - {OWN})


def _copy_out(table: str, folder: Path) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS, [table])
        columns = [name for (name,) in cursor.fetchall()]
        wanted = SQL("COPY {} ({}) TO STDOUT").format(Identifier(table), _listed(columns))
        with _packed(folder / f"{table}.gz") as file, cursor.copy(wanted) as copy:
            for piece in copy:
                file.write(piece)
        return {"columns": columns, "rows": cursor.rowcount}


def _files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _copy_in(name: str, table: TableTold, source: Path) -> None:
    wanted = SQL("COPY {} ({}) FROM STDIN").format(Identifier(name), _listed(table.columns))
    packed = f"tables/{name}.gz"
    with connection.cursor() as cursor:
        try:
            with gzip.open(source / packed, "rb") as file, cursor.copy(wanted) as copy:
                while piece := file.read(1 << 20):
                    copy.write(piece)
        except (EOFError, zlib.error, OSError, psycopg.Error) as problem:
            raise CannotRestore(f"{packed} cannot be read: {type(problem).__name__}.") from problem
        if cursor.rowcount != table.rows:
            raise CannotRestore(f"{packed} has {cursor.rowcount:,} rows, not {table.rows:,}.")


def _packed(path: Path) -> gzip.GzipFile:
    path.touch(mode=0o600)
    return gzip.GzipFile(path, "wb", compresslevel=3, mtime=0)


def _listed(columns: list[str]) -> Composable:
    return SQL(", ").join(map(Identifier, columns))


def _sequences(tables: Mapping[str, TableTold]) -> Iterator[str]:
    """What brings counters up to the rows that are there."""
    known = [
        {"table": name, "column": "id"} for name, told in tables.items() if "id" in told.columns
    ]
    with connection.cursor() as cursor:
        for one in known:
            cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [one["table"]])
            (sequence,) = cursor.fetchone() or (None,)
            if sequence:
                table = connection.ops.quote_name(one["table"])
                yield (
                    f"SELECT setval('{sequence}', coalesce(max(id), 1), max(id) IS NOT NULL)"  # noqa: S608 -- names of our tables
                    f" FROM {table}"
                )


def _last_sealed() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(sequence), 0) FROM accounts_seal")
        (last,) = cursor.fetchone() or (0,)
    return int(last)


def _copy_ledger(last: int, to: Path) -> None:
    """Checkpoints as far as the rows that were copied: later ones speak of rows that are not."""
    to.mkdir(mode=0o700)
    for path in sorted(settings.CHECKPOINT_DIR.glob("*.jsonl")):
        kept = [line for line in path.read_bytes().splitlines(keepends=True) if _is_of(line, last)]
        if kept:
            (to / path.name).write_bytes(b"".join(kept))


def _is_of(line: bytes, last: int) -> bool:
    told = checkpoints.parsed(line)
    return told is not None and int(told.get("sequence", told.get("confirmed", 0))) <= last


def _bring_back(source: Path, to: Path) -> None:
    if source.is_dir():
        to.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copytree(source, to, dirs_exist_ok=True)


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
