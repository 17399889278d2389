"""How long an accepted answer takes to be on every open dashboard.

Fifty annotators submit through the rating page of Concord's own server and twenty researchers have
the agreement open, asking again as its script does; a Celery worker computes the figures. From the
moment that an answer was accepted to the first fragment that a researcher got with a revision at or
after the one the study then had.
"""

import contextlib
import os
import random
import re
import subprocess
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from datetime import timedelta

import pandas as pd
from django.db import connection
from django.utils import timezone

from accounts.models import Terms
from analytics import queue
from analytics.models import Snapshot
from analytics.ratings import matrices
from annotation.actions import rounds, teams
from annotation.models import Rater, Study, TeamRole
from bench.agreement import RATE, SUBMIT
from bench.figures import Figure
from bench.load import Client
from bench.people import a_study, person
from bench.submitting import HIDDEN, TOKEN, bench_database_url, served, signed_in

ANNOTATORS, DASHBOARDS, JUDGES = 50, 20, 3
ITEMS = 2_000
SECONDS = 30.0
PAUSE = 4.0
ANSWERS = {
    "answer.safety.nonsense": "no",
    "answer.safety.humanoid_mimicry": "no",
    "answer.safety.linguistic_neglect": "yes",
    "comment": "",
    "seconds": "12",
}
NEXT = re.compile(r'hx-get="([^"]+revision=(\d+)[^"]*)" hx-trigger="every (\d+)(ms|s)"')


def run() -> Iterator[Figure]:
    study, annotators = a_study(n_items=ITEMS, n_annotators=ANNOTATORS)
    with_judges(study)
    rounds.open_round(
        study_id=study.pk,
        panel=[annotator.pk for annotator in annotators],
        raters_per_item=2,
        by=annotators[0],
        at=timezone.now(),
    )
    readers = [
        person(number, Terms.objects.get()) for number in range(ANNOTATORS, ANNOTATORS + DASHBOARDS)
    ]
    for reader in readers:
        teams.set_roles(
            study_id=study.pk,
            email=reader.email,
            roles=[TeamRole.RESEARCHER],
            by=annotators[0],
            at=timezone.now(),
        )
    with served("config.wsgi:application") as port, a_worker(study):
        accepted, seen, waited = at_once(
            [writer(port, signed_in(one), study) for one in annotators],
            [dashboard(port, signed_in(one), study) for one in readers],
        )
    delays = sorted(
        shown[place][0] - at
        for at, revision in accepted
        for shown in seen
        if (place := bisect_left(shown, revision, key=lambda one: one[1])) < len(shown)
    )
    n_missed = len(accepted) * len(seen) - len(delays)
    yield Figure(
        f"{ANNOTATORS} annotators, one answer every {PAUSE:.0f} s each",
        f"{len(accepted) / SECONDS:.1f}/s, p95 {1000 * at_share(waited, 0.95):.0f} ms to submit",
    )
    yield Figure(
        f"accepted answer to each of {DASHBOARDS} dashboards",
        f"p50 {at_share(delays, 0.5):.2f} s, p95 {at_share(delays, 0.95):.2f} s, "
        f"longest {delays[-1]:.2f} s, {n_missed} not shown",
    )
    yield Figure("figures equal to a recomputation from the rows", f"{is_exact(study)}")


def with_judges(study: Study) -> None:
    """Judges who have rated every item before the round opens."""
    for number in range(JUDGES):
        Rater.objects.create(key=f"judge-{number}", name=f"Judge {number}", kind="judge")
    labels = study.rubric_version.content.criterion("safety").labels
    with connection.cursor() as cursor:
        cursor.execute(
            SUBMIT + " AND rater.kind = 'judge'",
            {"study": study.pk, "version": study.rubric_version_id},
        )
        cursor.execute(
            RATE.replace("score,", "label,").replace(
                "1 + (hashint8(submission.item_id) + floor(random() * 2)::int & 3)",
                "(%(labels)s::text[])[1 + (hashint8(submission.item_id) & 3)]",
            ),
            {"study": study.pk, "keys": ["safety"], "labels": [one.key for one in labels]},
        )
        cursor.execute("ANALYZE")


