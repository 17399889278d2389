"""Forget jobs of files that ended a while ago, and remove what lies on disk for nobody."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Q

from annotation.models import FileJob
from annotation.models.jobs import UNDER_WAY

KEPT_FOR = timedelta(hours=1)


def sweep(*, at: datetime) -> None:
    """Remove jobs and files an hour after their end; a folder that no job names ages as well."""
    over = FileJob.objects.filter(finished_at__lt=at - KEPT_FOR)
    over.exclude(Q(followed_by__state__in=UNDER_WAY)).delete()
    named = set(FileJob.objects.exclude(folder="").values_list("folder", flat=True))
    for place in (settings.UPLOAD_DIR, settings.EXPORT_DIR):
        for left in Path(place).glob("*"):
            if left.name not in named and _is_old(left, at):
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()


def _is_old(left: Path, at: datetime) -> bool:
    """A moment ago it may have been made for a job that is not written down yet."""
    return at.timestamp() - left.stat().st_mtime > KEPT_FOR.total_seconds()
