"""Keep an uploaded file between its check and its import: privately, and not for long."""

import contextlib
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from annotation.actions.jobs import keeping
from annotation.models import FileJob
from annotation.readers.calling import called_in
from annotation.readers.records import Source


class StopAtTheLimit(FileUploadHandler):
    """Stops storing an upload once it is larger than may be imported, and notes it."""

    is_too_large = False

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if start + len(raw_data) > most_bytes():
            self.is_too_large = True
            raise StopUpload
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def most_bytes() -> int:
    return settings.UPLOAD_LIMIT_MB * 2**20


def keep(file: "UploadedFile[bytes]") -> str:
    """Store a file, a piece at a time, where every host finds it; return the name it is kept under."""
    name = secrets.token_urlsafe(24)
    keeping.keep(name, file.chunks())
    return name


@contextlib.contextmanager
def brought(job: FileJob) -> Iterator[Source]:
    """The uploaded file that a job is about, on the disk of this host while the block lasts."""
    place = Path(settings.UPLOAD_DIR)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        path = Path(folder) / "file"
        keeping.bring(job.folder, path)
        yield Source(
            path=path,
            name=job.file_name,
            most_bytes=most_bytes(),
            called=called_in(str(job.options.get("called", ""))),
        )


def discard(folder: str) -> None:
    keeping.discard(folder)