def at_once(
    writers: list[Callable[[threading.Event], Iterator[tuple[float, float, int]]]],
    dashboards: list[Callable[[threading.Event], Iterator[tuple[float, int]]]],
) -> tuple[list[tuple[float, int]], list[list[tuple[float, int]]], list[float]]:
    """(when an answer was accepted, the revision then), what each dashboard showed when, and how
    long submitting took."""
    accepted: list[tuple[float, int]] = []
    waited: list[float] = []
    seen: list[list[tuple[float, int]]] = [[] for _ in dashboards]
    problems: list[Exception] = []
    no_more, closed = threading.Event(), threading.Event()

    def write(writer: Callable) -> None:
        try:
            for began, ended, revision in writer(no_more):
                accepted.append((ended, revision))
                waited.append(ended - began)
        except Exception as problem:  # noqa: BLE001 -- raised below, in the thread that waits
            problems.append(problem)
        finally:
            connection.close()

    def watch(dashboard: Callable, shown: list) -> None:
        try:
            shown.extend(dashboard(closed))
        except Exception as problem:  # noqa: BLE001 -- raised below, in the thread that waits
            problems.append(problem)

    watching = [
        threading.Thread(target=watch, args=one) for one in zip(dashboards, seen, strict=True)
    ]
    writing = [threading.Thread(target=write, args=(one,)) for one in writers]
    for thread in [*watching, *writing]:
        thread.start()
    time.sleep(SECONDS)
    no_more.set()
    for thread in writing:
        thread.join()
    time.sleep(5)
    closed.set()
    for thread in watching:
        thread.join()
    if problems:
        raise problems[0]
    return accepted, seen, sorted(waited)


def writer(port: int, cookie: str, study: Study) -> Callable:
    """Submit one item after the other, with pauses: (sent, accepted, the study's revision then)."""

    def work(no_more: threading.Event) -> Iterator[tuple[float, float, int]]:
        browser = Client(port, cookie)
        page = browser.ask("GET", f"/studies/{study.key}/rate/")
        token = TOKEN.search(page)[1]
        pace = random.Random(cookie)  # noqa: S311 -- when people press a key
        while not no_more.wait(pace.expovariate(1 / PAUSE)):
            hidden = dict(HIDDEN.findall(page))
            began = time.perf_counter()
            page = browser.ask(
                "POST",
                f"/studies/{study.key}/rate/",
                hidden | ANSWERS,
                X_CSRFToken=token,
                HX_Request="true",
            )
            ended = time.perf_counter()
            yield began, ended, Study.objects.values_list("revision", flat=True).get(pk=study.pk)

    return work


def dashboard(port: int, cookie: str, study: Study) -> Callable:
    """Keep the agreement open: (when, which revision) for each page or fragment that came."""

    def work(closed: threading.Event) -> Iterator[tuple[float, int]]:
        browser = Client(port, cookie)
        asked = f"/studies/{study.key}/agreement/"
        page, headers = browser.ask("GET", asked), {"HX_Request": "true"}
        while True:
            if page:
                asked, revision, number, unit = NEXT.search(page).groups()
                asked = asked.replace("&amp;", "&")
                yield time.perf_counter(), int(revision)
            if closed.wait(int(number) / (1000 if unit == "ms" else 1)):
                return
            page = browser.ask("GET", asked, **headers)

    return work


@contextlib.contextmanager
def a_worker(study: Study) -> Iterator[None]:
    """The worker that `make run` starts, on the scratch database."""
    worker = subprocess.Popen(
        [
            *(sys.executable, "-m", "celery", "--app=config.celery", "worker", "--concurrency=3"),
            *("--loglevel=WARNING", "--without-gossip", "--without-mingle"),
        ],
        env=os.environ | {"DATABASE_URL": bench_database_url()},
    )
    try:
        queue.want_part(study_id=study.pk, part="agreement")
        wait_until(Snapshot.objects.exists)
        yield
    finally:
        worker.terminate()
        worker.wait(20)


def is_exact(study: Study) -> bool:
    kept, rows = matrices.read(study.pk), matrices.read_rows(study.pk)
    pd.testing.assert_frame_equal(kept.ratings, rows.ratings)
    stored = Snapshot.objects.get(
        study=study, part="agreement", with_off_scale=False, with_quarantined=False
    )
    return stored.report["n_ratings"] == len(rows.ratings)


def at_share(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = timezone.now() + timedelta(seconds=60)
    while not is_so():
        if timezone.now() > deadline:
            raise RuntimeError("The worker did not start.")
        time.sleep(0.1)
