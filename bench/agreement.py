"""Figures: how long rows take to become arrays, arrays figures, and a rating a fresh page.

The study is as large as the published one: one person and four judges, seven criteria, 10,000
replies. Beside reading stands a bare COPY of the same rows, beside statistics pingouin and scipy,
in the same run; what they would take for all cells and resamples is reckoned from a few.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from uuid import uuid4

import numpy as np
import pandas as pd
import pingouin
from django.db import connection, transaction
from django.utils import timezone
from scipy import stats

from analytics.agreement.numbers import PART
from analytics.figures import store as snapshots
from analytics.ratings import columns as packed
from analytics.ratings import matrices
from analytics.ratings.matrices import StudyRatings
from analytics.stats import icc, pairs
from analytics.stats.cells import numbered
from analytics.stats.intervals import many_jackknives
from analytics.stats.scales import Floats, points_of
from annotation.actions import studies
from annotation.actions.studies import note_change
from annotation.models import Dialogue, Item, Rater, Rating, Study, Submission
from annotation.rubric.loading import shipped
from bench.figures import BenchFigure

DIALOGUES, GENERATORS, RATERS = 1_000, 10, 5
RESAMPLES = 1_000
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


def run() -> Iterator[BenchFigure]:
    study = _study()
    n_ratings = DIALOGUES * GENERATORS * RATERS * len(_keys(study))
    copied = _seconds(lambda: _copy(study))
    rows = _seconds(lambda: matrices.read_rows(study.pk))
    yield BenchFigure(f"{n_ratings:,} ratings from rows to arrays", f"{rows:.2f} s")
    yield BenchFigure("  beside a bare COPY of the same rows", f"{rows / copied:.2f} times")
    packed.fold(study.pk)
    read = _seconds(lambda: matrices.read(study.pk))
    yield BenchFigure(
        "  from the packed columns", f"{1000 * read:.1f} ms, {rows / read:.0f} times as fast"
    )
    ratings = matrices.read(study.pk)
    computed = _seconds(lambda: _report(ratings))
    yield BenchFigure("every figure of the page, with intervals", f"{computed:.2f} s")
    yield from _beside_others(ratings)
    yield from _as_items_grow()
    _change(study)
    yield BenchFigure(
        "one new rating to a fresh figure", f"{_seconds(lambda: _change(study)):.2f} s"
    )
    yield BenchFigure(
        "  asked again without a change", f"{1000 * _seconds(lambda: _ask(study)):.1f} ms"
    )


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
        kind = "judge" if number else "human"
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


def _beside_others(ratings: StudyRatings) -> Iterator[BenchFigure]:
    """ICC(A,1) and ICC(C,1) of every judge and criterion, with intervals."""
    tables = [matrices.matrix(ratings, key) for key in ratings.meanings]
    cells = [(table.values[:, 0], table.of(judge)) for table in tables for judge in ratings.judges]
    points = points_of(tables[0].points)
    numbers, size = numbered(ratings.dialogues, ratings.items.size)

    def from_ratings() -> Floats:
        return np.stack(
            [
                pairs.sums(pairs.cluster_counts(x, y, points, numbers, size), points)
                for x, y in cells
            ]
        )

    counted = from_ratings()
    ours = _seconds(lambda: _intervals(counted))
    first = _seconds(from_ratings)
    theirs = len(cells) * RESAMPLES * _seconds(lambda: _pingouin(*cells[0]))
    scipys = len(cells) * _seconds(lambda: _scipy(*cells[0]), times=1)
    yield BenchFigure(
        f"{len(cells)} cells, both ICCs by dialogue, with intervals", f"{1000 * ours:.1f} ms"
    )
    yield BenchFigure("  counting first, from the ratings", f"{1000 * (ours + first):.1f} ms")
    yield BenchFigure(
        f"  beside pingouin on {RESAMPLES:,} resamples in a loop (reckoned)",
        f"{theirs / ours:,.0f} times as fast",
    )
    yield BenchFigure(
        f"  beside scipy.stats.bootstrap, as many (one cell x {len(cells)})",
        f"{scipys / ours:,.0f} times as fast",
    )


def _as_items_grow() -> Iterator[BenchFigure]:
    """The same cells of ever more items in a thousand dialogues, from their counts."""
    chance = np.random.default_rng(1)
    taken = {}
    for n_items in (1_000, 10_000, 1_000_000):
        counts = chance.multinomial(n_items // DIALOGUES, np.full(25, 1 / 25), (28, DIALOGUES))
        tables = counts.reshape(28, DIALOGUES, 5, 5).astype(np.float64)
        counted = pairs.sums(tables, points_of(range(1, 6)))
        taken[n_items] = _seconds(partial(_intervals, counted), times=5)
    yield BenchFigure(
        "  the same of " + ", ".join(f"{n_items:,}" for n_items in taken) + " items",
        ", ".join(f"{1000 * seconds:.1f}" for seconds in taken.values()) + " ms",
    )


def _intervals(counted: Floats) -> list[tuple[Floats, Floats, Floats]]:
    """Values and limits of both ICCs from the sums (cells, dialogues, 6)."""
    return [
        many_jackknives(lambda six: icc.agreement(pairs.mean_squares(six)), counted),
        many_jackknives(lambda six: icc.consistency(pairs.mean_squares(six)), counted),
    ]


def _pingouin(x: Floats, y: Floats) -> object:
    long = pd.DataFrame(
        {
            "item": np.tile(np.arange(x.size), 2),
            "rater": np.repeat([0, 1], x.size),
            "rating": np.concatenate([x, y]),
        }
    )
    return pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="rating")


def _scipy(x: Floats, y: Floats) -> object:
    def both(x: Floats, y: Floats, axis: int) -> Floats:
        six = np.stack([np.full_like(x, 1.0), x, y, x * x, y * y, x * y], axis=-1).sum(
            axis=axis - 1 if axis < 0 else axis
        )
        ms = pairs.mean_squares(six)
        return np.stack([icc.agreement(ms), icc.consistency(ms)])

    return stats.bootstrap(
        (x, y),
        both,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=50,
        method="percentile",
        rng=np.random.default_rng(1),
    )


def new_rating(study: Study) -> None:
    """One more answer of a judge, as a judge run stores it."""
    given = Submission.objects.filter(study=study, is_current=True).order_by("?")[0]
    Submission.objects.filter(pk=given.pk).update(is_current=False)
    ratings = list(given.ratings.all())
    given.pk, given.key, given.is_current, given.supersedes_id = None, uuid4(), True, given.pk
    given.save()
    for rating in ratings:
        rating.pk, rating.submission = None, given
    Rating.objects.bulk_create(ratings)
    note_change(study_id=study.pk)


def _change(study: Study) -> None:
    with transaction.atomic():
        new_rating(study)
    snapshots.refresh(study_id=study.pk, part=PART, at=timezone.now())
    snapshots.newest(study.pk, PART)


def _ask(study: Study) -> None:
    revision = Study.objects.revision_now(study.pk)
    snapshots.keep_fresh(study_id=study.pk, part=PART, revision=revision, at=timezone.now())


def _seconds(work: Callable[[], object], times: int = 3) -> float:
    """The shortest of a few runs."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)
