"""What each file of a report was when it was written, as `sha256sum --check` reads it."""

import hashlib
import re
from collections.abc import Mapping

from analytics.report.basis import Files, UnreadableReport

FILE = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def of(files: Files) -> bytes:
    """A line a file, by name."""
    return "".join(f"{_sum(content)}  {name}\n" for name, content in sorted(files.items())).encode()


def read(files: Files) -> dict[str, str]:
    """{name of a file: its sum}; empty in older reports, which have none. UnreadableReport names a
    line that is no sum."""
    found = {}
    for number, line in enumerate(_lines(files), start=1):
        told = _LINE.fullmatch(line)
        if told is None:
            raise UnreadableReport(f"{FILE}, line {number}: this is no sum and name of a file.")
        found[told[2]] = told[1]
    return found


def edited(files: Files, known: Mapping[str, str]) -> tuple[str, ...]:
    """The files that are not as they were written; those that were taken out are not missed."""
    return tuple(
        name for name, sha256 in known.items() if name in files and _sum(files[name]) != sha256
    )


def unknown(files: Files, known: Mapping[str, str]) -> tuple[str, ...]:
    """The files that may have been written or edited by anybody: no sum is theirs."""
    return tuple(sorted(files.keys() - known.keys() - {FILE}))


def _lines(files: Files) -> list[str]:
    return files.get(FILE, b"").decode(errors="replace").splitlines()


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
