"""Redis as the cache, through one client, and under the server's keys.

What is kept there has names of raters and judges in it; and who could write to it could have any
object made of what is read.
"""

from contextlib import suppress
from functools import cached_property
from typing import Any

from cryptography.fernet import InvalidToken
from django.core.cache.backends import redis
from redis import Redis

from accounts import ciphers


class Sealed(redis.RedisSerializer):
    """Whole numbers as they are, for Redis counts with them; all else encrypted."""

    def dumps(self, obj: Any) -> Any:
        if type(obj) is int:
            return obj
        return ciphers.of_cache().encrypt(super().dumps(obj))

    def loads(self, data: Any) -> Any:
        """What was kept; None where that was under a key that is no longer known, or not by us."""
        with suppress(ValueError):
            return int(data)
        try:
            return super().loads(ciphers.of_cache().decrypt(data))
        except InvalidToken:
            return None


class OneClient(redis.RedisCacheClient):
    def get_client(self, key: object = None, *, write: bool = False) -> Redis:
        """The same client every time: making one takes longer than asking it."""
        return self._client_of_all

    @cached_property
    def _client_of_all(self) -> Redis:
        return super().get_client(write=True)


class RedisCache(redis.RedisCache):
    def __init__(self, server: str, params: dict[str, object]):
        super().__init__(server, params)
        self._class = OneClient
