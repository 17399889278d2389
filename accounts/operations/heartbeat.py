"""Which workers are there: each says so every two seconds, and who would wait for one looks."""

from datetime import UTC, datetime, timedelta

from celery import current_app
from celery.signals import heartbeat_sent
from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

HOLDS_FOR = timedelta(seconds=10)  # a worker that was silent for so long is gone
_MICROSECONDS = 1_000_000  # a second
_REMEMBERED = 3600  # seconds


def listen() -> None:
    """In a worker, have each of its heartbeats noted."""
    heartbeat_sent.connect(note)


def note(**_signal: object) -> None:
    """A worker on these queues lives."""
    # A whole number: what is not would be encrypted, for which much is loaded that others share.
    now = round(_MICROSECONDS * timezone.now().timestamp())
    marks = {_mark(queue_of(line)): now for line in current_app.amqp.queues.consume_from}
    try:
        cache.set_many(marks, timeout=_REMEMBERED)
    except RedisError:
        return  # nor can anybody give it work


def seen_at(queue: str) -> datetime | None:
    """When a worker on this queue last said that it lives; None where none did within the hour, or
    Redis is away."""
    try:
        seen: int | None = cache.get(_mark(queue))
    except RedisError:
        return None
    return None if seen is None else datetime.fromtimestamp(seen / _MICROSECONDS, UTC)


def is_there(queue: str) -> bool:
    """Whether a worker on this queue has lately said that it lives."""
    seen = seen_at(queue)
    return seen is not None and timezone.now() - seen < HOLDS_FOR


def queue_of(line: str) -> str:
    """The queue that a list in Redis belongs to: each of its lanes has its name, and a number."""
    return line.partition(":")[0]


def _mark(queue: str) -> str:
    return f"worker-seen:{queue}"
