"""What `make run` starts and a measurement kills with SIGKILL; whoever looks after it starts it anew."""

import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import redis
from django.conf import settings
from django.db import connection

from bench import processes
from bench.running import Running


class Victims:
    """The processes of one Concord, and where PostgreSQL keeps its data."""

    def __init__(self, concord: Running) -> None:
        self._concord = concord
        with connection.cursor() as cursor:
            cursor.execute("SHOW data_directory")
            (directory,) = cursor.fetchone()
        self._data = Path(directory)
        self._kill: Mapping[str, Callable[[], None]] = {
            "web": self._web,
            "postgresql": self._postgresql,
            "redis": self._redis,
        }

    def kill(self, name: str) -> None:
        """Every process of the web server at once; of PostgreSQL the one that started the others."""
        self._kill[name]()

    def _web(self) -> None:
        os.killpg(processes.by_log(self._concord.roots["Concord"])["web"], signal.SIGKILL)

    def _postgresql(self) -> None:
        connection.close()  # ours would be the last one to know
        os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def _redis(self) -> None:
        broker = redis.Redis.from_url(settings.REDIS_URL)
        os.kill(broker.info("server")["process_id"], signal.SIGKILL)
