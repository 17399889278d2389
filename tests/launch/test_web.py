"""The web server shares its connections out among its workers, and answers in turn."""

import http.client
import json
import os
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from config.web import serving
from tests.services import wait_until

ROOT = Path(__file__).resolve().parent.parent.parent
A_MINUTE = 60.0
PROCESSES = os.cpu_count() or 1
TELLS = """
import json
import os
import time
from pathlib import Path
from urllib.parse import parse_qs

from config.web import serving

HERE = Path(__file__).parent
serving.SHORT = float((HERE / "short").read_text())


def application(environ, start_response):
    began = time.monotonic()
    [waits_for] = parse_qs(environ["QUERY_STRING"]).get("until", [None])
    while waits_for and not (HERE / waits_for).exists():
        time.sleep(0.01)
    time.sleep(0.002)
    start_response("200 OK", [])
    return [json.dumps([os.getpid(), began, time.monotonic()]).encode()]
"""


class Told(NamedTuple):
    """What answered a request, and from when to when."""

    worker: int
    began: float
    ended: float


class Browser:
    """A connection that is kept open."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=A_MINUTE)
        self.connection.connect()

    def asks(self, until: str = "") -> None:
        self.connection.request("GET", f"/?until={until}")

    def is_told(self) -> Told:
        return Told(*json.loads(self.connection.getresponse().read()))

    def is_answered(self) -> Told:
        self.asks()
        return self.is_told()


Connect = Callable[[], Browser]


@pytest.fixture
def serve(start_server, tmp_path) -> Iterator[Callable[..., Connect]]:
    """serve(processes, short) is a way to connect to a server, all of whose processes answer."""
    (tmp_path / "tells.py").write_text(TELLS)
    command = [sys.executable, "-m", "gunicorn", "--bind=127.0.0.1:{port}"]
    command += ["--config=python:config.web", "--log-level=warning", "tells:application"]
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    with ExitStack() as opened:

        def serve(processes: int, short: float = serving.SHORT) -> Connect:
            (tmp_path / "short").write_text(str(short))
            variables = {"CONCORD_WEB_PROCESSES": str(processes), "PYTHONPATH": paths}
            address = start_server("web", command, "/", **variables)

            def connect() -> Browser:
                browser = Browser(urlsplit(address).port or 0)
                opened.enter_context(closing(browser.connection))
                return browser

            ready: set[int] = set()

            def are_ready() -> bool:
                ready.add(connect().is_answered().worker)
                return len(ready) == processes

            wait_until(are_ready, what="all workers")
            opened.pop_all().close()
            return connect

        yield serve


def test_connections_are_shared_out_evenly(serve):
    connect = serve(3)
    browsers = [connect() for _ in range(60)]
    n_of_worker = Counter(browser.is_answered().worker for browser in browsers)
    assert sorted(n_of_worker.values()) == pytest.approx([20, 20, 20], abs=2)


def test_a_connection_stays_with_its_worker(serve):
    browser = serve(2)()
    assert len({browser.is_answered().worker for _ in range(5)}) == 1


def test_a_worker_that_died_is_left_nothing_and_the_next_one_its_share(serve):
    connect = serve(2)
    first = [connect() for _ in range(10)]
    died = first[0].is_answered().worker
    os.kill(died, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{died}").exists(), what="the end of the worker")
    stayed = connect().is_answered().worker
    wait_until(lambda: connect().is_answered().worker != stayed, what="the next worker")
    n_of_worker = Counter(connect().is_answered().worker for _ in range(10))
    assert died not in n_of_worker
    assert n_of_worker[stayed] < 10


def test_short_requests_are_answered_one_after_the_other_as_they_came(serve):
    connect = serve(PROCESSES, short=A_MINUTE)
    browsers = [connect() for _ in range(10 * PROCESSES)]
    for browser in browsers:
        browser.is_answered()
    for browser in browsers:
        browser.asks()
    of_worker = defaultdict(list)
    for told in [browser.is_told() for browser in browsers]:
        of_worker[told.worker].append(told)
    assert len(of_worker) == PROCESSES
    for all_told in of_worker.values():
        moments = [moment for told in all_told for moment in (told.began, told.ended)]
        assert moments == sorted(moments)


def test_what_takes_long_keeps_nobody_waiting(serve, tmp_path):
    connect = serve(1)
    long = [connect() for _ in range(4)]
    for browser in long:
        browser.asks(until="later")
    now = connect().is_answered()
    (tmp_path / "later").touch()
    assert all(browser.is_told().ended > now.ended for browser in long)


def test_who_says_nothing_keeps_nobody_waiting(serve):
    connect = serve(1, short=A_MINUTE)
    silent = [connect() for _ in range(50)]
    assert connect().is_answered().worker
    assert silent[0].is_answered().worker
