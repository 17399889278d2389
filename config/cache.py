"""Redis as the cache, through one client."""

from functools import cached_property

from django.core.cache.backends import redis
from redis import Redis


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
