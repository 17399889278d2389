"""Reports as they were computed: kept, fetched, and brought up to date once for many readers."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.core.cache import cache
from django.db import connection, transaction
from redis.exceptions import RedisError

from analytics import matrices, reports
from analytics.models import Snapshot
from analytics.reports import Report
from annotation.models import Study
from annotation.queue import ratings_changed, report_mark

PATIENCE = 3.0
_LOCK = 7_011


class Kept(NamedTuple):
    """The newest stored revision, and whether no worker had answered to compute it."""

    revision: int | None
    computed_here: bool


def newest(study_id: int) -> dict[bool, Report]:
    """{with off-scale values: report}, both of one revision; empty where none is stored."""
    stored = Snapshot.objects.filter(study=study_id, edition=reports.EDITION)
    return {one.with_off_scale: reports.from_json(one.report) for one in stored}


def newest_revision(study_id: int) -> int | None:
    stored = Snapshot.objects.filter(study=study_id, edition=reports.EDITION, with_off_scale=False)
    return stored.values_list("revision", flat=True).first()


def up_to_date(*, study_id: int, at: datetime) -> dict[bool, Report]:
    """The reports of the study as it is now, computed first where they are behind."""
    refresh(study_id=study_id, at=at)
    return newest(study_id)


def refresh(*, study_id: int, at: datetime, wait: bool = True) -> bool:
    """Bring the stored reports up to date; False where another process is at it already.

    One process computes at a time; the next finds its work done. An older revision never
    replaces a newer one.
    """
    with transaction.atomic():
        if not _lock(study_id, wait=wait):
            return False
        _forget_mark(study_id)
        if not _is_behind(study_id):
            return True
        study = matrices.read(study_id)
        _store(study_id, reports.both_views(study, at=at))
    return True


def keep_fresh(*, study_id: int, revision: int, at: datetime) -> Kept:
    """Have reports that are behind `revision` computed: by a worker, or here if none answers."""
    stored = newest_revision(study_id)
    if stored is not None and stored >= revision:
        return Kept(stored, False)
    if stored is not None and _waiting_for(study_id, stored, at) < PATIENCE:
        ratings_changed(study_id=study_id)
        return Kept(stored, False)
    refresh(study_id=study_id, at=at, wait=stored is None)
    now_stored = newest_revision(study_id)
    return Kept(now_stored, now_stored != stored and stored is not None)


def _is_behind(study_id: int) -> bool:
    revision = Study.objects.values_list("revision", flat=True).get(pk=study_id)
    stored = newest_revision(study_id)
    return stored is None or stored < revision


def _store(study_id: int, made: Iterable[Report]) -> None:
    for report in made:
        fields = {
            "revision": report.revision,
            "edition": report.edition,
            "computed_at": report.computed_at,
            "report": reports.as_json(report),
        }
        view = {"study_id": study_id, "with_off_scale": report.with_off_scale}
        Snapshot.objects.bulk_create([Snapshot(**view, **fields)], ignore_conflicts=True)
        Snapshot.objects.filter(**view, revision__lte=report.revision).update(**fields)


def _lock(study_id: int, *, wait: bool) -> bool:
    with connection.cursor() as cursor:
        if wait:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, study_id])
            return True
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK, study_id])
        return cursor.fetchone()[0]


def _forget_mark(study_id: int) -> None:
    """A change from now on queues the next report."""
    try:
        cache.delete(report_mark(study_id))
    except RedisError:
        return


def _waiting_for(study_id: int, stored: int, at: datetime) -> float:
    """Seconds since a reader first saw the reports behind; no patience without Redis."""
    mark = f"report-behind:{study_id}:{stored}"
    try:
        since = cache.get_or_set(mark, at, timeout=600)
    except RedisError:
        return PATIENCE
    return (at - since).total_seconds()
