"""A release of MentalAlign, 209,000 ratings: there and back again, with every figure compared.

The published workbooks, in the folder that CONCORD_SHARED names, become a study of a whole running
Concord. Somebody asks for its release with texts and is refused; somebody else looks at what the
disclosure tests found and says why it may leave; a worker builds it, and it is fetched by its link.
It is then described, loaded, verified and traced by the programs that a reader would take, and made
a study again. Every table of every room is then compared, number by number. READER names another
Python than this one, in which the programs of readers are.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZipFile

import redis
from django.conf import settings
from django.utils import timezone

from accounts.models import User
from analytics import told
from analytics.exports import incoming, signing, tracing
from analytics.exports.pseudonyms import pseudonym
from analytics.models import Snapshot
from analytics.present.typesetting import record_of
from analytics.ratings.matrices import PLAIN, RELEASED, View
from analytics.rooms import ROOMS
from annotation.actions import studies, teams
from annotation.actions.imports.raters import RaterGiven
from annotation.actions.imports.ratings import import_ratings
from annotation.models import Item, Rater, RaterKind, Rating, Study, TeamRole
from annotation.readers.records import Source
from annotation.rubric.loading import shipped
from annotation.rules.granting import DataLevel
from bench.fetching import Fetched, fetched
from bench.figures import BenchFigure
from bench.imports import in_a_process
from bench.people import join, some_people
from bench.running import running

SHARED = Path(os.environ.get("CONCORD_SHARED", settings.BASE_DIR.parent / "shared"))
WORKBOOKS = SHARED / "data" / "mentalalign"
RATERS = {
    "human": ("Human_judge.xlsx", RaterKind.HUMAN, []),
    "claude": ("claude_llm_judge.xlsx", RaterKind.JUDGE, ["claude"]),
    "gpt_4o": ("gpt-4o_llm_judge.xlsx", RaterKind.JUDGE, ["gpt4o"]),
}
# As a reader would: two lines each.
LOADERS = {
    "pandas": "import pandas\nprint(len(pandas.read_parquet('ratings.parquet')))",
    "pyarrow": "from pyarrow import parquet\nprint(parquet.read_table('ratings.parquet').num_rows)",
    "datasets": "import datasets\nprint(datasets.load_dataset('../copy', 'ratings')['train'].num_rows)",
}
READER = os.environ.get("READER", sys.executable)
AGAIN = "again"
LEAKED = 50  # rows
ROWS_READ = 1_000  # of 209,000, for mlcroissant reads one after the other
NEAR = 1e-9
TOLD = ("key", "dialogue__turns", "reply", "reply_speaker")

T = TypeVar("T")


def run() -> Iterator[BenchFigure]:
    if not WORKBOOKS.is_dir():
        yield BenchFigure("release of MentalAlign", f"not measured: there is no {WORKBOOKS}")
        return
    with tempfile.TemporaryDirectory() as folder:
        with running() as concord:
            reader, checker = some_people(2)
            study, seconds = _timed(lambda: _mentalalign(reader, checker))
            yield BenchFigure("workbooks imported", f"{seconds:.1f} s")
            built = fetched(concord, study, reader=reader, checker=checker, folder=Path(folder))
        yield from _of_build(built)
        copy = Path(folder) / "copy"
        with ZipFile(built.path) as archive:
            archive.extractall(copy)
        yield from _read(copy, built.path)
        yield from _there_and_back(study, built.path)


def _of_build(built: Fetched) -> Iterator[BenchFigure]:
    counts, checked = built.manifest["counts"], built.manifest["disclosure"]["checked"]
    yield BenchFigure(
        "release built by a worker, fetched by its link",
        f"{built.seconds:.1f} s, {counts['ratings']:,} ratings of {counts['items']:,} items"
        f" with texts, {built.path.stat().st_size / 1e6:.0f} MB",
    )
    yield BenchFigure("let pass by, with the reason", f"{checked['by']}: {checked['reason']}")
    yield BenchFigure("identifiers in texts", str(built.manifest["identifiers"]["found"]))
    yield BenchFigure(
        "memory of the worker: at rest, at most",
        f"{built.at_rest:.0f}, {built.peak:.0f} MB: {built.peak - built.at_rest:.0f} more",
    )


def _read(copy: Path, archive: Path) -> Iterator[BenchFigure]:
    """What a reader does with a release, by their own programs."""
    yield BenchFigure("mlcroissant", _croissant(copy / "croissant.json"))
    for name, lines in LOADERS.items():
        rows = _program(copy, "-c", lines, python=READER)
        yield BenchFigure(f"rows of ratings that {name} loads in two lines", rows)
    yield BenchFigure("verify.py", _program(copy, "verify.py", signing.public_key()))
    part = copy / "part.jsonl"
    with (copy / "ratings.jsonl").open() as whole:
        part.write_text("".join(line for number, line in enumerate(whole) if number % 4_000 == 0))
    for name, file in (("the archive", archive), (f"one row in 4,000 ({LEAKED} or so)", part)):
        found = tracing.trace(file)
        yield BenchFigure(f"trace of {name}", found.email if found else "unknown")


def _there_and_back(study: Study, archive: Path) -> Iterator[BenchFigure]:
    cost = in_a_process(partial(_taken_in, archive, study.name))
    again = Study.objects.get(key=AGAIN)
    ratings = Rating.objects.filter(submission__study=again).count()
    yield BenchFigure(
        "imported again",
        f"{cost.seconds:.1f} s, {ratings:,} ratings, {cost.megabytes:.0f} MB more than at rest",
    )
    yield BenchFigure("texts of items equal", _equal_texts(study, again))
    # People are pseudonyms there, and judges whose keys are taken here have the study's before it.
    names = {
        pseudonym(study.release_key, rater.pk)
        if rater.kind == RaterKind.HUMAN
        else f"{AGAIN}-{rater.key}": rater.key
        for rater in Rater.objects.filter(key__in=RATERS)
    }
    # No worker is there any more: all figures are made here, from the rows.
    Snapshot.objects.all().delete()
    redis.Redis.from_url(settings.REDIS_URL).flushall()
    for name, view in (("plain", PLAIN), ("as released", RELEASED)):
        found, seconds = _timed(partial(_compared, study, again, view, names))
        yield BenchFigure(
            f"figures compared, {name}",
            f"{found.same:,} equal of {found.same + len(found.others):,} in {found.tables} tables,"
            f" furthest apart {found.furthest:.1g}, {seconds:.0f} s",
        )
        for other in found.others[:20]:
            yield BenchFigure("  another", other)


def _equal_texts(study: Study, again: Study) -> str:
    before, after = (
        {key: told for key, *told in Item.objects.filter(study=one).values_list(*TOLD)}
        for one in (study, again)
    )
    same = sum(after.get(key) == told for key, told in before.items())
    return f"{same:,} of {len(before):,}; identifiers in the others are replaced by their kind"


def _taken_in(archive: Path, name: str) -> None:
    incoming.take_in(
        archive=archive, key=AGAIN, name=name, coordinator=None, by=None, at=timezone.now()
    )


@dataclass(slots=True)
class FiguresCompared:
    """How many values are equal, and which are not; `furthest`: of those that are near."""

    tables: int = 0
    same: int = 0
    furthest: float = 0.0
    others: list[str] = field(default_factory=list)

    def take(self, place: str, before: object, after: object) -> None:
        apart = _apart(before, after)
        if apart is None or apart > NEAR:
            self.others.append(f"{place}: {before!r}, again {after!r}")
            return
        self.same += 1
        self.furthest = max(self.furthest, apart)


def _compared(study: Study, again: Study, view: View, names: Mapping[str, str]) -> FiguresCompared:
    """Every value of every table of every room, beside the same of the study made again."""
    found = FiguresCompared()
    for room in ROOMS:
        before, after = _tables(study, room, view, {}), _tables(again, room, view, names)
        for key in sorted(before.keys() | after.keys()):
            found.tables += 1
            _compare(found, key, before.get(key, {}), after.get(key, {}))
    return found


def _compare(
    found: FiguresCompared,
    table: str,
    before: Mapping[Any, Mapping[str, object]],
    after: Mapping[Any, Mapping[str, object]],
) -> None:
    for line in sorted(before.keys() | after.keys(), key=str):
        one, other = before.get(line, {}), after.get(line, {})
        for column in sorted(one.keys() | other.keys()):
            place = f"{table} {line} {column}"
            found.take(place, one.get(column, "no such line"), other.get(column, "no such line"))


def _tables(
    study: Study, room: str, view: View, names: Mapping[str, str]
) -> dict[str, dict[Any, dict[str, object]]]:
    """{table: {what a line is about: its values}}, people under the names that are given."""
    at = timezone.now()
    found = {}
    for table in told.tables(study, ROOMS[room], view, choices={}, veil=None, at=at):
        text = json.dumps(record_of(table)["figures"], default=str)
        for public, name in names.items():
            text = text.replace(public, name)
        about = [column.key for column in table.about]
        lines: dict[Any, dict[str, object]] = {}
        for values in json.loads(text):
            key = (*(str(values.get(one)) for one in about),)
            lines[*key, sum(known[: len(key)] == key for known in lines)] = values
        found[table.key] = lines
    return found


def _apart(before: object, after: object) -> float | None:
    """How far two values are from one another; None where that is no number."""
    if before == after:
        return 0.0
    if isinstance(before, int | float) and isinstance(after, int | float):
        return abs(before - after)
    return None


def _mentalalign(reader: User, checker: User) -> Study:
    study = studies.create(
        key="mentalalign",
        name="MentalAlign",
        rubric=shipped()["mentalalign"],
        coordinator=checker,
        by=reader,
        at=timezone.now(),
    )
    join(study, [checker], TeamRole.COORDINATOR)
    teams.set_roles(
        study_id=study.pk,
        email=reader.email,
        roles=[TeamRole.EXPORTER],
        also=list(DataLevel),
        by=None,
        at=timezone.now(),
    )
    for key, (name, kind, own) in RATERS.items():
        report = import_ratings(
            study_id=study.pk,
            source=Source(path=WORKBOOKS / name, name=name),
            rater=RaterGiven(key=key, kind=kind, own_generators=own),
            by=reader,
            at=timezone.now(),
            with_items=True,
        )
        if not report.is_written:
            raise RuntimeError(report.problems.in_order[0].words)
    study.refresh_from_db()
    return study


def _croissant(path: Path) -> str:
    import mlcroissant  # noqa: PLC0415 -- for tests and this measurement alone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        described = mlcroissant.Dataset(path)
        issues = described.metadata.ctx.issues
        rows = sum(1 for _row in islice(described.records("ratings"), ROWS_READ))
    return f"{len(issues.errors)} errors, {len(issues.warnings)} warnings, {rows:,} rows read"


def _program(folder: Path, *arguments: str, python: str = sys.executable) -> str:
    """The last line that a program of Python says in a folder."""
    ended = subprocess.run(
        [python, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"HF_HOME": str(folder / "cache"), "HF_HUB_OFFLINE": "1"},
    )
    said = (ended.stdout if ended.returncode == 0 else ended.stderr).splitlines()
    return said[-1]


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    return work(), time.perf_counter() - started
