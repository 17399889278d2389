"""Reports as they were computed: kept, fetched, and brought up to date once for many readers."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db import connection, transaction
from redis.exceptions import RedisError

from analytics import matrices, packed, queue
from analytics.matrices import PLAIN, VIEWS, View
from analytics.models import Snapshot
from analytics.reports.part import Part, R
from annotation.models import Study

PATIENCE = 3.0
_SAME_AS = "same_as"


class Kept(NamedTuple):
    """The newest stored revision, and whether no worker had answered to compute it."""

    revision: int | None
    computed_here: bool


def newest(study_id: int, part: Part[R], *views: View) -> dict[View, R]:
    """{view: report}, all of one revision, of these views or all; empty where none is stored."""
    wanted = views or VIEWS
    stored = {
        View(with_off_scale=one.with_off_scale, with_quarantined=one.with_quarantined): one
        for one in Snapshot.objects.filter(
            study=study_id,
            part=part.key,
            edition=part.edition,
            with_off_scale__in={False, *(view.with_off_scale for view in wanted)},
            with_quarantined__in={False, *(view.with_quarantined for view in wanted)},
        )
    }
    found: dict[View, R] = {}
    for view in wanted:
        if view in stored:
            told = stored[view].report
            same = View(**told[_SAME_AS]) if _SAME_AS in told else view
            if same not in found:
                found[same] = part.from_json(stored[same].report)
            found[view] = replace(found[same], view=view)
    return {view: found[view] for view in wanted if view in found}


def newest_revision(study_id: int, part: Part) -> int | None:
    stored = Snapshot.objects.filter(
        study=study_id, part=part.key, edition=part.edition, **_columns(PLAIN)
    )
    return stored.values_list("revision", flat=True).first()


def up_to_date(*, study_id: int, part: Part[R], at: datetime) -> dict[View, R]:
    """The reports of the study as it is now, computed first where they are behind."""
    refresh(study_id=study_id, part=part, at=at)
    return newest(study_id, part)


def refresh(*, study_id: int, part: Part, at: datetime, wait: bool = True) -> bool:
    """Bring a stored part up to date; False where another process is at it already.

    One process computes at a time; the next finds its work done. An older revision never
    replaces a newer one.
    """
    with transaction.atomic():
        if not _lock(study_id, part, wait=wait):
            return False
        queue.forget_part(study_id=study_id, part=part.key)
        if not _is_behind(study_id, part):
            return True
        packed.fold_if_long(study_id)
        study = matrices.read(study_id)
        for view in VIEWS:
            effective = study.effective(view)
            if effective == view:
                plain = part.as_json(part.make(study, view=view, at=at))
            else:
                plain = {_SAME_AS: asdict(effective)}
            _store(study_id, study.revision, part, view, plain, at=at)
    return True


def keep_fresh(*, study_id: int, part: Part, revision: int, at: datetime) -> Kept:
    """Have a part that is behind `revision` computed: by a worker, or here if none answers."""
    stored = newest_revision(study_id, part)
    if stored is not None and stored >= revision:
        return Kept(stored, False)
    if stored is not None and _waiting_for(study_id, part, stored, at) < PATIENCE:
        queue.want_part(study_id=study_id, part=part.key)
        return Kept(stored, False)
    refresh(study_id=study_id, part=part, at=at, wait=stored is None)
    now_stored = newest_revision(study_id, part)
    return Kept(now_stored, now_stored != stored and stored is not None)


def _is_behind(study_id: int, part: Part) -> bool:
    revision = Study.objects.values_list("revision", flat=True).get(pk=study_id)
    stored = newest_revision(study_id, part)
    return stored is None or stored < revision


def _store(
    study_id: int, revision: int, part: Part, view: View, plain: dict[str, Any], *, at: datetime
) -> None:
    fields = {"revision": revision, "edition": part.edition, "computed_at": at, "report": plain}
    place = {"study_id": study_id, "part": part.key, **_columns(view)}
    older = Snapshot.objects.filter(**place)
    if not older.filter(revision__lte=revision).update(**fields):
        Snapshot.objects.bulk_create([Snapshot(**place, **fields)], ignore_conflicts=True)


def _columns(view: View) -> dict[str, bool]:
    return {"with_off_scale": view.with_off_scale, "with_quarantined": view.with_quarantined}


def _lock(study_id: int, part: Part, *, wait: bool) -> bool:
    asked = [f"report {part.key}", study_id]
    with connection.cursor() as cursor:
        if wait:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s), %s)", asked)
            return True
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext(%s), %s)", asked)
        return cursor.fetchone()[0]


def _waiting_for(study_id: int, part: Part, stored: int, at: datetime) -> float:
    """Seconds since a reader first saw the part behind; no patience without Redis."""
    mark = f"report-behind:{study_id}:{part.key}:{stored}"
    try:
        since = cache.get_or_set(mark, at, timeout=600)
    except RedisError:
        return PATIENCE
    return (at - since).total_seconds()
