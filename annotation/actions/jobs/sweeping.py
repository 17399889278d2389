"""Forget jobs of files that ended a while ago, and remove what is kept for nobody."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Q

from annotation.models import FileJob, FilePiece
from annotation.models.jobs import UNDER_WAY

KEPT_FOR = timedelta(hours=1)


def sweep(*, at: datetime) -> None:
    """Remove jobs and files an hour after their end; a file that no job names ages as well."""
    over = FileJob.objects.filter(finished_at__lt=at - KEPT_FOR)
    over.exclude(Q(followed_by__state__in=UNDER_WAY)).delete()
    # A moment ago it may have been made for a job that is not written down yet.
    named = FileJob.objects.exclude(folder="").values("folder")
    FilePiece.objects.filter(kept_at__lt=at - KEPT_FOR).exclude(folder__in=named).delete()
    sweep_disk(at=at)


def sweep_disk(*, at: datetime) -> None:
    """Remove what a worker that was killed has left on the disk of this host."""
    for place in (settings.UPLOAD_DIR, settings.EXPORT_DIR):
        for left in Path(place).glob("*"):
            if at.timestamp() - left.stat().st_mtime > KEPT_FOR.total_seconds():
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()
