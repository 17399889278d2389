"""Real processes for tests: a Celery worker on the test's database, and any server on loopback."""

import contextlib
import http.client
import importlib
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from functools import partial
from importlib import import_module
from multiprocessing import forkserver, set_forkserver_preload
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Barrier, Thread
from typing import TypeVar
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.db import connection, connections, transaction
from django.test.signals import clear_cache_handlers

from accounts.tasks import deliver
from config.celery import app
from config.launch.supervise import end_with_parent

ROOT = Path(__file__).resolve().parent.parent
START_WITHIN = 120.0  # seconds: the machine may be busy with other tests
LONGEST = 180.0  # seconds that anything is waited for
T = TypeVar("T")


def wait_until(is_so: Callable[[], object], *, seconds: float = LONGEST, what: str = "") -> None:
    """Return as soon as it is so; fail if that takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what or is_so}"
        time.sleep(0.05)


def beside(work: Callable[[], T]) -> Future[T]:
    """Have it done in a thread of its own, with connections of its own, which are closed when
    `came_of` tells what came of it."""
    future: Future[T] = Future()
    came: list[T] = []

    def tell(_kind: object, problem: BaseException | None, _where: object) -> bool:
        if problem is None:
            future.set_result(came[0])
        else:
            future.set_exception(problem)
        return True  # whoever asks what came of it raises it

    def run() -> None:
        with contextlib.ExitStack() as end:
            end.push(tell)
            end.callback(connections.close_all)
            came.append(work())

    Thread(target=run, daemon=True).start()
    return future


def came_of(*futures: Future[T]) -> list[T]:
    """What came of works `beside` this one, once all have ended; raises what one of them raised."""
    ended, left = wait(futures, LONGEST)
    for one in ended:
        one.result()
    assert not left, f"waited {LONGEST} s for {len(left)} of {len(futures)} threads"
    return [one.result() for one in futures]


def together(*works: Callable[[], T]) -> list[T]:
    """What comes of works that are begun at the same moment, each `beside` the others."""
    start = Barrier(len(works), timeout=LONGEST)

    def begun(work: Callable[[], T]) -> T:
        start.wait()
        return work()

    return came_of(*[beside(partial(begun, work)) for work in works])


@contextlib.contextmanager
def nobody_else_writes(table: str) -> Iterator[None]:
    """Who wants to, waits until this is over."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
        yield


def folder_of_all_workers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """For what is made once, whichever worker of `-n` comes first."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Process:
    """A child in a session of its own, with its output in a file."""

    def __init__(self, command: list[str], *, log: Path, env: dict[str, str]) -> None:
        self.log = log
        with log.open("ab") as output:
            self.popen = subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=partial(end_with_parent, signal.SIGKILL),  # a killed test run too
            )

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        """kill -9, with everything it has forked."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait(LONGEST)

    def stop(self) -> None:
        """Ask it to end, and make sure."""
        self.popen.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(10)
        self.kill()


class ForkedProcess(ForkServerProcess):
    """Asked and told as a `Popen` is."""

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self, timeout: float | None = None) -> None:
        self.join(timeout)
        if self.exitcode is None:
            raise subprocess.TimeoutExpired(self.name, timeout)


def verifier_in(release: Path, key: str) -> subprocess.CompletedProcess[str]:
    """What the verifier in a release says of it, with this public key."""
    command = [sys.executable, "verify.py", key]
    return subprocess.run(
        command, cwd=release, capture_output=True, text=True, check=False, timeout=LONGEST
    )


class ForkedWorker(Process):
    """`celery` with these arguments, forked from a process that has loaded all of it."""

    def __init__(self, arguments: list[str], *, log: Path, env: dict[str, str]) -> None:
        self.log = log
        self.log.touch()
        self.popen = ForkedProcess(target=run_celery, args=(arguments, log, env))
        self.popen.start()


