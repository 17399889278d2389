"""The work that happens later, by name: tasks of higher apps are named here, never imported."""

import logging
import time

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

_NOBODY_FOR = 0.2  # seconds; a page that is opened meanwhile asks for its figures itself
_nobody_until: dict[int, float] = {}  # {study: when to look again}, once a process
_OF_KIND = {
    "export": "analytics.tasks.build_export",
    "report": "analytics.tasks.build_writeup",
    "verification": "analytics.tasks.verify",
}
_OF_WHAT = {"answers": "judging.tasks.bring_answers"}


def ratings_changed(*, study_id: int) -> None:
    """After the commit, have a report that somebody looks at brought up to date, once for many
    changes. Others wait for the scheduler, or for their next reader.

    The task clears the mark before it reads, so a change during its work queues the next one.
    """
    transaction.on_commit(lambda: _queue_report(study_id))


def report_on_round(*, round_id: int) -> None:
    """After the commit, have the agreement of a closed round computed."""
    transaction.on_commit(lambda: _queue_round_report(round_id))


def work_on_file(*, job_id: int, kind: str, what: str) -> None:
    """After the commit, have a worker check, import or build a file, or make what all read."""
    transaction.on_commit(lambda: _queue_file_job(job_id, kind, what))


def report_mark(study_id: int, part: str = "glance") -> str:
    return f"report-queued:{study_id}:{part}"


def watch_mark(study_id: int) -> str:
    """There while somebody looks at figures of the study and has seen them change."""
    return f"report-watched:{study_id}"


def _queue_report(study_id: int) -> None:
    try:
        if _somebody_looks(study_id) and cache.add(report_mark(study_id), 1, timeout=30):
            current_app.signature(
                "analytics.tasks.refresh_report", kwargs={"study_id": study_id}
            ).apply_async()
    except (RedisError, OperationalError):
        # People go on rating without Redis; the report catches up with the next change.
        log.warning("The report of study %s could not be queued: Redis is away.", study_id)


def _somebody_looks(study_id: int) -> bool:
    """Asked of Redis a few times a second, however often people submit."""
    now = time.monotonic()
    if now < _nobody_until.get(study_id, now):
        return False
    if cache.get(watch_mark(study_id)):
        return True
    _nobody_until[study_id] = now + _NOBODY_FOR
    return False


def _queue_round_report(round_id: int) -> None:
    try:
        current_app.signature(
            "analytics.tasks.report_on_round", kwargs={"round_id": round_id}
        ).apply_async()
    except (RedisError, OperationalError):
        log.warning("The agreement of round %s could not be queued: Redis is away.", round_id)


def _queue_file_job(job_id: int, kind: str, what: str) -> None:
    task = _OF_KIND.get(kind) or _OF_WHAT.get(what) or "annotation.tasks.work_on_file"
    try:
        current_app.signature(task, kwargs={"job_id": job_id}).apply_async()
    except (RedisError, OperationalError):
        # The job is in the database: the scheduler finds it once Redis is back.
        log.warning("File job %s could not be queued: Redis is away.", job_id)
