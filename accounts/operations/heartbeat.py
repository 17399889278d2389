"""Which workers are there: each says so every two seconds, and who would wait for one looks."""

from typing import Any

from celery.signals import heartbeat_sent
from django.core.cache import cache
from redis.exceptions import RedisError

HOLDS_FOR = 10  # seconds: a worker that was silent for so long is gone


def listen() -> None:
    """In a worker, have each of its heartbeats noted."""
    heartbeat_sent.connect(note)


def note(sender: Any, **_: object) -> None:
    """The worker on a queue lives; its name begins with that of the queue."""
    queue, _at, _host = sender.eventer.hostname.partition("@")
    try:
        cache.set(_mark(queue), 1, timeout=HOLDS_FOR)
    except RedisError:
        return  # nor can anybody give it work


def is_there(queue: str) -> bool:
    """Whether a worker on this queue has lately said that it lives."""
    try:
        return cache.get(_mark(queue)) is not None
    except RedisError:
        return False


def _mark(queue: str) -> str:
    return f"worker:{queue}"