def run_celery(arguments: list[str], log: Path, env: dict[str, str]) -> None:
    os.setsid()
    end_with_parent(signal.SIGKILL)
    with log.open("ab") as output:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(output.fileno(), stream.fileno())
    os.environ.update(env)
    # Those of tests, which begin with the database in Redis, before those that look where it is.
    for name in ("config.settings.test", "config.settings.base", "config.settings.test"):
        read = importlib.reload(import_module(name))
    for name in filter(str.isupper, dir(read)):
        setattr(settings, name, getattr(read, name))
    clear_cache_handlers(setting="CACHES")
    app.conf.broker_url = settings.CELERY_BROKER_URL
    sys.argv = ["celery", *arguments]
    runpy.run_module("celery", run_name="__main__")


@pytest.fixture(scope="session")
def loaded(django_db_setup) -> None:
    """A process has loaded what workers use, with the variables of all of them."""
    set_forkserver_preload(["tests.loaded"])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables_of_workers().items():
            patch.setenv(name, value)
        forkserver.ensure_running()


@pytest.fixture
def start_process(tmp_path) -> Iterator[Callable[..., Process]]:
    """start_process(name, command, env) starts a process that ends with the test."""
    started: list[Process] = []

    def start(name: str, command: list[str], **env: str) -> Process:
        started.append(Process(command, log=tmp_path / f"{name}.log", env=env))
        return started[-1]

    yield start
    for process in reversed(started):
        process.stop()


@pytest.fixture
def start_server(start_process) -> Callable[..., str]:
    """start_server(name, command, ready, **env) runs a server and returns its address.

    "{port}" in the command becomes a free port; `ready` is a path that answers once it is up.
    """

    def start(name: str, command: list[str], ready: str, **env: str) -> str:
        port = free_port()
        process = start_process(name, [part.format(port=port) for part in command], **env)

        def is_up() -> bool:
            assert process.popen.poll() is None, process.output()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            with contextlib.closing(connection), contextlib.suppress(OSError):
                connection.request("GET", ready)
                return connection.getresponse().status > 0
            return False

        wait_until(is_up, seconds=START_WITHIN, what=name)
        return f"http://127.0.0.1:{port}"

    return start


@pytest.fixture
def start_worker(transactional_db, loaded, tmp_path) -> Iterator[Callable[..., Process]]:
    """start_worker(**env) runs a real Celery worker, one task at a time, on the test's database.

    Tasks that earlier tests have left in Redis are dropped first, and what the worker has left
    there, its heartbeat too, when the test ends.
    """
    app.control.purge()
    cache.clear()
    started: list[Process] = []

    def start(pool: str = "prefork", **env: str) -> Process:
        name = f"worker{len(started) + 1}"
        arguments = ["-A", "config", "worker", f"--pool={pool}", "--concurrency=1"]
        arguments += ["--loglevel=INFO", f"--hostname={name}@test"]
        log = tmp_path / f"{name}.log"
        process = ForkedWorker(arguments, log=log, env=env)

        def is_ready() -> bool:
            assert process.popen.poll() is None, process.output()
            return " ready." in process.output()

        started.append(process)
        wait_until(is_ready, seconds=START_WITHIN, what="the worker")
        return process

    yield start
    for process in started:
        process.stop()
    cache.clear()


def variables_of_workers() -> dict[str, str]:
    return {
        "DATABASE_URL": address_of_database(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "CELERY_SKIP_CHECKS": "1",  # as `config/processes.py` has it
    }


def address_of_database() -> str:
    """The address of the database that this test uses, for another process."""
    used = connection.settings_dict
    user = quote(used["USER"]) + (f":{quote(used['PASSWORD'])}" if used["PASSWORD"] else "")
    port = f"&port={used['PORT']}" if used["PORT"] else ""
    return f"postgresql://{user}@/{quote(used['NAME'])}?host={quote(used['HOST'])}{port}"


@pytest.fixture
def letters(mailoutbox) -> Callable[[], list[EmailMessage]]:
    """letters() does what the workers would with letters that wait, and returns all that were sent."""
    cache.clear()
    app.control.purge()

    def take_out() -> list[EmailMessage]:
        with app.connection_for_read() as broker:
            while waiting := broker.default_channel.basic_get("judges", no_ack=True):
                if waiting.headers["task"] == deliver.name:
                    deliver(**waiting.payload[1])
        return mailoutbox

    return take_out
