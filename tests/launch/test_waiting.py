"""Pages that follow figures wait for newer ones in the web server, and stand in nobody's way."""

import http.client
import os
import select
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from analytics.figures import bell
from analytics.figures.bell import Bells
from analytics.present.following import FOLLOWS, HAS_WAITED, Following
from config.web.waiting import Followers, Waits
from tests.services import wait_until

STUDY, OTHER = 17, 18
# A minute of waiting is longer than any of these tests takes.
FIRST = (
    ("newest", "1"),
    ("admitted", "gwen"),
    ("asked", ""),
    ("askedother", ""),
    ("longest", "60"),
)
TELLS_WHAT_IS_NEWEST = f"""
from pathlib import Path
from urllib.parse import parse_qs

from analytics.present.following import FOLLOWS, Following
from config.web import waiting

HERE = Path(__file__).parent


class Answer(list):
    def close(self):
        pass


def application(environ, start_response):
    waiting.LONGEST = waiting.KNOWN_FOR = float((HERE / "longest").read_text())
    if environ["PATH_INFO"] == "/plain":
        start_response("200 OK", [("Content-Length", "0")])
        return Answer([b""])
    with (HERE / f"asked{{environ['PATH_INFO'].strip('/')}}").open("a") as asked:
        print(environ.get("HTTP_CONCORD_WAITS"), file=asked)
    if environ.get("HTTP_COOKIE") not in (HERE / "admitted").read_text().split():
        start_response("401 Unauthorized", [("Content-Length", "0")])
        return Answer([b""])
    newest, shown = (HERE / "newest").read_text(), environ["QUERY_STRING"]
    path = environ["PATH_INFO"]
    study = {OTHER} if path == "/other" else {STUDY}
    environ[FOLLOWS] = Following(study, f"{{path}}?{{newest}}", newest != shown)
    start_response("200 OK" if newest != shown else "204 No Content", [("Content-Length", str(len(newest)))])
    return Answer([newest.encode() if newest != shown else b""])
"""


class Served:
    """A web server with an application that tells what is newest, and what was asked of it."""

    def __init__(self, address: str, folder: Path) -> None:
        self.port = urlsplit(address).port
        self.folder = folder
        self.opened = ExitStack()

    def asks(self, shown: str = "1", cookie: str = "gwen", path: str = "/") -> "Asking":
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.opened.enter_context(closing(connection))
        headers = {"Concord-Waits": "1", "Cookie": cookie}
        connection.request("GET", f"{path}?{shown}", headers=headers)
        return Asking(connection)

    def is_newest(self, newest: str) -> None:
        written = self.folder / "written"
        written.write_text(newest)
        written.replace(self.folder / "newest")  # whoever reads meanwhile finds no half of it
        bell.ring(STUDY)

    @property
    def asked(self) -> list[str]:
        """Of each request that the application got, whether it had waited."""
        return (self.folder / "asked").read_text().split()


