"""Checkpoints: what the ledger says of itself, kept where the database cannot reach it.

Each batch of seals is promised to a file before it is committed and confirmed after it, so every
row that is in the ledger stands there, and no other. A promise without its confirmation is of a
process that ended in between. Other ways take the end of the ledger out of the house now and then.
"""

import json
import logging
import logging.handlers
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from django.conf import settings
from django.core.mail import send_mail

LONGEST_LINE = 200_000  # bytes; a batch of seals has a fifth of it
SHORT = 8  # hex digits of the hash of a row that is not the last of its batch
_HASHES = re.compile(rf"[0-9a-f]{{64}}:(?:[0-9a-f]{{{SHORT}}})*")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The ledger's row at `sequence` has this hash; `rows` are the short hashes of its batch."""

    sequence: int
    hash: str
    rows: tuple[str, ...] = ()

    @property
    def begins_at(self) -> int:
        return self.sequence - max(len(self.rows), 1) + 1

    def hashes(self) -> Iterator[tuple[int, str]]:
        """What each row's hash begins with."""
        yield from enumerate(self.rows, start=self.begins_at)
        yield self.sequence, self.hash


def promise(hashes: Sequence[bytes], *, sequence: int, at: datetime) -> None:
    """Write down what is about to be committed: rows up to `sequence`."""
    short = "".join(row.hex()[:SHORT] for row in hashes)
    _append(
        {"sequence": sequence, "hash": hashes[-1].hex(), "at": at.isoformat(), "rows": short}, at
    )


def confirm(sequence: int, *, at: datetime) -> None:
    _append({"confirmed": sequence}, at)


def kept(folder: Path) -> list[Checkpoint]:
    """What the files say, oldest first; a promise that came to nothing is left out."""
    found: list[Checkpoint] = []
    is_confirmed = True
    for line in _lines(folder):
        if "confirmed" in line:
            is_confirmed = True
            continue
        checkpoint = read(line)
        if not is_confirmed and checkpoint.begins_at <= found[-1].sequence:
            found.pop()
        found.append(checkpoint)
        is_confirmed = False
    return found


def unconfirmed(folder: Path) -> int | None:
    """The row up to which was promised last, if nobody has confirmed it."""
    # A disk that was full leaves an empty one.
    files = sorted(path for path in folder.glob("*.jsonl") if path.stat().st_size)
    if not files:
        return None
    with files[-1].open("rb") as file:
        file.seek(max(files[-1].stat().st_size - LONGEST_LINE, 0))
        last = parsed(file.read().splitlines()[-1])
    return int(last["sequence"]) if last and "sequence" in last else None


def read(line: Mapping[str, Any]) -> Checkpoint:
    short = line.get("rows", "")
    rows = tuple(short[start : start + SHORT] for start in range(0, len(short), SHORT))
    return Checkpoint(sequence=int(line["sequence"]), hash=line["hash"], rows=rows)


def send(sequence: int, hash_: bytes) -> None:
    """Take the end of the ledger out of the house, by every way that is configured."""
    text = f"Concord ledger, row {sequence}: {hash_.hex()}"
    for way in settings.CHECKPOINTS_TO:
        kind, _, where = way.partition(":")
        try:
            WAYS[kind](where, text)
        except OSError:
            # Mail and syslog both fail with it. The next checkpoint stands for this one as well.
            logger.exception("A checkpoint could not be sent by %s", kind)


def _mail(address: str, text: str) -> None:
    send_mail("Concord: checkpoint of the ledger", text, None, [address])


class _LoudSysLog(logging.handlers.SysLogHandler):
    """One that says when a line could not be sent, as logging itself never does."""

    def handleError(self, record: logging.LogRecord) -> NoReturn:  # noqa: N802 -- logging's name
        raise


def _syslog(where: str, text: str) -> None:
    host, _, port = where.rpartition(":")
    address = (host, int(port)) if host else where
    handler = _LoudSysLog(address, logging.handlers.SysLogHandler.LOG_AUTH)
    try:
        handler.handle(logging.LogRecord("concord", logging.INFO, "", 0, text, None, None))
    finally:
        handler.close()


WAYS = {"mail": _mail, "syslog": _syslog}


def _append(line: Mapping[str, object], at: datetime) -> None:
    folder = settings.CHECKPOINT_DIR
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / f"{at:%Y-%m}.jsonl").open("a+b") as file:
        if file.tell() and not _ends_a_line(file):
            file.write(b"\n")  # a process ended while it wrote
        file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _lines(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl")):
        with path.open("rb") as file:
            yield from filter(None, map(parsed, file))


def parsed(line: bytes) -> dict[str, Any] | None:
    """What a line says; None where it says nothing, as where a process ended while it wrote it."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_one = isinstance(told, dict) and (type(told.get("confirmed")) is int or _is_promise(told))
    return told if is_one else None


def _is_promise(told: Mapping[str, Any]) -> bool:
    hashes = [told.get("hash"), told.get("rows", "")]
    return (
        type(told.get("sequence")) is int
        and all(isinstance(one, str) for one in hashes)
        and _HASHES.fullmatch(":".join(hashes)) is not None
    )
