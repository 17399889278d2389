"""Whether the services that Concord needs give an answer."""

from django.core.cache import cache
from django.db import DatabaseError, connection
from redis.exceptions import RedisError


def services_away() -> list[str]:
    """The names of the services that give no answer."""
    return [name for name, answers in SERVICES.items() if not answers()]


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _redis_answers() -> bool:
    try:
        cache.get("healthz")
    except (RedisError, OSError):
        return False
    return True


SERVICES = {"database": _database_answers, "redis": _redis_answers}
