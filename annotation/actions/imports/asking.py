"""Have a worker look at an uploaded file, and import it once it was looked at."""

from collections.abc import Mapping
from datetime import datetime

from django.core.files.uploadedfile import UploadedFile

from accounts.models import User
from annotation.actions.imports import uploads
from annotation.actions.jobs import moves
from annotation.models import FileJob, JobKind
from annotation.rubric.sentences import sentence
from annotation.rules.lifecycle import JobState

NOTHING_TO_IMPORT = sentence("There is no file here that was checked and waits to be imported.")


class NotChecked(Exception):
    """There is no check to import from: it found that the file cannot be read, or has not ended."""


def ask_for_check(
    *,
    study_id: int,
    what: str,
    file: "UploadedFile[bytes]",
    options: Mapping[str, object],
    by: User,
    at: datetime,
) -> FileJob:
    """Keep an uploaded file, unread, and have a worker say what it comes to."""
    return moves.ask(
        study_id=study_id,
        kind=JobKind.CHECK,
        what=what,
        file_name=file.name or "",
        folder=uploads.keep(file),
        options=options,
        by=by,
        at=at,
    )


def ask_for_import(
    *,
    check: FileJob,
    skip_bad: bool,
    by: User,
    at: datetime,
    identifiers: Mapping[str, object] | None = None,
) -> FileJob:
    """Have a worker import a file that was checked, once, however often this is asked.

    `identifiers` says what is to become of those that the check has found.
    """
    if check.kind != JobKind.CHECK or check.state != JobState.DONE:
        raise NotChecked(NOTHING_TO_IMPORT)
    try:
        return moves.ask(
            study_id=check.study_id,
            kind=JobKind.IMPORT,
            what=check.what,
            file_name=check.file_name,
            folder=check.folder,
            options=check.options
            | {"skip_bad": skip_bad}
            | ({"identifiers": identifiers} if identifiers else {}),
            follows=check,
            by=by,
            at=at,
        )
    except moves.AskedAlready as same:
        return FileJob.objects.get(pk=same.job_id)
