"""Keep an uploaded file between its check and its import: privately, and not for long."""

import secrets
import shutil
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.models import FileJob
from annotation.readers.records import Source


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
