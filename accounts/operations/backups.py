"""A backup of a running server: its tables as at one moment, its files and its keys.

Tables are copied through the connection that the application has, so a backup needs no programs
of PostgreSQL's and works against a managed server. The tables themselves are made anew by the
migrations; so a backup is restored by the version of Concord that made it, and then upgraded.
"""

import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg.sql import SQL, Composable, Identifier

from accounts import events
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
        "files": {
            path.relative_to(made).as_posix(): _sha256_of(path)
            for path in sorted(made.rglob("*"))
            if path.is_file()
        },
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
    manifest = json.loads(text)
    if reason := _reason_not_to(source, manifest):
        raise CannotRestore(reason)
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute(_HAVE_TRIGGERS)
        guarded = [Identifier(name) for (name,) in cursor.fetchall()]
        for table in guarded:
            cursor.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(table))
        names = SQL(", ").join(map(Identifier, manifest["tables"]))
        cursor.execute(SQL("TRUNCATE {}").format(names))
        for name, told in manifest["tables"].items():
            _copy_in(name, told["columns"], source / "tables")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in guarded:
            cursor.execute(SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(table))
        # Before the commit: where they cannot be written, all of it can be tried again.
        for name, folder in data_folders().items():
            _bring_back(source / name, folder)
        _bring_back(source / LEDGER_FILES, settings.CHECKPOINT_DIR)
        for statement in _sequences(manifest["tables"]):  # last: nothing takes them back
            cursor.execute(statement)
    done = BackedUp(
        rows=sum(one["rows"] for one in manifest["tables"].values()),
        files=len(manifest["files"]),
        sha256=hashlib.sha256(text).hexdigest(),
    )
    facts = {"rows": done.rows, "sha256": done.sha256, "backed_up_at": manifest["at"]}
    events.record("server.restored", subject="server:", by=None, at=at, facts=facts)
    return done


def _reason_not_to(source: Path, manifest: Mapping[str, Any]) -> str | None:
    if manifest.get("format") != FORMAT:
        return f"{source} is no backup of Concord's."
    for name, sha256 in manifest["files"].items():
        if not (source / name).is_file() or _sha256_of(source / name) != sha256:
            return f"{name} is not as it was backed up."
    if User.objects.exists():
        return "There are accounts here. A backup is restored into a new, migrated database only."
    here = sorted(".".join(one) for one in MigrationRecorder(connection).applied_migrations())
    if here != manifest["migrations"]:
        return (
            f"The tables here are not those of the backup. Restore it with Concord "
            f"{manifest['concord']}, and upgrade then."
        )
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


def _copy_in(table: str, columns: list[str], folder: Path) -> None:
    wanted = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table), _listed(columns))
    with (
        gzip.open(folder / f"{table}.gz", "rb") as file,
        connection.cursor() as cursor,
        cursor.copy(wanted) as copy,
    ):
        while piece := file.read(1 << 20):
            copy.write(piece)


def _packed(path: Path) -> gzip.GzipFile:
    path.touch(mode=0o600)
    return gzip.GzipFile(path, "wb", compresslevel=3, mtime=0)


def _listed(columns: list[str]) -> Composable:
    return SQL(", ").join(map(Identifier, columns))


def _sequences(tables: Mapping[str, Any]) -> Iterator[str]:
    """What brings counters up to the rows that are there."""
    known = [
        {"table": name, "column": "id"} for name, told in tables.items() if "id" in told["columns"]
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
    try:
        told = json.loads(line)
    except ValueError:
        return False  # a process ended while it wrote it
    return int(told.get("sequence", told.get("confirmed", 0))) <= last


def _bring_back(source: Path, to: Path) -> None:
    if source.is_dir():
        to.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copytree(source, to, dirs_exist_ok=True)


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
