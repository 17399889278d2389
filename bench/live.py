"""How long an acknowledged answer takes to be on every open dashboard.

All that `make run` starts stands. Fifty annotators submit, one answer every four seconds each, twenty
researchers have the agreement open, which asks again as its script does, and four judges rate the
same items: once at an endpoint that answers as an LLM does, after a second and a half, and once at
one that answers so fast that judges take all that the processors have left. From the moment
that an answer was acknowledged to the first fragment that a researcher got with a revision at or
after the one the study then had. In the end the stored figures are compared with figures made
anew from the rows, and the acknowledged answers with the rows.
"""

import random
import re
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import User
from analytics.agreement.numbers import GLANCE
from analytics.figures import store
from analytics.ratings import matrices
from annotation.models import Rater, Study, TeamRole
from bench.agreement import RATE, SUBMIT
from bench.figures import BenchFigure
from bench.judging import endpoint
from bench.load import Client, at_share, found
from bench.people import join, some_people
from bench.running import Running, running, wait_until
from bench.submitting import SCALES, a_round, kept, signed_in, submitting
from judging import standin
from judging.actions import runs
from judging.actions.judges import Settings
from judging.models import CallState, JudgeCall, JudgeRun, RunState

ANNOTATORS, DASHBOARDS, RUNS = 50, 20, 4
JUDGES_BEFORE = 3
AT_ONCE = 8
SECONDS = 30.0
PAUSE = 4.0
ENDPOINTS = {"as an LLM does": 1_500, "nearly at once": 120}
LAST_LOOK = 5.0  # seconds that dashboards stay open after the last answer
NEXT = re.compile(r'data-follows hx-get="([^"]+revision=(\d+)[^"]*)"')
FROM_ONE_TO_THE_NEXT = 0.5  # seconds, where the server answers at once, as in following.js
SHUT = re.compile(r'<details id="([^"]+)" data-drawn="open">')


