"""What a request is told whose figures nobody has made yet, and how long its reader has waited."""

from datetime import datetime

from django.core.cache import cache
from redis.exceptions import RedisError

_COMES_ANEW = 60  # seconds after which somebody who asks has not waited since


class FiguresOnTheWay(Exception):
    """A worker was asked for figures, by somebody who has `waited` so many seconds."""

    def __init__(self, waited: float) -> None:
        super().__init__(waited)
        self.waited = waited


def seconds_since_asked(mark: str, *, at: datetime) -> float:
    """Since a reader first asked for what the mark names; without Redis nobody will come."""
    try:
        since: datetime = cache.get_or_set(mark, at, timeout=_COMES_ANEW) or at
        cache.touch(mark, _COMES_ANEW)
    except RedisError:
        return float(_COMES_ANEW)
    return (at - since).total_seconds()
