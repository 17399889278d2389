"""Figures: how long rows take to become arrays, arrays figures, and a rating a fresh page.

Beside reading stands a bare COPY of the same rows, beside statistics pingouin, in the same run.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pingouin
from django.db import connection
from django.db.models import F
from django.utils import timezone

from analytics import matrices, snapshots
from analytics.matrices import StudyRatings
from analytics.reports.agreement import PART
from analytics.stats.agreement import two_raters
from annotation.actions import studies
from annotation.models import Dialogue, Item, Rater, Study
from annotation.rubric.loading import shipped
from bench.figures import Figure

DIALOGUES, GENERATORS, RATERS = 1_000, 10, 3
SUBMIT = """
INSERT INTO annotation_submission
    (key, study_id, item_id, rater_id, rubric_version_id, origin, repeat, submitted_at, comment,
     is_current)
SELECT gen_random_uuid(), item.study_id, item.id, rater.id, %(version)s, 'import', 1, now(), '',
    TRUE
FROM annotation_item item CROSS JOIN annotation_rater rater
WHERE item.study_id = %(study)s
"""
RATE = """
INSERT INTO annotation_rating (submission_id, criterion_key, score, unscored, off_scale)
SELECT submission.id, criterion.key,
    1 + (hashint8(submission.item_id) + floor(random() * 2)::int & 3), '', FALSE
FROM annotation_submission submission CROSS JOIN unnest(%(keys)s::text[]) AS criterion (key)
WHERE submission.study_id = %(study)s
"""
COPY = """
COPY (
    SELECT submission.rater_id, submission.item_id, rating.criterion_key, rating.score
    FROM annotation_submission submission
    JOIN annotation_rating rating ON rating.submission_id = submission.id
    WHERE submission.study_id = %s AND submission.is_current
) TO STDOUT (FORMAT BINARY)
"""


def run() -> Iterator[Figure]:
    study = _study()
    n_ratings = DIALOGUES * GENERATORS * RATERS * len(_keys(study))
    copied = _seconds(lambda: _copy(study))
    read = _seconds(lambda: matrices.read(study.pk))
    yield Figure(f"{n_ratings:,} ratings read into arrays", f"{read:.2f} s")
    yield Figure("  of a bare COPY of the same rows", f"{read / copied:.2f} times")
    ratings = matrices.read(study.pk)
    computed = _seconds(lambda: _report(ratings))
    yield Figure("every figure of the page, with intervals", f"{computed:.2f} s")
    yield from _beside_pingouin(ratings)
    yield Figure("one change to a fresh page", f"{_seconds(lambda: _change(study)):.2f} s")
    yield Figure("  asked again without a change", f"{1000 * _seconds(lambda: _ask(study)):.1f} ms")


def _study() -> Study:
    now = timezone.now()
    study = studies.create(
        key="figures",
        name="Figures",
        rubric=shipped()["mentalalign"],
        coordinator=None,
        by=None,
        at=now,
    )
    dialogues = Dialogue.objects.bulk_create(
        Dialogue(study=study, key=str(number), turns=[]) for number in range(DIALOGUES)
    )
    Item.objects.bulk_create(
        (
            Item(
                study=study,
                dialogue=dialogue,
                key=f"{dialogue.key}-{number}",
                position=number,
                generator=f"source {number}",
                content_sha256="0" * 64,
            )
            for dialogue in dialogues
            for number in range(GENERATORS)
        ),
        batch_size=2_000,
    )
    for number in range(RATERS):
        kind = "human" if number < RATERS - 1 else "judge"
        Rater.objects.create(key=f"rater-{number}", name=f"Rater {number}", kind=kind)
    with connection.cursor() as cursor:
        cursor.execute(SUBMIT, {"study": study.pk, "version": study.rubric_version_id})
        cursor.execute(RATE, {"study": study.pk, "keys": _keys(study)})
        cursor.execute("ANALYZE")
    return study


def _keys(study: Study) -> list[str]:
    return [criterion.key for criterion in study.rubric_version.content.criteria]


def _copy(study: Study) -> None:
    with connection.cursor() as cursor, cursor.copy(COPY, [study.pk]) as rows:
        for _piece in rows:
            pass


def _report(ratings: StudyRatings) -> None:
    list(PART.in_each_view(ratings, at=timezone.now()))


def _beside_pingouin(ratings: StudyRatings) -> Iterator[Figure]:
    table = matrices.matrix(ratings, "safety")
    x, y = table.values[:, 0], table.values[:, -1]
    long = pd.DataFrame(
        {
            "item": np.tile(np.arange(x.size), 2),
            "rater": np.repeat([0, 1], x.size),
            "rating": np.concatenate([x, y]),
        }
    )
    theirs = _seconds(
        lambda: pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="rating")
    )
    ours = _seconds(
        lambda: two_raters(
            x,
            y,
            clusters=ratings.dialogues,
            points=table.points,
            measurement="ordinal",
            only={"icc_a1", "icc_c1"},
        )
    )
    yield Figure("ICC(A,1) and ICC(C,1) of 10,000 pairs, by dialogue", f"{1000 * ours:.1f} ms")
    yield Figure("  beside pingouin, F-based", f"{theirs / ours:.0f} times as fast")


def _change(study: Study) -> None:
    Study.objects.filter(pk=study.pk).update(revision=F("revision") + 1)
    snapshots.refresh(study_id=study.pk, part=PART, at=timezone.now())
    snapshots.newest(study.pk, PART)


def _ask(study: Study) -> None:
    revision = Study.objects.values_list("revision", flat=True).get(pk=study.pk)
    snapshots.keep_fresh(study_id=study.pk, part=PART, revision=revision, at=timezone.now())


def _seconds(work: Callable[[], object], times: int = 3) -> float:
    """The shortest of a few runs."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)
