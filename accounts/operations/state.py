"""What a server is doing: its queues and workers, its disk, its last backup and checkpoint."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from kombu.transport.redis import Channel
from redis import Redis
from redis.exceptions import RedisError

from accounts.models import Event, Seal, Unsealed
from accounts.operations import heartbeat
from accounts.queries import services

PING_WITHIN = 0.5  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerQueue:
    """A line of work: how much waits in it, and who works on it."""

    name: str
    waiting: int
    workers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """What there is to know of a server at one moment; times are None for what never happened, and
    all that the database knows is None while that is away."""

    away: tuple[str, ...]
    queues: tuple[ServerQueue, ...]
    disk_free: int
    disk_size: int
    database_bytes: int | None = None
    backed_up_at: datetime | None = None
    checkpoint: int | None = None
    sealed_at: datetime | None = None
    unsealed: int | None = None

    @property
    def without_workers(self) -> tuple[str, ...]:
        """Queues in which nobody works."""
        return tuple(queue.name for queue in self.queues if not queue.workers)


def state() -> ServerState:
    """Ask everything; workers have half a second to answer."""
    away = services.services_away()
    home = next(folder for folder in (settings.HOME, *settings.HOME.parents) if folder.is_dir())
    disk = shutil.disk_usage(home)
    return ServerState(
        away=tuple(away),
        queues=_queues(),
        disk_free=disk.free,
        disk_size=disk.total,
        **({} if "database" in away else _of_database()),
    )


def reasons_not_ready() -> list[str]:
    """What is missing before this server can be sent anybody."""
    if away := services.services_away():
        return [f"away: {', '.join(away)}"]
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return ["the tables are not migrated"]
    return []


def _queues() -> tuple[ServerQueue, ...]:
    """Every line that there is, as Redis and the workers tell it; nobody, where Redis is away."""
    lines: dict[str, list[str]] = {}
    for one in current_app.conf.task_queues or ():
        lines.setdefault(heartbeat.queue_of(one.name), []).append(one.name)
    try:
        with Redis.from_url(settings.REDIS_URL) as redis:
            waiting = {name: _waiting(redis, those) for name, those in lines.items()}
        workers = _workers()
    except (RedisError, OSError):
        waiting, workers = dict.fromkeys(lines, 0), {}
    return tuple(
        ServerQueue(name=name, waiting=waiting[name], workers=workers.get(name, ()))
        for name in lines
    )


def _waiting(redis: Redis, lines: Sequence[str]) -> int:
    """In Redis each is a list for each priority; that of the first has no other name."""
    steps = ("", *(f"{Channel.sep}{step}" for step in Channel.priority_steps if step))
    with redis.pipeline() as asked:
        for line in lines:
            for step in steps:
                asked.llen(line + step)
        return sum(asked.execute())


def _workers() -> Mapping[str, tuple[str, ...]]:
    """{queue: workers that answer}; a worker is named for its queue."""
    answers = current_app.control.ping(timeout=PING_WITHIN) or []
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(name for answer in answers for name in answer):
        queue = name.partition("@")[0]
        found[queue] = (*found.get(queue, ()), name)
    return found


def _of_database() -> dict[str, Any]:
    last = Seal.objects.order_by("-sequence").values_list("sequence", "sealed_at").first()
    sequence, sealed_at = last or (0, None)
    return {
        "database_bytes": _database_bytes(),
        "backed_up_at": _last("server.backed_up"),
        "checkpoint": sequence,
        "sealed_at": sealed_at,
        "unsealed": Unsealed.objects.count(),
    }


def _database_bytes() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone() or (0,)
    return int(size)


def _last(verb: str) -> datetime | None:
    return Event.objects.filter(verb=verb).order_by("-pk").values_list("at", flat=True).first()
