"""Keep an uploaded file between its check and its import: privately, and not for long."""

import secrets
import shutil
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from annotation.models import FileJob
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
    """Store a file, a piece at a time, in a new folder; return the folder's name."""
    name = secrets.token_urlsafe(24)
    folder = _uploads() / name
    folder.mkdir(mode=0o700)
    with (folder / "file").open("wb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    return name


def source_of(job: FileJob) -> Source:
    """The uploaded file that a job is about."""
    return Source(
        path=_uploads() / job.folder / "file", name=job.file_name, most_bytes=most_bytes()
    )


def discard(folder: str) -> None:
    shutil.rmtree(_uploads() / folder, ignore_errors=True)


def _uploads() -> Path:
    folder = Path(settings.UPLOAD_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
