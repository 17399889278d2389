"""The files of a written report, kept as they are handed out: nothing is packed for who fetches one."""

from collections.abc import Collection, Iterator
from datetime import datetime

from analytics.exports import writers
from analytics.report import bundle
from analytics.report.basis import Files
from annotation.actions.imports.copying import Watch
from annotation.actions.jobs import keeping

WHOLE = "report.zip"
WITHOUT_DATA = "report-without-ratings.zip"
_ZIPS = (WHOLE, WITHOUT_DATA)


def put(folder: str, files: Files, *, heed: Watch = iter) -> str:
    """Keep the files one by one, and two zips: of all, whose SHA-256 is returned, and of those that
    tell no single rating. What nobody holds is swept away. `heed` may end the work."""
    whole = writers.zipped(files)
    zips = {WHOLE: whole, WITHOUT_DATA: writers.zipped(bundle.without_data(files))}
    for name, content in heed({**files, **zips}.items()):
        keeping.keep(_place(folder, name), [content])
    return writers.sha256_of_bytes(whole)


def hold(folder: str, names: Collection[str]) -> None:
    """Let a report stay, which has files of these names."""
    keeping.hold(_places(folder, names))


def let_go(folder: str, names: Collection[str], *, at: datetime) -> None:
    """Have a report swept away once nobody can be fetching it any more."""
    keeping.let_go(_places(folder, names), at=at)


def discard(folder: str, names: Collection[str]) -> None:
    for place in _places(folder, names):
        keeping.discard(place)


def size_of(folder: str, name: str) -> int | None:
    """How large a file is, in bytes; None where there is none."""
    return keeping.size_of(_place(folder, name))


def pieces(folder: str, name: str, *, size: int) -> Iterator[bytes]:
    """A file, of which no more than a piece is in memory."""
    return keeping.read(_place(folder, name), range(size))


def _places(folder: str, names: Collection[str]) -> list[str]:
    return [_place(folder, name) for name in (*names, *_ZIPS)]


def _place(folder: str, name: str) -> str:
    return f"{folder}/{name}"
