"""What a run needs dies under it: Redis, its worker, the database. Each verdict is there once."""

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.db import connection

from config import environment
from config.celery import app
from config.launch import services
from judging.tasks import wake_runs
from tests.judging.test_worker import (
    ITEMS,
    assert_each_call_was_answered_once,
    held_up,
    is_finished,
    is_in_the_middle,
    n_done,
    n_in_hand,
    some_items,
    start,
    stats_of,
)
from tests.services import wait_until

__all__ = ["held_up", "some_items"]
CONCURRENCY = 8
REPEATS = 2
EVERY = app.conf.beat_schedule["wake-runs"]["schedule"]  # seconds
LATENCY = 150  # milliseconds: the run is under way while what it needs dies and comes back
END_ALL_SESSIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class MortalRedis:
    """A Redis of this test alone, which nobody else misses."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.sockets = Path(tempfile.mkdtemp())  # the path of a socket may not be long
        # The settings of tests number the database: worker and test have to mean the same one.
        number = int(settings.WORKER.removeprefix("gw"))
        self.url = environment.redis_database(f"unix://{self.sockets}/redis.sock", number)
        self.child = None
        (home / "log").mkdir(parents=True)

    def start(self) -> None:
        with (self.home / "lock").open("a") as lock:
            self.child = services.start_redis(self.home, self.sockets, lock.fileno())
        wait_until(self.answers, what="Redis")

    def answers(self) -> bool:
        try:
            return bool(self.client().ping())
        except redis.RedisError:
            return False

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)

    def kill(self) -> None:
        """kill -9, and all that it knew is gone."""
        os.killpg(self.child.process.pid, signal.SIGKILL)
        self.child.process.wait()
        shutil.rmtree(self.home / "redis")

    def wake_runs(self) -> None:
        """As the scheduler does."""
        with app.connection_for_write(url=environment.broker(self.url)) as broker:
            wake_runs.apply_async(connection=broker)

    def wait_with_scheduler(self, is_so, *, what: str = "") -> None:
        """A stint that ends while Redis is away is taken up again by the scheduler, which knocks
        as often as it is set to."""
        knocked = [time.monotonic()]

        def is_so_or_knock():
            if time.monotonic() - knocked[0] > EVERY:
                self.wake_runs()
                knocked[0] = time.monotonic()
            return is_so()

        wait_until(is_so_or_knock, what=what)


@pytest.fixture
def mortal_redis(tmp_path):
    one = MortalRedis(tmp_path / "redis")
    one.start()
    yield one
    if one.child.process.poll() is None:
        one.kill()
    shutil.rmtree(one.sockets)


def n_more(run, count):
    """Whether so many more calls are done than now, or all."""
    wanted = min(n_done(run) + count, ITEMS * REPEATS)
    return lambda: n_done(run) >= wanted


def n_permits(mortal_redis):
    """Requests that count as under way for all workers together."""
    client = mortal_redis.client()
    return sum(client.zcard(key) for key in client.scan_iter("concord:llm:*:held"))


def n_paid_twice(base_url):
    return stats_of(base_url)["ok"] - ITEMS * REPEATS


def test_redis_killed_and_emptied_costs_no_verdict_and_no_worker(
    some_items, start_replay, start_worker, flat_and_plain, mortal_redis
):
    base_url = start_replay(latency_ms=LATENCY)
    run = start(some_items, flat_and_plain(base_url), repeats=REPEATS, concurrency=CONCURRENCY)
    worker = start_worker(CONCORD_LLM_BASE_URL=base_url, REDIS_URL=mortal_redis.url)
    wait_until(n_more(run, 40))

    mortal_redis.kill()
    wait_until(n_more(run, 60), what="a run that goes on without Redis")
    mortal_redis.start()
    mortal_redis.wait_with_scheduler(n_more(run, 60), what="a run that goes on with an empty Redis")
    mortal_redis.client().flushall()
    mortal_redis.wait_with_scheduler(is_finished(run))

    assert set(stats_of(base_url)["per_item"].values()) == {REPEATS}  # nothing is paid for twice
    assert_each_call_was_answered_once(run, items=ITEMS, repeats=REPEATS)
    assert worker.popen.poll() is None
    following = start(some_items, flat_and_plain(base_url, max_tokens=11))
    mortal_redis.wait_with_scheduler(is_finished(following), what="the same worker at its next run")
    assert_each_call_was_answered_once(following, items=ITEMS, repeats=1)


def test_redis_and_worker_killed_together_cost_what_was_in_hand(
    some_items, start_replay, start_worker, flat_and_plain, mortal_redis
):
    base_url = start_replay(latency_ms=LATENCY)
    run = start(some_items, flat_and_plain(base_url), repeats=REPEATS, concurrency=CONCURRENCY)
    n_lost = 0
    for _ in range(2):
        worker = start_worker(CONCORD_LLM_BASE_URL=base_url, REDIS_URL=mortal_redis.url)
        wait_until(n_more(run, 40))
        mortal_redis.kill()
        worker.kill()
        n_lost += n_in_hand(run)
        mortal_redis.start()
    assert n_done(run) < ITEMS * REPEATS

    start_worker(CONCORD_LLM_BASE_URL=base_url, REDIS_URL=mortal_redis.url)
    mortal_redis.wait_with_scheduler(is_finished(run))

    assert_each_call_was_answered_once(run, items=ITEMS, repeats=REPEATS)
    assert 0 <= n_paid_twice(base_url) <= n_lost


def test_a_killed_worker_keeps_nothing_of_the_limit_from_the_next(
    some_items, held_up, start_worker, flat_and_plain, mortal_redis
):
    """What it had under way counts no more, or the next one would wait until that lapses."""
    base_url = held_up.base_url
    run = start(some_items, flat_and_plain(base_url), repeats=REPEATS, concurrency=CONCURRENCY)
    worker = start_worker(CONCORD_LLM_BASE_URL=base_url, REDIS_URL=mortal_redis.url)
    wait_until(is_in_the_middle(run, held_up))
    wait_until(lambda: n_permits(mortal_redis) == CONCURRENCY, what="as many as are allowed")
    worker.kill()
    assert n_permits(mortal_redis) == CONCURRENCY

    held_up.may_go.set()
    start_worker(CONCORD_LLM_BASE_URL=base_url, REDIS_URL=mortal_redis.url)
    mortal_redis.wait_with_scheduler(n_more(run, 30), what="the next worker")
    assert n_permits(mortal_redis) <= CONCURRENCY
    mortal_redis.wait_with_scheduler(is_finished(run))

    assert_each_call_was_answered_once(run, items=ITEMS, repeats=REPEATS)


def test_a_database_that_ends_all_sessions_costs_what_was_in_hand(
    some_items, start_replay, start_worker, flat_and_plain, mortal_redis
):
    """As PostgreSQL does that is restarted; the server itself is that of other tests as well."""
    base_url = start_replay(latency_ms=LATENCY)
    run = start(some_items, flat_and_plain(base_url), repeats=REPEATS, concurrency=CONCURRENCY)
    worker = start_worker(CONCORD_LLM_BASE_URL=base_url, REDIS_URL=mortal_redis.url)
    n_lost = 0
    for _ in range(2):
        mortal_redis.wait_with_scheduler(n_more(run, 40))
        with connection.cursor() as cursor:
            cursor.execute(END_ALL_SESSIONS)
        n_lost += n_in_hand(run)
    mortal_redis.wait_with_scheduler(is_finished(run))

    assert worker.popen.poll() is None
    assert_each_call_was_answered_once(run, items=ITEMS, repeats=REPEATS)
    assert 0 <= n_paid_twice(base_url) <= n_lost
