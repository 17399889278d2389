"""What partitions by study would change: ratings in one table, beside the same in a partition a study.

STUDIES studies of ROWS / STUDIES ratings each, with the indexes and columns of `annotation_rating`, in
no order between studies as they would come in. ROWS=3000000 STUDIES=100. Seconds are wall-clock on
whatever else the machine does: quote the ratios.
"""

import os
import statistics
import time
from collections.abc import Iterator

from django.db import connection

from bench.figures import BenchFigure

ROWS = int(os.environ.get("ROWS", "300000"))
STUDIES = int(os.environ.get("STUDIES", "30"))
TIMES = 20
COLUMNS = """
    id bigint NOT NULL, study_id bigint NOT NULL, submission_id bigint NOT NULL,
    criterion_key varchar(100) NOT NULL, label varchar(100), score smallint,
    unscored varchar(30) NOT NULL DEFAULT '', path text NOT NULL DEFAULT '', off_scale boolean NOT NULL
"""
FILL = """
INSERT INTO {table} (id, study_id, submission_id, criterion_key, score, off_scale)
SELECT n, mod(n / 700, {studies}), n / 7, 'criterion_' || mod(n, 7), 1 + mod(n, 5), false
FROM generate_series(1, {rows}) n
"""
ONE_MORE = """
INSERT INTO {table} (id, study_id, submission_id, criterion_key, score, off_scale)
SELECT {rows} + %s * 7 + n, 1, {rows} + %s, 'criterion_' || n, 3, false FROM generate_series(0, 6) n
"""
PAGE = "SELECT * FROM {table} WHERE study_id = 1 AND submission_id IN (SELECT submission_id FROM {table} WHERE study_id = 1 AND submission_id > %s ORDER BY submission_id LIMIT 20)"
LIVE = "SELECT criterion_key, count(*), avg(score) FROM {table} WHERE study_id = 1 GROUP BY criterion_key"
ACROSS = "SELECT study_id, count(*) FROM {table} GROUP BY study_id"


def run() -> Iterator[BenchFigure]:
    found = {table: dict(_measured(table)) for table in ("plain", "parted")}
    for name, plain in found["plain"].items():
        parted = found["parted"][name]
        yield BenchFigure(
            name, f"{plain:.4f} and {parted:.4f} s, {plain / max(parted, 1e-6):.1f} times as long"
        )


def _measured(table: str) -> Iterator[tuple[str, float]]:
    """(what, seconds) for a table, in one piece or in a partition a study."""
    is_parted = table == "parted"
    _run(f"CREATE TABLE {table} ({COLUMNS}) {'PARTITION BY LIST (study_id)' if is_parted else ''}")
    for study in range(STUDIES if is_parted else 0):
        _run(f"CREATE TABLE {table}_{study} PARTITION OF {table} FOR VALUES IN ({study})")
    _run(f"CREATE INDEX ON {table} (study_id, submission_id, criterion_key)")
    _run(f"CREATE INDEX ON {table} (id)")
    yield f"{ROWS:,} rows inserted", _seconds(FILL, table, ROWS)
    _run("ANALYZE")
    yield "one submission of seven ratings inserted", _each(ONE_MORE, table, 2)
    yield "a page of twenty submissions", _each(PAGE, table, 1)
    yield "a live figure of one study", _each(LIVE, table, 0)
    yield "a count across all studies", _each(ACROSS, table, 0)
    gone = "DROP TABLE {table}_2" if is_parted else "DELETE FROM {table} WHERE study_id = 2"
    yield "a study deleted (dropped)", _seconds(gone, table, 0)
    yield "room given back", _seconds("VACUUM {table}", table, 0)


def _run(statement: str, values: tuple[int, ...] = ()) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _seconds(statement: str, table: str, rows: int) -> float:
    started = time.perf_counter()
    _run(statement.format(table=table, studies=STUDIES, rows=rows))
    return time.perf_counter() - started


def _each(statement: str, table: str, n_values: int) -> float:
    """The middle of several runs, each with another value."""
    taken = []
    for number in range(TIMES):
        started = time.perf_counter()
        with connection.cursor() as cursor:
            cursor.execute(
                statement.format(table=table, rows=ROWS), (number + 1,) * n_values or None
            )
            if cursor.description:
                cursor.fetchall()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)
