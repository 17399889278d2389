"""Keep files in the database, a piece at a time: whichever host asks for one gets it.

The web server takes a file in and hands one out, a worker reads it or makes it, and the two may
have no disk in common.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from django.db.models import Sum
from django.db.models.functions import Length
from django.utils import timezone

from annotation.models import FilePiece

PIECE = 1 << 20  # bytes; all pieces of a file but its last one have as many


class NoSuchFileKept(Exception):
    """There is no such file, or a part of it is gone."""


def keep(folder: str, chunks: Iterable[bytes]) -> int:
    """Store a file under a name that is new; return its size in bytes.

    Each piece is there as soon as it is written, so no more than one is in memory; what a killed
    process leaves is swept away.
    """
    size = number = 0
    for content in _cut(chunks):
        FilePiece.objects.create(
            folder=folder, number=number, content=content, kept_at=timezone.now()
        )
        size, number = size + len(content), number + 1
    return size


def keep_file(folder: str, path: Path) -> int:
    with path.open("rb") as file:
        return keep(folder, iter(lambda: file.read(PIECE), b""))


def hold(folders: Collection[str]) -> None:
    """Let files stay for as long as nobody lets them go."""
    FilePiece.objects.filter(folder__in=folders).update(kept_at=None)


def let_go(folders: Collection[str], *, at: datetime) -> None:
    """Have files swept away an hour from now: somebody may be fetching one."""
    FilePiece.objects.filter(folder__in=folders).update(kept_at=at)


def size_of(folder: str) -> int | None:
    """How large a file is, in bytes; None where there is none."""
    found = FilePiece.objects.filter(folder=folder).aggregate(size=Sum(Length("content")))
    size: int | None = found["size"]
    return size


def read(folder: str, part: range) -> Iterator[bytes]:
    """The bytes of a part of a file; NoSuchFileKept where they are removed meanwhile."""
    position = part.start
    while position < part.stop:
        within = position % PIECE
        content = _piece(folder, position // PIECE)[within : within + part.stop - position]
        if not content:
            raise NoSuchFileKept(folder)
        yield content
        position += len(content)


def bring(folder: str, to: Path) -> None:
    """Write a file to the disk of this host; nothing where none is kept."""
    size = size_of(folder)
    if size is None:
        return
    to.touch(mode=0o600)
    with to.open("wb") as file:
        file.writelines(read(folder, range(size)))


def discard(folder: str) -> None:
    FilePiece.objects.filter(folder=folder).delete()


def _piece(folder: str, number: int) -> bytes:
    found = FilePiece.objects.filter(folder=folder, number=number)
    content = found.values_list("content", flat=True).first()
    return b"" if content is None else bytes(content)


def _cut(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces; an empty file is one empty piece."""
    left = bytearray()
    is_first = True
    for chunk in chunks:
        left += chunk
        while len(left) >= PIECE:
            yield bytes(left[:PIECE])
            is_first = False
            del left[:PIECE]
    if left or is_first:
        yield bytes(left)
