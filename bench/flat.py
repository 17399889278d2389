"""Memory that plain tables of ratings, a release with its texts, bringing it in again and a judge run
take: at N ratings, and at a tenth; the run makes as many calls.

Each in a process of its own, counted from where it starts. RATINGS=700000 makes as many, RUN=no leaves
the run out; what is quoted is how much more the whole takes than the tenth.
"""

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from accounts.models import User
from analytics.exports import actions as exports
from analytics.exports import incoming
from annotation.actions import teams
from annotation.models import Study, TeamRole
from annotation.rules.granting import DataLevel
from bench.figures import BenchFigure
from bench.imports import Cost, in_a_process
from bench.judging import endpoint, started
from bench.people import a_study, some_people
from bench.scaling import import_tables, unrated
from judging.actions import work

RATINGS = int(os.environ.get("RATINGS", "70000"))
RUN = os.environ.get("RUN", "yes") == "yes"
TENTH = 10
AT_ONCE = 32


def run() -> Iterator[BenchFigure]:
    with tempfile.TemporaryDirectory() as folder, endpoint() as settings.LLM_BASE_URL:
        settings.EXPORT_DIR = Path(folder) / "exports"
        (owner,) = some_people(1)
        small, large = (_costs(n, owner, Path(folder)) for n in (RATINGS // TENTH, RATINGS))
    for name, tenth in small.items():
        whole = large[name]
        yield BenchFigure(
            f"{name}, {RATINGS // TENTH:,} and {RATINGS:,} ratings",
            f"{tenth.megabytes:.0f} and {whole.megabytes:.0f} MB: "
            f"{whole.megabytes - tenth.megabytes:.0f} more; {whole.cpu:.0f} s of CPU",
        )


def _costs(n: int, owner: User, folder: Path) -> dict[str, Cost]:
    study, tables = unrated(n, owner, folder)
    brought = in_a_process(partial(import_tables, study, tables))
    study.refresh_from_db()
    teams.set_roles(
        study_id=study.pk,
        email=owner.email,
        roles=[TeamRole.COORDINATOR, TeamRole.EXPORTER],
        also=list(DataLevel),
        by=None,
        at=timezone.now(),
    )
    archive = folder / f"{n}.zip"
    costs = {
        "rating tables brought in": brought,
        "release": in_a_process(partial(_release, study, owner, archive)),
        "release brought in": in_a_process(partial(_bring_in, archive, f"again-{n}")),
    }
    if RUN:
        costs["judge run"] = in_a_process(partial(_judge, _to_judge(n, owner)))
    return costs


def _release(study: Study, owner: User, archive: Path) -> None:
    at = timezone.now()
    built = exports.build(study_key=study.key, with_texts=True, by=owner, at=at)
    built.path.rename(archive)
    built.remove()


def _to_judge(n: int, owner: User) -> Study:
    return a_study(f"judged-{n}", rubric="dialogue_safety", n_items=n, annotators=[owner])


def _judge(study: Study) -> None:
    judge_run = started(study, AT_ONCE, repeats=1)
    while work.work_on(run_id=judge_run.pk, clock=timezone.now):
        pass


def _bring_in(archive: Path, key: str) -> None:
    incoming.take_in(
        archive=archive, key=key, name=key, coordinator=None, by=None, at=timezone.now()
    )
