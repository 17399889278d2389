"""Which sources a module is computed with, told from what they import: whatever keeps a result keeps
their fingerprint with it, and makes it anew under another."""

import ast
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "analytics", "annotation", "judging")
# What figures import and are not computed with, and why.
LEFT_OUT = {
    "accounts": "who somebody is, and what is noted of whoever does something",
    "analytics.models": "rows: a migration changes what stands in them",
    "analytics.queue": "asks for work",
    "annotation.actions": "writes, and each change that counts is a revision of its study",
    "annotation.models": "rows: a migration changes what stands in them",
    "annotation.queries": "finds who may see what",
    "judging.models": "rows: a migration changes what stands in them",
    "judging.queries": "finds runs, and who may see them",
}
# Statements are picked out of the text first: to parse all of it takes 0.2 s at each start.
_IMPORT = re.compile(rb"^ *((?:from [\w.]+ )?import (?:\([^)]*\)|.*))$", re.MULTILINE)


class _Source(NamedTuple):
    """A module as it is written: a checksum of it, and what it may import."""

    checksum: int
    imports: frozenset[str]


def fingerprint(*modules: str) -> int:
    """Of all that these modules are computed with: 31 bits that are others as soon as a line is."""
    found = 0
    for name in sorted(followed(*modules)):
        found = zlib.crc32(f"{name} {_source(name).checksum}".encode(), found)
    return found & 0x7FFF_FFFF


def followed(*modules: str) -> frozenset[str]:
    """These modules, and those of the apps that they import, and so on."""
    found: set[str] = set()
    waiting = [name for name in modules if _files(name)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [one for one in _source(name).imports if not is_left_out(one)]
    return frozenset(found)


def is_left_out(name: str) -> bool:
    return any(f"{name}.".startswith(f"{one}.") for one in LEFT_OUT)


@cache
def _source(name: str) -> _Source:
    text = b"".join(map(_read, _files(name)))
    return _Source(zlib.crc32(text), frozenset(filter(_files, _picked(text))))


def _picked(text: bytes) -> Iterator[str]:
    for statement in _IMPORT.findall(text):
        with suppress(SyntaxError):  # a line of prose that begins as a statement does
            yield from imported(statement.decode())


def imported(text: str) -> Iterator[str]:
    """What a text may import: of `from a import b` both `a` and `a.b`, where either is a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Import):
            yield from (one.name for one in node.names)


@cache
def _files(name: str) -> list[Path]:
    """Where a module of the apps is written, and the rules in TOML beside it; none for all others."""
    if name.partition(".")[0] not in APPS:
        return []
    place = PROJECT.joinpath(*name.split("."))
    found = list(filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py")))
    return [path for one in found for path in (one, *sorted(one.parent.glob("*.toml")))]


def _read(path: Path) -> bytes:
    return path.read_bytes()
