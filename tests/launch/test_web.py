"""The web server shares its connections out among its workers."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config import web
from tests.services import wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
TELLS_ITS_PID = """
import os

def application(environ, start_response):
    start_response("200 OK", [])
    return [str(os.getpid()).encode()]
"""


@pytest.fixture
def port(tmp_path) -> Iterator[int]:
    (tmp_path / "tells.py").write_text(TELLS_ITS_PID)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", f"--bind=127.0.0.1:{port}"),
            *("--config=python:config.web", "--log-level=warning", "tells:application"),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    try:
        yield port
    finally:
        server.terminate()
        server.wait(60)  # whom it lets finish has 30 seconds


@pytest.fixture
def connect(port) -> Iterator[Callable[[], http.client.HTTPConnection]]:
    """connect() is a new connection to the server, which stays open during the test."""
    with contextlib.ExitStack() as opened:

        def connect() -> http.client.HTTPConnection:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            wait_until(lambda: is_up(connection), what="the server")
            return opened.enter_context(contextlib.closing(connection))

        yield connect


def is_up(connection: http.client.HTTPConnection) -> bool:
    with contextlib.suppress(OSError):
        connection.connect()
        return True
    return False


def worker_of(connection: http.client.HTTPConnection) -> int:
    connection.request("GET", "/")
    return int(connection.getresponse().read())


def test_connections_are_shared_out(connect):
    """By chance, as the kernel does it: fewer than 20 of 100 are too few once in 10^9 times."""
    n_of_worker: Counter[int] = Counter()
    while len(n_of_worker) < web.workers:  # one may be ready before the other
        n_of_worker[worker_of(connect())] += 1
    n_of_worker = Counter(worker_of(connect()) for _ in range(100))
    assert min(n_of_worker.values()) >= 20
    assert len(n_of_worker) == web.workers


def test_a_connection_stays_with_its_worker(connect):
    connection = connect()
    assert len({worker_of(connection) for _ in range(5)}) == 1


def test_a_worker_that_died_is_left_nothing(connect):
    died = worker_of(connect())
    os.kill(died, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{died}").exists(), what="the end of the worker")
    answers = {worker_of(connect()) for _ in range(6)}
    assert died not in answers
