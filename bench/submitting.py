"""How many times a second annotators can submit an item and have the next one, and what it costs.

All that `make run` starts stands: workers, scheduler and live figures. Everybody has signed in
through the page and rates seven scales in a round of 10,000 items, three raters an item. Beside
it, in the same run, a bare Django view does one indexed insert behind the same web server.

Who submits as fast as the next item comes keeps the processors full, so that a cycle takes as long
as all others wait: 50 annotators at 200 a second take 250 ms each, whatever a cycle costs. What a
person waits is measured at a given pace.
"""

import contextlib
import http.client
import os
import random
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from django.db import connection
from django.utils import timezone

from accounts.models import User
from annotation.actions import rounds
from annotation.models import Study, Submission
from annotation.rubric.loading import load, shipped
from bench import processes
from bench.bare import TABLE
from bench.figures import BenchFigure
from bench.load import Client, Load, drive, found
from bench.people import PASSWORD, a_study, some_people
from bench.running import Running, database_url, postmaster, running

ANNOTATORS = (1, 10, 50)
PACED = (100, 150, 200)  # cycles a second that the most of them begin
SECONDS = 20.0
ITEMS = 10_000
RATERS_PER_ITEM = 3
RUBRIC = "mentalalign"
SCALES = [criterion.key for criterion in load(shipped()[RUBRIC]).criteria]
HIDDEN = re.compile(r'name="(assignment|key)" value="([^"]+)"')
TOKEN = re.compile(r'"x-csrftoken": "([^"]+)"')


def run() -> Iterator[BenchFigure]:
    with running() as concord:
        people = some_people(max(ANNOTATORS))
        browsers = [
            signed_in(concord.port, account, number) for number, account in enumerate(people)
        ]
        for number in ANNOTATORS:
            study = a_round(f"bench-{number}", people[: max(number, RATERS_PER_ITEM)])
            load = driven(concord, study, browsers[:number])
            yield from _of_load(number, study, load)
            yield from _of_bare(number, load, bare(number))
        for pace in PACED:
            study = a_round(f"bench-paced-{pace}", people)
            load = driven(concord, study, browsers, a_second=pace)
            yield from _of_load(len(people), study, load, pace=f" that begin {pace} a second")


def a_round(key: str, annotators: list[User], *, n_items: int = ITEMS) -> Study:
    """A study with an open round of all its items."""
    study = a_study(key, rubric=RUBRIC, n_items=n_items, annotators=annotators)
    rounds.open_round(
        study_id=study.pk,
        panel=[annotator.pk for annotator in annotators],
        raters_per_item=RATERS_PER_ITEM,
        by=annotators[0],
        at=timezone.now(),
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself a minute later
    return study


def driven(
    concord: Running, study: Study, browsers: list[Client], *, a_second: float | None = None
) -> Load:
    """Everybody submits as fast as the next item comes, or so many a second all together."""
    workers = [partial(submitting, browser, study) for browser in browsers]
    return drive(workers, seconds=SECONDS, used=concord.used, a_second=a_second)


def submitting(
    browser: Client, study: Study, pause: Callable[[], object] = lambda: None
) -> Iterator[str]:
    """Rate one item after the other, as the page's script does; gives the key of each that was
    acknowledged."""
    address = f"/studies/{study.key}/rate/"
    browser.connection.close()  # the server has ended what stood unused for long
    page = browser.ask("GET", address)
    [token] = found(TOKEN, page)
    given = random.Random(study.key)  # noqa: S311 -- what people think of a reply
    while hidden := dict(HIDDEN.findall(page)):
        pause()
        scores = {f"answer.{key}": str(given.randint(1, 5)) for key in SCALES}
        form = hidden | scores | {"comment": "", "seconds": "12"}
        page = browser.ask("POST", address, form, X_CSRFToken=token, HX_Request="true")
        yield hidden["key"]


def signed_in(port: int, account: User, number: int) -> Client:
    browser = Client(port, number=number)
    browser.sign_in(account.email, PASSWORD)
    return browser


def kept(study: Study, acknowledged: list[str]) -> str:
    """How many acknowledged answers there are, and how many of them are no row or several."""
    keys = Submission.objects.filter(study=study, round__isnull=False).values_list("key", flat=True)
    rows, answers = Counter(map(str, keys)), Counter(acknowledged)
    lost = answers - rows
    doubled = sum(times - 1 for times in rows.values()) + sum(
        times - 1 for times in answers.values()
    )
    return f"{answers.total():,}, {lost.total()} lost, {doubled} doubled"


def bare(number: int) -> Load:
    with served("bench.bare:bare_application()") as (port, web):
        roots = {"web": web, "PostgreSQL": postmaster()}
        return drive(
            [lambda: inserting(Client(port))] * number,
            seconds=SECONDS / 2,
            used=lambda: processes.seconds_of(roots),
        )


def inserting(browser: Client) -> Iterator[str]:
    while True:
        yield browser.ask("GET", "/")


@contextlib.contextmanager
def served(application: str) -> Iterator[tuple[int, int]]:
    """The application behind the web server that `make run` uses: its port and its process."""
    with connection.cursor() as cursor:
        cursor.execute(TABLE)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"),
            *("--config=python:config.web", "--log-level=warning", application),
        ],
        env=os.environ | {"DATABASE_URL": database_url()},
    )
    try:
        wait_for(port)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(20)


def wait_for(port: int) -> None:
    for _ in range(100):
        with contextlib.suppress(OSError):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            client.request("GET", "/")
            client.getresponse()
            return
        time.sleep(0.2)
    raise RuntimeError("the server did not start")


def _of_load(number: int, study: Study, load: Load, *, pace: str = "") -> Iterator[BenchFigure]:
    people = f"{number} annotator{'s' if number > 1 else ''}{pace}"
    if load.errors:
        raise RuntimeError(f"{people}: {load.errors[0]}")
    yield BenchFigure(f"submit and next, {people}", _speed(load))
    yield BenchFigure("  processor time a cycle", _split(load.used_a_cycle))
    yield BenchFigure("  acknowledged answers", kept(study, load.given))


def _of_bare(number: int, load: Load, bare: Load) -> Iterator[BenchFigure]:
    if bare.errors:
        raise RuntimeError(f"bare insert: {bare.errors[0]}")
    yield BenchFigure(f"bare Django insert, {number} at once", _speed(bare))
    yield BenchFigure("  processor time a cycle", _split(bare.used_a_cycle))
    speed = load.per_second / bare.per_second
    time = sum(load.used_a_cycle.values()) / sum(bare.used_a_cycle.values())
    yield BenchFigure("  share of its speed, times its time", f"{speed:.2f}, {time:.1f}")


def _speed(load: Load) -> str:
    shares = ", ".join(
        f"p{round(100 * share)} {1000 * load.percentile(share):.0f} ms"
        for share in (0.5, 0.95, 0.99)
    )
    return f"{load.per_second:.0f}/s, {shares}"


def _split(milliseconds: Mapping[str, float]) -> str:
    parts = ", ".join(f"{name} {value:.2f}" for name, value in milliseconds.items())
    return f"{sum(milliseconds.values()):.2f} ms: {parts}"
