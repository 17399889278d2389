"""Zips that come from elsewhere: whatever is wrong with one is a sentence, and none is a flood."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

LARGEST = 8 << 30  # bytes; a release that unpacks to more is none of ours
_BOUNDED = {ZIP_STORED, ZIP_DEFLATED}  # what others unpack to is known when it is in memory


class UnreadableZip(Exception):
    """A sentence that says why nothing can be read from it."""


@contextmanager
def opened(place: Path, *, most: int = LARGEST) -> Iterator[ZipFile]:
    """A zip of `most` bytes, unpacked, in which each name stands once. What breaks while it is read
    is UnreadableZip too."""
    try:
        with ZipFile(place) as archive:
            _check(archive, most)
            yield archive
    except FileNotFoundError:
        raise UnreadableZip(f"There is no file {place}.") from None
    except (BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as problem:
        raise UnreadableZip(f"This is not a zip that can be read: {problem}.") from None


def _check(archive: ZipFile, most: int) -> None:
    names = archive.namelist()
    if len(names) > len(set(names)):
        raise UnreadableZip("There are two files of the same name in the zip.")
    if sum(one.file_size for one in archive.infolist()) > most:
        raise UnreadableZip(f"The zip unpacks to more than {most:,} bytes.")
    if not {one.compress_type for one in archive.infolist()} <= _BOUNDED:
        raise UnreadableZip("The zip is packed in another way than Concord packs.")
