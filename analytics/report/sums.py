"""What each file of a report was when it was written, as `sha256sum --check` reads it."""

import hashlib
import re
from collections.abc import Iterator

from analytics.report.basis import Files, UnreadableReport

FILE = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def of(files: Files) -> bytes:
    """A line a file, by name."""
    return "".join(f"{_sum(content)}  {name}\n" for name, content in sorted(files.items())).encode()


def edited(files: Files) -> Iterator[str]:
    """The files that are not as they were written; those that were taken out are not missed, and
    older reports have no sums. UnreadableReport names a line that is no sum."""
    for number, line in enumerate(_lines(files), start=1):
        found = _LINE.fullmatch(line)
        if found is None:
            raise UnreadableReport(f"{FILE}, line {number}: this is no sum and name of a file.")
        sha256, name = found.groups()
        if name in files and _sum(files[name]) != sha256:
            yield name


def _lines(files: Files) -> list[str]:
    return files.get(FILE, b"").decode(errors="replace").splitlines()


def _sum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
