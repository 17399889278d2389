"""How much memory everything that `make run` starts takes: at rest, under load, and whether it grows.

Pages that several processes share are counted once (PSS). Ten annotators submit 4,000 items in
five parts; SUBMISSIONS=100000 has them submit as many.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from django.db import connection

from annotation.models import Study
from bench import processes
from bench.figures import BenchFigure
from bench.load import Client
from bench.people import some_people
from bench.running import running
from bench.submitting import a_round, signed_in, submitting

SUBMISSIONS = int(os.environ.get("SUBMISSIONS", "4000"))
PARTS = 5
ANNOTATORS = 10
SETTLE = 10.0  # seconds in which workers finish what the last submissions asked for


def run() -> Iterator[BenchFigure]:
    launcher = os.getppid()  # `make bench` starts this with the same program, keeper and services
    with running() as concord:
        people = some_people(ANNOTATORS)
        browsers = [signed_in(concord.port, one, number) for number, one in enumerate(people)]
        time.sleep(SETTLE)
        started = {**concord.roots, "launcher": launcher}
        yield BenchFigure("at rest", _told(_taken(started)))
        after: list[dict[str, float]] = []
        a_browser = SUBMISSIONS // PARTS // ANNOTATORS
        for part in range(1, PARTS + 1):
            submit(browsers, a_round(f"bench-{part}", people), a_browser)
            time.sleep(SETTLE)
            after.append(_taken(started))
            done = part * a_browser * ANNOTATORS
            yield BenchFigure(f"after {done:,} submissions", _told(after[-1]))
        growth = {name: now - after[0][name] for name, now in after[-1].items()}
        yield BenchFigure("growth since the first of these", _told(growth))


def submit(browsers: Sequence[Client], study: Study, each: int) -> None:
    """Have everybody submit so many items at once."""

    def work(browser: Client) -> int:
        return sum(1 for _ in islice(submitting(browser, study), each))

    with ThreadPoolExecutor(len(browsers)) as pool:
        done = sum(pool.map(work, browsers))
    if done != each * len(browsers):
        raise RuntimeError(f"{study.key}: {done} submissions instead of {each * len(browsers)}")


def _taken(started: Mapping[str, int]) -> dict[str, float]:
    """Without the session that this measurement has in the database."""
    connection.close()
    time.sleep(1)
    return processes.megabytes_of(started)


def _told(megabytes: Mapping[str, float]) -> str:
    parts = ", ".join(f"{name} {size:.0f}" for name, size in megabytes.items())
    return f"{sum(megabytes.values()):.0f} MB: {parts}"
