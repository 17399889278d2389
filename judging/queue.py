"""The work that happens later, by name, and what workers let others know of themselves."""

import logging
from collections.abc import Mapping
from typing import Any

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

OF_RUNS = "judges"
_PACE_HOLDS = 30  # seconds


def work_on_run(*, run_id: int) -> None:
    """After the commit, have a worker make the calls of a run."""
    transaction.on_commit(lambda: _queue_work(run_id))


def note_pace(*, run_id: int, pace: Mapping[str, int]) -> None:
    """Let others see how a run is doing against its endpoint."""
    _remember(_pace_of(run_id), dict(pace), _PACE_HOLDS)


def pace_of(run_id: int) -> Mapping[str, int] | None:
    """What a worker last said of a run's pace; None where none works on it."""
    pace: Mapping[str, int] | None = _remembered(_pace_of(run_id))
    return pace


def _pace_of(run_id: int) -> str:
    return f"judging-pace:{run_id}"


def _queue_work(run_id: int) -> None:
    try:
        current_app.signature("judging.tasks.work_on_run", kwargs={"run_id": run_id}).apply_async()
    except (RedisError, OperationalError):
        # The run is in the database: the scheduler finds it once Redis is back.
        log.warning("Run %s could not be queued: Redis is away.", run_id)


def _remember(key: str, value: Any, seconds: int) -> None:
    try:
        cache.set(key, value, timeout=seconds)
    except RedisError:
        log.warning("Redis is away.")


def _remembered(key: str) -> Any:
    try:
        return cache.get(key)
    except RedisError:
        return None
