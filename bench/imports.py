"""Imports: rows a second, and how far the memory of the process grows with the file."""

import csv
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import openpyxl
from django.db import connection, transaction
from django.utils import timezone

from annotation.actions import studies
from annotation.actions.imports.copying import copy_in
from annotation.actions.imports.items import import_items
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import Item, Origin, Rater, Rating, Study, Submission
from annotation.readers.records import Source
from annotation.rubric.loading import load, shipped
from bench.figures import BenchFigure

RUBRIC = shipped()["mentalalign"]
KEYS = [criterion.key for criterion in load(RUBRIC).criteria]
GENERATORS = [f"source_{number}" for number in range(10)]
ROWS_OF_ITEMS = (10_000, 50_000)
CONVERSATIONS = (200, 1_000)
TURNS = "".join(
    f"[seeker]第{number}天还是睡不着，心里很乱。[supporter]That sounds hard. What keeps you awake?"
    for number in range(4)
)


def run() -> list[BenchFigure]:
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_items(Path(folder)),
            *_ratings(Path(folder), _workbook, "workbook"),
            *_ratings(Path(folder), _table, "table in no order"),
            *_copy_beside_insert(),
        ]


def _items(folder: Path) -> Iterator[BenchFigure]:
    for rows in ROWS_OF_ITEMS:
        study = _study(f"items-{rows}")
        read = partial(_import_items, study, _items_file(folder, rows))
        yield _figure(f"{rows:,} items from CSV", rows, in_a_process(read))
        yield _figure(f"{rows:,} items, nothing new", rows, in_a_process(read))


def _ratings(
    folder: Path, write: Callable[[Path, int], Source], layout: str
) -> Iterator[BenchFigure]:
    for conversations in CONVERSATIONS:
        rows = conversations * len(GENERATORS) * len(KEYS)
        study = _study(f"ratings-{conversations}-{uuid4().hex[:8]}")
        _import_ratings(study, _workbook(folder, conversations), "first", with_items=True)
        source = write(folder, conversations)
        read = partial(_import_ratings, study, source, f"rater-{uuid4().hex[:8]}")
        yield _figure(f"{rows:,} ratings from a {layout}", rows, in_a_process(read))
        yield _figure(f"{rows:,} ratings, nothing new", rows, in_a_process(read))


def _copy_beside_insert() -> Iterator[BenchFigure]:
    """Why rows are written with COPY."""
    study = _study("copy")
    rater = Rater.objects.create(key="copy", name="copy", kind="human")
    rows = 20_000
    with transaction.atomic():
        item = Item.objects.filter(study__key__startswith="ratings").first()
        submissions = [
            Submission(
                key=uuid4(),
                study=study,
                item=item,
                rater=rater,
                rubric_version_id=study.rubric_version_id,
                origin=Origin.IMPORT,
                repeat=repeat,
                submitted_at=timezone.now(),
            )
            for repeat in range(1, 2 * rows // len(KEYS) + 2)
        ]
        Submission.objects.bulk_create(submissions, batch_size=2_000)
        pairs = [(one.pk, key) for one in submissions for key in KEYS][: 2 * rows]
        started = time.perf_counter()
        Rating.objects.bulk_create(
            (Rating(submission_id=pk, criterion_key=key, score=3) for pk, key in pairs[:rows]),
            batch_size=2_000,
        )
        inserted = time.perf_counter() - started
        started = time.perf_counter()
        columns = ["submission_id", "criterion_key", "score"]
        copy_in(Rating, columns, ((pk, key, 3) for pk, key in pairs[rows:]))
        copied = time.perf_counter() - started
        transaction.set_rollback(True)
    yield BenchFigure(
        "COPY beside bulk_create, same rows", f"{inserted / copied:.1f} times as fast"
    )


class Cost(NamedTuple):
    """What some work took; `cpu` is this process alone, without the database server."""

    seconds: float
    cpu: float
    megabytes: float


def _figure(name: str, rows: int, cost: Cost) -> BenchFigure:
    return BenchFigure(
        name,
        f"{rows / cost.seconds:>7,.0f} a second, {rows / cost.cpu:>7,.0f} a second of CPU, "
        f"+{cost.megabytes:.0f} MB",
    )


def in_a_process(work: Callable[[], None]) -> Cost:
    """Do the work in a process of its own; its memory is counted from where it starts."""
    connection.close()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(work, theirs))
    process.start()
    theirs.close()
    measured: Cost = ours.recv()
    process.join()
    return measured


def _measure(work: Callable[[], None], out: Connection) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started, cpu_started = time.perf_counter(), time.process_time()
    work()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    connection.close()
    out.send(Cost(seconds, cpu, grown / 1024))


def _study(key: str) -> Study:
    return studies.create(
        key=key, name=key, rubric=RUBRIC, coordinator=None, by=None, at=timezone.now()
    )


def _import_items(study: Study, source: Source) -> None:
    import_items(study_id=study.pk, source=source, by=None, at=timezone.now())


def _import_ratings(study: Study, source: Source, rater: str, *, with_items: bool = False) -> None:
    report = import_ratings(
        study_id=study.pk,
        source=source,
        rater=RaterGiven(key=rater),
        by=None,
        at=timezone.now(),
        with_items=with_items,
    )
    if not report.is_written:
        raise RuntimeError(report.problems.in_order[0].words)


def _items_file(folder: Path, rows: int) -> Source:
    path = folder / f"items-{rows}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["key", "dialogue", "reply", "generator", "gold.safety"])
        for number in range(rows):
            table.writerow([number, f"{TURNS}{number // 2}", f"Reply {number}", "reed", 3])
    return Source(path=path, name=path.name)


def _workbook(folder: Path, conversations: int) -> Source:
    path = folder / f"ratings-{conversations}.xlsx"
    if not path.exists():
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        columns = [f"human_response_{generator}" for generator in GENERATORS]
        sheet.append(["ConvID", "context", *columns])
        for number in range(conversations):
            cell = json.dumps({key.capitalize(): 1 + number % 5 for key in KEYS})
            sheet.append([number, f"Message {number}. " * 20, *[cell] * len(GENERATORS)])
        book.save(path)
    return Source(path=path, name=path.name)


def _table(folder: Path, conversations: int) -> Source:
    """The same ratings, one a row, criterion by criterion: no item's rows stand together."""
    path = folder / f"ratings-{conversations}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item", "criterion", "value"])
        for key in KEYS:
            for generator in GENERATORS:
                table.writerows(
                    [f"{number}-{generator}", key, 1 + number % 5]
                    for number in range(conversations)
                )
    return Source(path=path, name=path.name)
