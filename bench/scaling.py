"""How what people wait for grows with a study: at N ratings, and at a tenth of them.

One person and four judges rate every item on seven criteria, ten replies a dialogue. N is 20,000;
RATINGS=1000000 makes as many. What is quoted is the ratio: ten times the ratings, how many times
the wait. Imports, exports and their memory are measured in a process of their own.
"""

import csv
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.ledger import sealing
from accounts.ledger.verifying import verify
from accounts.models import User
from analytics.agreement.numbers import GLANCE, PART
from analytics.exports import actions as exports
from analytics.figures import store
from analytics.figures.part import Part
from analytics.ratings import columns
from annotation.actions import studies
from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import RaterKind, Study, TeamRole
from annotation.readers.records import Source
from annotation.rubric.loading import load, shipped
from bench.agreement import new_rating
from bench.figures import BenchFigure
from bench.imports import in_a_process
from bench.people import join, some_people

RATINGS = int(os.environ.get("RATINGS", "20000"))
RUBRIC = shipped()["mentalalign"]
KEYS = [criterion.key for criterion in load(RUBRIC).criteria]
RATERS, GENERATORS = 5, 10
TENTH = 10


def run() -> Iterator[BenchFigure]:
    with tempfile.TemporaryDirectory() as folder:
        settings.EXPORT_DIR = Path(folder) / "exports"
        settings.CHECKPOINT_DIR = Path(folder) / "ledger"
        settings.ALLOWED_HOSTS = ["testserver"]
        call_command("collectstatic", interactive=False, verbosity=0)
        (owner,) = some_people(1)
        small = dict(_measured(RATINGS // TENTH, owner, Path(folder)))
        large = dict(_measured(RATINGS, owner, Path(folder)))
    for name, seconds in large.items():
        unit = "MB" if name.endswith("memory") else "s"
        yield BenchFigure(
            f"{name}, {RATINGS // TENTH:,} and {RATINGS:,} ratings",
            f"{small[name]:.2f} and {seconds:.2f} {unit}, {_ratio(seconds, small[name])}",
        )
    yield BenchFigure("most memory of this process", f"{_most_memory():.0f} MB")


def _measured(n: int, owner: User, folder: Path) -> Iterator[tuple[str, float]]:
    """(what, seconds or megabytes) of a study of so many ratings."""
    study = _study(n, owner)
    n_items = n // (RATERS * len(KEYS))
    items, files = _items_file(folder, n_items), _ratings_files(folder, n_items)
    yield "import of items", in_a_process(partial(_import_items, study, items)).seconds
    cost = in_a_process(partial(import_tables, study, files))
    yield "import of ratings", cost.seconds
    yield "import of ratings, memory", cost.megabytes
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    study.refresh_from_db()
    yield "columns packed", _seconds(partial(columns.fold, study.pk), times=1)
    yield "figures, all with intervals", _seconds(partial(_refresh, study, PART), times=1)
    _refresh(study, GLANCE)
    yield "live figure after one rating", _seconds(partial(_live, study))
    yield "first page", _seconds(partial(_page, study, owner))
    cost = in_a_process(partial(_export, study, owner))
    yield "release", cost.seconds
    yield "release, memory", cost.megabytes
    yield "ledger sealed", _seconds(sealing.seal_all, times=1)
    yield "ledger verified", _seconds(partial(_verify, folder), times=1)


def unrated(n: int, owner: User, folder: Path) -> tuple[Study, list[Source]]:
    """A study, for other measures, and the tables in which so many ratings of its items stand."""
    study = _study(n, owner)
    n_items = n // (RATERS * len(KEYS))
    _import_items(study, _items_file(folder, n_items))
    return study, _ratings_files(folder, n_items)


def _study(n: int, owner: User) -> Study:
    key = f"scaling-{n}"
    study = studies.create(
        key=key, name=key, rubric=RUBRIC, coordinator=owner, by=owner, at=timezone.now()
    )
    join(study, [owner], TeamRole.COORDINATOR, TeamRole.EXPORTER)
    return study


def _items_file(folder: Path, n: int) -> Source:
    path = folder / f"items-{n}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["key", "dialogue", "reply", "generator"])
        table.writerows(
            (
                number,
                f"[seeker]Day {number // GENERATORS}: I still do not sleep.",
                f"That sounds hard. What keeps you awake? ({number})",
                f"source_{number % GENERATORS}",
            )
            for number in range(n)
        )
    return Source(path=path, name=path.name)


def _ratings_files(folder: Path, n: int) -> list[Source]:
    """A table a rater: what all of them see in an item, and what each adds."""
    draw = np.random.default_rng(2026)
    truth = draw.normal(size=(n, len(KEYS)))
    found = []
    for rater in range(RATERS):
        given = np.clip(np.round(3 + truth + 0.8 * draw.normal(size=truth.shape)), 1, 5)
        path = folder / f"ratings-{n}-{rater}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["item", *KEYS])
            table.writerows((number, *row) for number, row in enumerate(given.astype(int).tolist()))
        found.append(Source(path=path, name=path.name))
    return found


def _import_items(study: Study, source: Source) -> None:
    import_items(study_id=study.pk, source=source, by=None, at=timezone.now())


def import_tables(study: Study, sources: list[Source]) -> None:
    for number, source in enumerate(sources):
        report = import_ratings(
            study_id=study.pk,
            source=source,
            rater=RaterGiven(
                key=f"{study.key}-{number}",
                kind=RaterKind.JUDGE if number else RaterKind.HUMAN,
                own_generators=[],
            ),
            by=None,
            at=timezone.now(),
        )
        if not report.is_written:
            raise RuntimeError(report.problems.in_order[0].words)


def _refresh(study: Study, part: Part[Any]) -> None:
    store.refresh(study_id=study.pk, part=part, at=timezone.now())


def _live(study: Study) -> None:
    new_rating(study)
    _refresh(study, GLANCE)


def _page(study: Study, owner: User) -> None:
    browser = Client()
    browser.force_login(owner)
    answer = browser.get(f"/studies/{study.key}/agreement/")
    if answer.status_code != 200:
        raise RuntimeError(f"The page answered {answer.status_code}.")


def _export(study: Study, owner: User) -> None:
    exports.build(study_key=study.key, with_texts=False, by=owner, at=timezone.now()).remove()


def _verify(folder: Path) -> None:
    audit = verify(folder=folder / "ledger")
    if audit.findings:
        raise RuntimeError(str(audit.findings[0]))


def _ratio(large: float, small: float) -> str:
    return f"{large / small:.1f} times" if small > 0.005 else "too little at a tenth to compare"


def _most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _seconds(work: Callable[[], object], times: int = 3) -> float:
    """The shortest of a few runs."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)
