"""The work that happens later, by name."""

import logging

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from annotation.queue import report_mark

log = logging.getLogger(__name__)


def want_part(*, study_id: int, part: str) -> None:
    """Have a part of a study's figures brought up to date, once for many readers.

    The task clears the mark before it reads, so a change during its work queues the next one.
    """
    try:
        if cache.add(report_mark(study_id, part), 1, timeout=30):
            current_app.signature(
                "analytics.tasks.refresh_report", kwargs={"study_id": study_id, "part": part}
            ).apply_async()
    except (RedisError, OperationalError):
        log.warning("Part %s of study %s could not be queued: Redis is away.", part, study_id)


def forget_part(*, study_id: int, part: str) -> None:
    """A change from now on queues the next report."""
    try:
        cache.delete(report_mark(study_id, part))
    except RedisError:
        return


def build_writeup(*, writeup_id: int) -> None:
    """After the commit, have a report written."""
    transaction.on_commit(lambda: _send("build_writeup", writeup_id=writeup_id))


def verify(*, verification_id: int) -> None:
    """After the commit, have figures recomputed with published packages."""
    transaction.on_commit(lambda: _send("verify", verification_id=verification_id))


def _send(task: str, **ids: int) -> None:
    try:
        current_app.signature(f"analytics.tasks.{task}", kwargs=ids).apply_async()
    except (RedisError, OperationalError):
        # The page says that nobody came, and whoever asked asks again.
        log.warning("The task %s could not be queued: Redis is away.", task)
