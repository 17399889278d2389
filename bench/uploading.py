"""What the web server takes while a file of a million rows is uploaded, looked at and brought in.

All that `make run` starts stands. Somebody uploads through the page, watches how far a worker is,
has the file imported, and cancels a second import. Told are the longest request of each kind, and
by how much memory of the web server grew at its highest. ROWS=100000 takes a smaller file.
"""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from annotation.models import FileJob, Item, Rating, Study
from bench import processes
from bench.figures import BenchFigure
from bench.load import Client
from bench.people import PASSWORD, a_study, some_people
from bench.running import Running, running, wait_until

ROWS = int(os.environ.get("ROWS", "1000000"))
ITEMS = 10_000
RUBRIC = "mentalalign"
CRITERION = "empathy"
PATIENCE = 1_800.0  # seconds


def run() -> Iterator[BenchFigure]:
    with running() as concord:
        [person] = some_people(1)
        study = a_study("bench-upload", rubric=RUBRIC, n_items=ITEMS, annotators=[person])
        uploading = Uploading(concord, study)
        uploading.browser.sign_in(person.email, PASSWORD)
        uploading.look("before")
        with growing(concord) as megabytes:
            content = a_table(study)
            job = uploading.send(content)
            uploading.follow(job)
            uploading.follow(uploading.bring_in(job))
            uploading.cancel(uploading.send(content))
        yield BenchFigure(f"{ROWS:,} rows, {len(content) / 2**20:.0f} MB", _brought_in(study))
        for what, seconds in uploading.longest.items():
            yield BenchFigure(f"  longest request, {what}", f"{seconds:.2f} s")
        yield BenchFigure("  memory of the web server, at most", f"{max(megabytes):+.0f} MB")


class Uploading:
    """Somebody at a browser, and how long each kind of request took at most, in seconds."""

    def __init__(self, concord: Running, study: Study) -> None:
        self.browser = Client(concord.port)
        self.page = f"/studies/{study.key}/"
        self.longest: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.longest[what] = max(self.longest[what], time.perf_counter() - begin)

    def look(self, what: str) -> None:
        with self.timed(what):
            self.browser.ask("GET", f"{self.page}ratings/import/")

    def send(self, content: bytes) -> str:
        """The address of the job that looks at the file."""
        with self.timed("upload"):
            return self.browser.upload(f"{self.page}ratings/import/", "ratings.csv", content)

    def follow(self, job: str) -> None:
        """Look how far it is, as the page does, until it has ended; then look at what came of it."""

        def has_ended() -> bool:
            with self.timed("progress"):
                _status, _body = self.browser.send("GET", f"{job}progress/", HX_Request="true")
            return not FileJob.objects.get(pk=_number(job)).is_under_way

        wait_until(has_ended, patience=PATIENCE)
        with self.timed("result"):
            self.browser.ask("GET", job)

    def bring_in(self, job: str) -> str:
        with self.timed("import"):
            return self.browser.submit(job, {}, to=f"{job}import/")

    def cancel(self, job: str) -> None:
        with self.timed("cancel"):
            self.browser.submit(job, {}, to=f"{job}cancel/")


@contextmanager
def growing(concord: Running) -> Iterator[list[float]]:
    """Megabytes of the web server more than at the beginning, ten times a second."""
    web = {"web": concord.roots["web"]}
    before = processes.megabytes_of(web)["web"]
    grown: list[float] = []
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(0.1):
            grown.append(processes.megabytes_of(web)["web"] - before)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield grown
    finally:
        is_over.set()
        looking.join()


def a_table(study: Study) -> bytes:
    """One rating a row: every rater rates every item by one criterion."""
    keys = list(Item.objects.filter(study=study).values_list("key", flat=True))
    rows = ["item,rater,criterion,value"]
    for number in range(ROWS):
        rater, place = divmod(number, len(keys))
        rows.append(f"{keys[place]},reader-{rater},{CRITERION},{1 + (number * 7 + rater) % 5}")
    return "\n".join(rows).encode()


def _number(job: str) -> int:
    return int(job.rstrip("/").rpartition("/")[2])


def _brought_in(study: Study) -> str:
    return f"{Rating.objects.filter(submission__study=study).count():,} ratings are in"