class Asking:
    """A request that is on its way, and its connection."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    @property
    def is_answered(self) -> bool:
        return bool(select.select([self.connection.sock], [], [], 0)[0])

    @property
    def answer(self) -> tuple[int, str]:
        response = self.connection.getresponse()
        with closing(response):
            return response.status, response.read().decode()

    def asks_again(self, shown: str) -> None:
        headers = {"Concord-Waits": "1", "Cookie": "gwen"}
        self.connection.request("GET", f"/?{shown}", headers=headers)


@pytest.fixture
def served(start_server, tmp_path) -> Iterator[Served]:
    (tmp_path / "tells.py").write_text(TELLS_WHAT_IS_NEWEST)
    for name, text in FIRST:
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "gunicorn", "--bind=127.0.0.1:{port}"]
    command += ["--config=python:config.web", "--log-level=warning", "tells:application"]
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parent.parent.parent)])
    variables = {"PYTHONPATH": paths, "CONCORD_WEB_PROCESSES": "1"}
    address = start_server("web", command, "/plain", **variables)
    found = Served(address, tmp_path)

    def hears() -> bool:
        """Whether a request had waited before the bell rang."""
        found.asks(path="/other")
        bell.ring(OTHER)
        return HAS_WAITED in (tmp_path / "askedother").read_text()

    with found.opened:
        wait_until(hears, what="somebody who listens")
        yield found


def test_who_shows_the_newest_is_answered_once_there_is_something_newer(served):
    asking = served.asks()
    served.is_newest("2")
    assert asking.answer == (200, "2")


def test_many_who_wait_keep_nobody_from_other_pages(served):
    waiting = [served.asks() for _ in range(30)]
    assert served.asks(path="/plain").answer == (200, "")
    assert not any(one.is_answered for one in waiting)
    served.is_newest("2")
    assert {one.answer for one in waiting} == {(200, "2")}


def test_who_was_let_in_moments_ago_waits_without_being_asked_who_it_is(served):
    asking = served.asks(shown="0")
    assert asking.answer == (200, "1")
    before = len(served.asked)
    asking.asks_again("1")
    served.is_newest("2")
    assert asking.answer == (200, "2")
    assert served.asked[before:] == [HAS_WAITED]


def test_who_may_no_longer_know_is_told_nothing_after_waiting(served):
    asking = served.asks()
    (served.folder / "admitted").write_text("ada")
    served.is_newest("2")
    assert asking.answer == (401, "")


def test_a_stranger_does_not_wait(served):
    assert served.asks(cookie="mallory").answer == (401, "")


def test_where_nothing_rings_the_answer_comes_all_the_same(served):
    (served.folder / "longest").write_text("1")
    assert served.asks().answer == (204, "")


def test_who_leaves_while_waiting_is_in_nobodys_way(served):
    served.asks().connection.close()
    asking = served.asks()
    served.is_newest("2")
    assert asking.answer == (200, "2")


class Silent(Bells):
    """Bells that are heard, and did not ring."""

    def __init__(self) -> None:
        super().__init__(lambda _study: None)

    def are_heard(self) -> bool:
        return True


class Page:
    """An application whose page shows what is newest, and nothing new after that."""

    def __init__(self) -> None:
        self.n_asked = self.n_closed = 0

    def __call__(self, environ, _start_response):
        self.n_asked += 1
        environ[FOLLOWS] = Following(STUDY, "/?1", is_new=environ["RAW_URI"] != "/?1")
        return self

    def close(self) -> None:
        self.n_closed += 1


def environ_of(shown: str = "1", waits: str = "1", cookie: str = "gwen") -> dict[str, str]:
    return {"RAW_URI": f"/?{shown}", "HTTP_CONCORD_WAITS": waits, "HTTP_COOKIE": cookie}


@pytest.mark.parametrize(
    "asked",
    [environ_of(shown="0"), environ_of(waits=HAS_WAITED), environ_of(waits="")],
    ids=["something is new", "it has waited", "it does not wait"],
)
def test_an_answer_is_sent_where(asked):
    page = Page()
    assert Followers(page, Silent())(asked, print) is page
    assert page.n_closed == 0


def test_a_page_that_waits_lets_go_of_what_its_request_held():
    page = Page()
    with pytest.raises(Waits):
        Followers(page, Silent())(environ_of(), print)
    assert page.n_closed == 1


def test_what_one_was_let_in_to_lets_nobody_else_wait_unasked():
    page = Page()
    followers = Followers(page, Silent())
    followers(environ_of(shown="0"), print)
    for cookie, n_asked in [("gwen", 1), ("mallory", 2)]:
        with pytest.raises(Waits):
            followers(environ_of(cookie=cookie), print)
        assert page.n_asked == n_asked


def test_without_redis_nobody_waits(monkeypatch):
    def away(*_given, **_more):
        raise RedisConnectionError

    told: list[int | None] = []
    monkeypatch.setattr(bell._redis(), "pubsub", away)
    bells = Bells(told.append)
    page = Page()
    assert Followers(page, bells)(environ_of(), print) is page
    wait_until(lambda: told, what="a try to listen")
    assert not bells.are_heard()
    assert told[0] is None, "whoever waits is woken"


def test_a_bell_rings_for_its_study_alone():
    heard: list[int | None] = []
    bells = Bells(heard.append)
    wait_until(bells.are_heard, what="somebody who listens")
    since = bells.now()
    bell.ring(STUDY)
    wait_until(lambda: STUDY in heard, what="the bell")
    assert bells.has_rung(STUDY, since=since)
    assert not bells.has_rung(OTHER, since=since)
