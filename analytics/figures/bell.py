"""A bell for each study, which rings in every web process when figures of it are new.

Redis passes it on. Whoever waits for it waits for so long at most, for what rang while Redis was
away was heard by nobody.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Lock, Thread
from typing import Any

from django.conf import settings
from django.core.cache import caches
from redis import Redis
from redis.exceptions import RedisError

log = logging.getLogger(__name__)

_NEXT_TRY = 1.0  # seconds
_LOOKS_FOR = 5.0  # seconds after which a connection that was silent is asked whether it stands
_UNANSWERED = 2  # such questions, after which nobody is there


def ring(study_id: int) -> None:
    """Figures of a study are new."""
    kept: Any = caches["default"]  # whose client knows whether Redis is silent
    with suppress(RedisError):
        kept.redis.publish(_channel(_redis()), study_id)


@cache
def _redis() -> Redis:
    """For who listens."""
    return Redis.from_url(settings.REDIS_URL, health_check_interval=_LOOKS_FOR)


def _channel(redis: Redis) -> str:
    """One a database: what Redis passes on it passes to all of them."""
    return f"figures:{redis.connection_pool.connection_kwargs.get('db', 0)}"


class Bells:
    """The bells of all studies, as one process hears them.

    `told` is called from another thread: with a study whose bell rang, or with None for all of
    them, where it is not known which did.
    """

    def __init__(self, told: Callable[[int | None], None]) -> None:
        self._told = told
        self._n_rung = 0
        self._last: dict[int | None, int] = {}
        self._are_heard = False
        self._listener: Thread | None = None
        self._lock = Lock()

    def are_heard(self) -> bool:
        """Whether a bell would be heard that rings now; who asks first has somebody listen."""
        with self._lock:
            if self._listener is None:
                self._listener = Thread(target=self._listen, name="bells", daemon=True)
                self._listener.start()
        return self._are_heard

    def now(self) -> int:
        """A moment that `has_rung` understands."""
        return self._n_rung

    def has_rung(self, study_id: int, *, since: int) -> bool:
        return max(self._last.get(study_id, 0), self._last.get(None, 0)) > since

    def _listen(self) -> None:
        while True:
            with suppress(RedisError):
                self._hear()
            if self._are_heard:
                log.warning("Redis is away: pages ask for newer figures twice a second.")
            self._are_heard = False
            self._rang(None)
            time.sleep(_NEXT_TRY)

    def _hear(self) -> None:
        redis = _redis()
        with redis.pubsub() as heard:  # type: ignore[no-untyped-call]  # redis-py's
            heard.subscribe(_channel(redis))
            while heard.health_check_response_counter < _UNANSWERED:
                message = heard.get_message(timeout=_LOOKS_FOR)
                if message is None:
                    continue
                self._rang(int(message["data"]) if message["type"] == "message" else None)
                self._are_heard = True

    def _rang(self, study_id: int | None) -> None:
        self._n_rung += 1
        self._last[study_id] = self._n_rung
        self._told(study_id)
