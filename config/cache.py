"""Redis as the cache, through one client, and under the server's keys.

What is kept there has names of raters and judges in it; and who could write to it could have any
object made of what is read.
"""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from cryptography.fernet import InvalidToken
from django.core.cache.backends import redis
from redis import Connection, ConnectionPool, Redis
from redis.exceptions import ConnectionError as Away

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


_ALONE_FOR = 2.0  # seconds until Redis is asked again


class ImpatientPool(ConnectionPool):
    """Waits for a silent Redis once, and not again for a while: a page asks it a dozen times."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._alone_until = 0.0

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Connection:
        if time.monotonic() < self._alone_until:
            raise Away("Redis gave no answer a moment ago.")
        return super().get_connection()

    def release(self, connection: Any) -> None:
        if not connection.is_connected:  # whoever asked gave up
            self._alone_until = time.monotonic() + _ALONE_FOR
        super().release(connection)


class OneClient(redis.RedisCacheClient):
    """Keeps each value with its name: moved to another one, it is nothing."""

    def add(self, key: Any, value: Any, timeout: Any) -> bool:
        return super().add(key, _named(key, value), timeout)

    def get(self, key: Any, default: Any) -> Any:
        return _kept(key, super().get(key, None), default)

    def set(self, key: Any, value: Any, timeout: Any) -> None:
        super().set(key, _named(key, value), timeout)

    def get_many(self, keys: Iterable[Any]) -> dict[Any, Any]:
        opened = ((key, _kept(key, value, None)) for key, value in super().get_many(keys).items())
        return {key: value for key, value in opened if value is not None}

    def set_many(self, data: Mapping[Any, Any], timeout: Any) -> None:
        super().set_many({key: _named(key, value) for key, value in data.items()}, timeout)

    def get_client(self, key: object = None, *, write: bool = False) -> Redis:
        """The same client every time: making one takes longer than asking it."""
        return self._client_of_all

    @cached_property
    def _client_of_all(self) -> Redis:
        return super().get_client(write=True)


def _named(name: object, value: Any) -> Any:
    return value if type(value) is int else (name, value)


def _kept(name: object, value: Any, default: Any) -> Any:
    """What was kept under this name; a whole number has none, for Redis counts with it."""
    if type(value) is int:
        return value
    return value[1] if isinstance(value, tuple) and value[:1] == (name,) else default


class RedisCache(redis.RedisCache):
    def __init__(self, server: str, params: dict[str, object]):
        super().__init__(server, params)
        self._class = OneClient

    @property
    def redis(self) -> Redis:
        """The client, for what no cache does."""
        return self._cache.get_client()