@dataclass(slots=True, kw_only=True)
class Watched:
    """What happened: `accepted`, when an answer was acknowledged and the study's revision then;
    `seen`, when each dashboard had which revision; `waited`, how long submitting took."""

    accepted: list[tuple[float, int]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    seen: list[list[tuple[float, int]]] = field(default_factory=list)
    problems: list[Exception] = field(default_factory=list)

    @property
    def delays(self) -> list[float]:
        """Seconds from each answer to each dashboard that came to show it, the shortest first."""
        return sorted(
            shown[place][0] - at
            for at, revision in self.accepted
            for shown in self.seen
            if (place := bisect_left(shown, revision, key=lambda one: one[1])) < len(shown)
        )


def run() -> Iterator[BenchFigure]:
    people: list[User] = []
    for what, latency_ms in ENDPOINTS.items():
        yield BenchFigure(f"an endpoint that answers {what}", f"{latency_ms} ms")
        with endpoint(latency_ms=latency_ms) as llm, running(llm=llm) as concord:
            people = people or some_people(ANNOTATORS + DASHBOARDS)
            yield from measured(concord, people, key=f"live-{latency_ms}")


def measured(concord: Running, people: list[User], *, key: str) -> Iterator[BenchFigure]:
    study = a_round(key, people[:ANNOTATORS])
    join(study, people[ANNOTATORS:], TeamRole.RESEARCHER)
    rated_before(study)
    browsers = [signed_in(concord.port, account, number) for number, account in enumerate(people)]
    under_way = [started(study, number) for number in range(RUNS)]
    wait_until(lambda: all(answered(judge_run) for judge_run in under_way))
    wait_until(lambda: store.newest_revision(study.pk, GLANCE) is not None)
    calls, used = sum(map(answered, under_way)), concord.used()
    watched = watching(study, browsers[:ANNOTATORS], browsers[ANNOTATORS:])
    calls = sum(map(answered, under_way)) - calls
    used = {name: seconds - used[name] for name, seconds in concord.used().items()}
    n_running = JudgeRun.objects.filter(study=study, state=RunState.RUNNING).count()
    for judge_run in under_way:
        runs.finish(run_id=judge_run.pk, by=None, at=timezone.now())
    wait_until(lambda: is_at_rest(study))
    yield from _figures(study, watched)
    took = SECONDS + LAST_LOOK
    yield BenchFigure(
        f"judge runs, {n_running} of {RUNS} under way in the end", f"{calls / took:.0f} calls/s"
    )
    yield BenchFigure(
        "share of a core",
        ", ".join(f"{name} {seconds / took:.0%}" for name, seconds in used.items()),
    )


def rated_before(study: Study) -> None:
    """Judges who have rated every item already."""
    for number in range(JUDGES_BEFORE):
        Rater.objects.get_or_create(key=f"judge-{number}", name=f"Judge {number}", kind="judge")
    with connection.cursor() as cursor:
        cursor.execute(
            SUBMIT + " AND rater.key LIKE 'judge-%%'",
            {"study": study.pk, "version": study.rubric_version_id},
        )
        cursor.execute(RATE, {"study": study.pk, "keys": SCALES})
        cursor.execute("ANALYZE")


def started(study: Study, number: int, *, by: User | None = None) -> JudgeRun:
    """A run over every item, of a judge of its own, under the rights of an account."""
    return runs.start(
        study=study,
        judge=Settings(llm=standin.NAME, base_url=settings.LLM_BASE_URL, temperature=number / RUNS),
        repeats=1,
        concurrency=AT_ONCE,
        by=by,
        at=timezone.now(),
    )


def answered(judge_run: JudgeRun) -> int:
    return JudgeCall.objects.filter(run=judge_run, answered_at__isnull=False).count()


def watching(study: Study, annotators: list[Client], readers: list[Client]) -> Watched:
    """Everybody at once; who reads stays a little longer than who writes."""
    watched = Watched(seen=[[] for _ in readers])
    no_more, closed = threading.Event(), threading.Event()

    def write(browser: Client) -> None:
        for began, ended, key, revision in writing(browser, study, no_more):
            watched.waited.append(ended - began)
            watched.accepted.append((ended, revision))
            watched.keys.append(key)

    def watch(browser: Client, shown: list[tuple[float, int]]) -> None:
        shown.extend(reading(browser, study, closed))

    writers = [_thread(watched, write, browser) for browser in annotators]
    dashboards = [_thread(watched, watch, *one) for one in zip(readers, watched.seen, strict=True)]
    time.sleep(SECONDS)
    no_more.set()
    for thread in writers:
        thread.join()
    time.sleep(LAST_LOOK)
    closed.set()
    for thread in dashboards:
        thread.join()
    if watched.problems:
        raise watched.problems[0]
    return watched


def _thread(watched: Watched, work: Callable[..., None], *given: object) -> threading.Thread:
    def worked() -> None:
        try:
            work(*given)
        except Exception as problem:  # noqa: BLE001 -- raised in the thread that waits
            watched.problems.append(problem)
        finally:
            connection.close()

    thread = threading.Thread(target=worked)
    thread.start()
    return thread


def writing(
    browser: Client, study: Study, no_more: threading.Event
) -> Iterator[tuple[float, float, str, int]]:
    """Submit one item after the other, with pauses: (sent, acknowledged, its key, the study's
    revision then)."""
    pace = random.Random()  # noqa: S311 -- when people press a key
    sent = [0.0]

    def pause() -> None:
        no_more.wait(pace.expovariate(1 / PAUSE))
        sent[0] = time.perf_counter()

    for key in submitting(browser, study, pause):
        ended = time.perf_counter()
        yield sent[0], ended, key, Study.objects.revision_now(study.pk)
        if no_more.is_set():
            return


def reading(browser: Client, study: Study, closed: threading.Event) -> Iterator[tuple[float, int]]:
    """Keep the agreement open, as it opens, and ask for newer figures as its script does: (when,
    which revision) for each page or fragment that came."""
    asked = f"/studies/{study.key}/agreement/matrix/"
    browser.connection.close()
    page = browser.ask("GET", asked)
    until = 0.0
    while not closed.wait(max(until - time.perf_counter(), 0)):
        if page:
            shut = " ".join(SHUT.findall(page))
            asked, revision = found(NEXT, page)
            asked = asked.replace("&amp;", "&")
            yield time.perf_counter(), int(revision)
        began = time.perf_counter()
        page = browser.ask("GET", asked, HX_Request="true", Concord_Waits="1", Concord_Shut=shut)
        until = 0.0 if page else began + FROM_ONE_TO_THE_NEXT


def is_at_rest(study: Study) -> bool:
    """No judge has a call in hand, and the figures are those of the newest revision."""
    if JudgeCall.objects.filter(run__study=study, state=CallState.LEASED).exists():
        return False
    study.refresh_from_db()
    return not store.newest_kept(study.pk, GLANCE).is_behind(study.revision)


def is_exact(study: Study) -> bool:
    """Whether the stored figures, in every view, are those that the rows alone give."""
    stored = store.newest(study.pk, GLANCE)
    anew = GLANCE.in_each_view(matrices.read_rows(study.pk), at=timezone.now())
    return all(
        replace(made, computed_at=stored[made.view].computed_at) == stored[made.view]
        for made in anew
    )


def _figures(study: Study, watched: Watched) -> Iterator[BenchFigure]:
    waited, delays = sorted(watched.waited), watched.delays
    yield BenchFigure(
        f"{ANNOTATORS} annotators, one answer every {PAUSE:.0f} s each",
        f"{len(waited) / SECONDS:.1f}/s, p95 {1000 * at_share(waited, 0.95):.0f} ms to submit",
    )
    n_missed = len(watched.accepted) * DASHBOARDS - len(delays)
    yield BenchFigure(
        f"acknowledged answer to each of {DASHBOARDS} dashboards",
        f"p50 {at_share(delays, 0.5):.2f} s, p95 {at_share(delays, 0.95):.2f} s, "
        f"longest {delays[-1]:.2f} s, {n_missed} not shown",
    )
    yield BenchFigure("acknowledged answers", kept(study, watched.keys))
    yield BenchFigure("stored figures equal those made anew from the rows", f"{is_exact(study)}")
