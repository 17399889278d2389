"""What a refresh takes to know which answers of a study stand apart, with 1,000,000 calls of judges.

The same question is put to all calls, as it was before each run kept who answered it, and to what is
kept. CALLS=100000 makes fewer.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from django.db import connection
from django.utils import timezone

from analytics.ratings import configurations
from annotation.models import Study
from bench.figures import BenchFigure
from bench.people import a_study, some_people
from judging import standin
from judging.actions import runs
from judging.actions.judges import Settings

CALLS = int(os.environ.get("CALLS", "1000000"))
JUDGES, ITEMS = 10, 2_000
TIMES = 5
OF_ALL_CALLS = """
SELECT judge.rater_id, call.answered_llm, coalesce(call.answered_fingerprint, '')
FROM judging_judgecall call
JOIN judging_judgerun run ON run.id = call.run_id
JOIN judging_judge judge ON judge.id = run.judge_id
WHERE run.study_id = %s AND run.sentinels_id IS NULL
    AND call.state = 'done' AND call.answered_llm <> ''
GROUP BY 1, 2, 3
ORDER BY 1, min(call.answered_at), min(call.id)
"""
ANSWER = """
INSERT INTO judging_judgecall (run_id, item_id, repeat, position, state, claims, attempts, outcome,
    problem, parser_edition, prompt_sha256, item_sha256, exchanges, answered_at)
SELECT %(run)s, item.id, repeat, item.position, 'done', 1, 1, 'rated', '', '1',
    repeat('a', 64), repeat('b', 64),
    jsonb_build_array(jsonb_build_object('llm', 'llm-1', 'fingerprint',
        'fp_1', 'text', repeat('x', 400))),
    now()
FROM annotation_item item, generate_series(%(first)s::int, %(last)s::int) repeat
WHERE item.study_id = %(study)s
"""


def run() -> Iterator[BenchFigure]:
    study = a_study("apart", rubric="dialogue_safety", n_items=ITEMS, annotators=some_people(1))
    begun = [_a_run(study, number) for number in range(JUDGES)]
    last = 1 + CALLS // (JUDGES * ITEMS)
    asked = {"study": study.pk, "first": 2, "last": last}
    began = time.perf_counter()
    for one in begun:
        _execute(ANSWER, asked | {"run": one})
    yield BenchFigure(f"{CALLS:,} calls written", f"{time.perf_counter() - began:.0f} s")
    _execute("VACUUM ANALYZE judging_judgecall")
    before = _milliseconds(lambda: _execute(OF_ALL_CALLS, [study.pk]))
    after = _milliseconds(lambda: configurations.apart(study.pk))
    yield BenchFigure("who answered, from all calls", f"{before:.1f} ms")
    yield BenchFigure("which answers stand apart, from what is kept", f"{after:.1f} ms")
    yield BenchFigure("times as fast", f"{before / after:.0f}")


def _a_run(study: Study, number: int) -> int:
    judge = Settings(
        llm=standin.NAME, base_url="http://127.0.0.1:9/v1", temperature=number / JUDGES
    )
    begun = runs.start(
        study=study, judge=judge, repeats=1, concurrency=1, by=None, at=timezone.now()
    )
    return begun.pk


def _execute(statement: str, asked: Mapping[str, int] | Sequence[int] | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        if cursor.description:
            cursor.fetchall()


def _milliseconds(work: Callable[[], object]) -> float:
    """The median of some turns."""

    def once() -> float:
        began = time.perf_counter()
        work()
        return 1000 * (time.perf_counter() - began)

    return statistics.median(once() for _ in range(TIMES))
