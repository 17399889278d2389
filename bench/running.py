"""All that `make run` starts, on the scratch database."""

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import redis
from django.conf import settings
from django.db import connection

from accounts.operations import heartbeat
from analytics.agreement import backlog
from bench import processes
from config.launch import instance, supervise
from config.launch.instance import Instance
from judging import queue
from judging.models import JudgeRun, RunState

PATIENCE = 180.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One whole Concord: where it answers, and its processes by name."""

    port: int
    roots: Mapping[str, int]

    def used(self) -> dict[str, float]:
        """{name: processor seconds so far}."""
        return processes.seconds_of(self.roots)


@contextlib.contextmanager
def running(*, llm: str | None = None) -> Iterator[Running]:
    """Start everything as `make run` does, demo included, and wait until it has come to rest.

    `llm`: the address of an endpoint in the place of the demo's own.
    """
    home = Path(os.environ["CONCORD_HOME"])
    port = instance.free_port(wish=0)
    with instance.only_one(home, port):
        broker = redis.Redis.from_url(settings.REDIS_URL)
        broker.flushall()  # what an interrupted measurement left behind
        env = os.environ | {"DATABASE_URL": database_url()}
        if llm:
            env |= {"CONCORD_LLM_BASE_URL": llm, "CONCORD_LLM_API_KEY": "stand-in"}
        concord = Instance(home=home, port=port, env=env)
        try:
            concord.start()
            settings.LLM_BASE_URL = concord.env["CONCORD_LLM_BASE_URL"]
            wait_until(_is_at_rest)
            roots = {child.name: child.process.pid for child in concord.children}
            roots |= processes.by_log(roots["Concord"])
            services = {"PostgreSQL": postmaster(), "Redis": broker.info("server")["process_id"]}
            yield Running(port=port, roots=roots | services)
            supervise.check(concord.children)
        finally:
            supervise.stop(concord.children)


def database_url() -> str:
    """The address of the scratch database, for processes that a measurement starts."""
    name = connection.settings_dict["NAME"]
    return re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", os.environ["DATABASE_URL"], count=1)


def postmaster() -> int:
    """The process of PostgreSQL that starts the others."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW data_directory")
        (directory,) = cursor.fetchone()
    return int((Path(directory) / "postmaster.pid").read_text().split()[0])


def wait_until(is_so: Callable[[], bool], *, patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError(f"Not so after {patience:.0f} seconds: {is_so.__name__}.")
        time.sleep(0.2)


def _is_at_rest() -> bool:
    """Workers are there, and have done what the demo leaves to them."""
    return (
        heartbeat.seen_at(queue.OF_RUNS) is not None
        and not JudgeRun.objects.filter(state=RunState.RUNNING).exists()
        and not backlog.studies_behind()
    )
