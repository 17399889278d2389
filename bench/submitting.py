"""How many times a second annotators can submit an item and have the next one.

Concord's own server takes real submissions of a taxonomy through the rating page; beside it, in
the same run, a bare Django view does one indexed insert.
"""

import contextlib
import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.utils import timezone

from annotation.actions import rounds
from bench.bare import TABLE
from bench.figures import Figure
from bench.load import Client, Load, drive
from bench.people import a_study

ANNOTATORS = (1, 10, 50)
SECONDS = 8.0
ITEMS = 4000
HIDDEN = re.compile(r'name="(assignment|key)" value="([^"]+)"')
TOKEN = re.compile(r'"x-csrftoken": "([^"]+)"')


def run() -> list[Figure]:
    study, annotators = a_study(n_items=ITEMS, n_annotators=max(ANNOTATORS))
    rounds.open_round(
        study_id=study.pk,
        panel=[annotator.pk for annotator in annotators],
        raters_per_item=25,
        by=annotators[0],
        at=timezone.now(),
    )
    cookies = [signed_in(annotator) for annotator in annotators]
    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    figures = []
    for number in ANNOTATORS:
        with served("bench.bare:bare_application()") as port:
            bare = drive([bare_insert(port)] * number, seconds=SECONDS)
        with served("config.wsgi:application") as port:
            load = drive(
                [annotator_at(port, cookie, study.key) for cookie in cookies[:number]],
                seconds=SECONDS,
            )
        figures += as_figures(number, load, bare)
    return figures


def as_figures(number: int, load: Load, bare: Load) -> list[Figure]:
    people = f"{number} annotator{'s' if number > 1 else ''}"
    if load.errors or bare.errors:
        raise RuntimeError(f"{people}: {(load.errors + bare.errors)[0]}")
    share = load.per_second / bare.per_second
    return [
        Figure(
            f"submit and next, {people}",
            f"{load.per_second:.0f}/s, p50 {load.percentile(0.5) * 1000:.0f} ms, "
            f"p95 {load.percentile(0.95) * 1000:.0f} ms",
        ),
        Figure(f"bare Django insert, {people}", f"{bare.per_second:.0f}/s"),
        Figure(f"share of the bare insert, {people}", f"{share:.2f}"),
    ]


def annotator_at(port: int, cookie: str, study: str) -> Callable[[], Iterator[None]]:
    """Submit "no", "no", "no", "safe" to one item after the other, as the page's script does."""

    def work() -> Iterator[None]:
        browser = Client(port, cookie)
        page = browser.ask("GET", f"/studies/{study}/rate/")
        token = TOKEN.search(page)[1]
        answers = {
            "answer.safety.nonsense": "no",
            "answer.safety.humanoid_mimicry": "no",
            "answer.safety.linguistic_neglect": "yes",
            "comment": "",
            "seconds": "12",
        }
        while hidden := dict(HIDDEN.findall(page)):
            page = browser.ask(
                "POST",
                f"/studies/{study}/rate/",
                hidden | answers,
                X_CSRFToken=token,
                HX_Request="true",
            )
            yield

    return work


def bare_insert(port: int) -> Callable[[], Iterator[None]]:
    def work() -> Iterator[None]:
        browser = Client(port, "")
        while True:
            browser.ask("GET", "/")
            yield

    return work


def signed_in(account) -> str:
    """The cookie of a session that the account has opened."""
    session = SessionStore()
    session[SESSION_KEY] = str(account.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = account.get_session_auth_hash()
    session.create()
    return f"sessionid={session.session_key}"


@contextlib.contextmanager
def served(application: str) -> Iterator[int]:
    """The application behind the server that `make run` uses, on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"),
            *("--config=python:config.web", "--log-level=warning", application),
        ],
        env=os.environ | {"DATABASE_URL": bench_database_url()},
    )
    try:
        wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait(20)


def bench_database_url() -> str:
    """The address of the scratch database, for processes that this run starts."""
    name = connection.settings_dict["NAME"]
    return re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", os.environ["DATABASE_URL"], count=1)


def wait_for(port: int) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            client.request("GET", "/")
            client.getresponse()
            return
        time.sleep(0.2)
    raise RuntimeError("the server did not start")
