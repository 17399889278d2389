"""Keep an uploaded file between its check and its import: privately, and not for long."""

import json
import re
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from annotation.readers.records import Source

KEPT_FOR = timedelta(hours=1)
_TOKEN = re.compile(r"[-\w]{32}", re.ASCII)


class NotKept(Exception):
    """There is no such upload for this account in this study, or not any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that waits to be imported, and what was chosen for it."""

    folder: Path
    source: Source
    options: Mapping[str, object]


def most_bytes() -> int:
    return settings.UPLOAD_LIMIT_MB * 2**20


def keep(
    *,
    file: UploadedFile,
    what: str,
    study_id: int,
    user_id: int,
    options: Mapping[str, object],
    at: datetime,
) -> str:
    """Store a file for one account and study; return the token under which it is found."""
    _sweep(at)
    token = secrets.token_urlsafe(24)
    folder = _uploads() / token
    folder.mkdir(mode=0o700)
    with (folder / "file").open("wb") as kept:
        for chunk in file.chunks():
            kept.write(chunk)
    about = {
        "name": file.name,
        "what": what,
        "study": study_id,
        "user": user_id,
        "options": dict(options),
        "at": at.isoformat(),
    }
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")
    return token


def find(*, token: str, what: str, study_id: int, user_id: int, at: datetime) -> Upload:
    """The upload, for the account that made it and within the hour; NotKept otherwise."""
    folder = _uploads() / token
    if not _TOKEN.fullmatch(token) or not (folder / "about.json").is_file():
        raise NotKept
    about = _about(folder)
    if (about["what"], about["study"], about["user"]) != (what, study_id, user_id):
        raise NotKept
    if _is_over(about, at):
        raise NotKept
    source = Source(path=folder / "file", name=about["name"], most_bytes=most_bytes())
    return Upload(folder=folder, source=source, options=about["options"])


def discard(upload: Upload) -> None:
    shutil.rmtree(upload.folder, ignore_errors=True)


def _sweep(at: datetime) -> None:
    """Take out what nobody came back for; a folder without its note is half-written."""
    for folder in _uploads().iterdir():
        if (folder / "about.json").is_file() and _is_over(_about(folder), at):
            shutil.rmtree(folder, ignore_errors=True)


def _uploads() -> Path:
    folder = Path(settings.HOME) / "uploads"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _about(folder: Path) -> dict:
    return json.loads((folder / "about.json").read_text(encoding="utf-8"))


def _is_over(about: Mapping[str, str], at: datetime) -> bool:
    return datetime.fromisoformat(about["at"]) + KEPT_FOR <= at
