"""What the ledger costs who rates: the same work in turns with it and without it, in one run.

All that `make run` starts stands. In the turns without, the database takes no digests of governed
rows and keeps nothing that waits to be sealed, so nothing is sealed either; the trail that the
ledger grew from is written all the same. What the application itself computes for a line, its mark,
is done in both, and stands beside as measured alone. Each turn has a round of its own.
"""

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from time import perf_counter

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from accounts.ledger.governed import TRIGGERS, governed
from accounts.ledger.marks import mark_of
from bench.figures import BenchFigure
from bench.load import Load
from bench.people import some_people
from bench.running import running
from bench.submitting import a_round, driven, kept, signed_in

ANNOTATORS = 10
PAIRS = 5  # of turns, one with and one without, which comes first by lot
ITEMS = 6_000
WAITS = "accounts_unsealed"
MARKS = 10_000

Pairs = Sequence[tuple[Load, Load]]


def run() -> Iterator[BenchFigure]:
    draw = random.Random(1)  # noqa: S311 -- which turn comes first
    pairs: list[tuple[Load, Load]] = []
    with running() as concord:
        people = some_people(ANNOTATORS)
        browsers = [signed_in(concord.port, one, number) for number, one in enumerate(people)]

        def turn(name: str) -> Load:
            study = a_round(name, people, n_items=ITEMS)
            load = driven(concord, study, browsers)
            if load.errors:
                raise RuntimeError(f"{name}: {load.errors[0]}")
            if ", 0 lost, 0 doubled" not in kept(study, load.given):
                raise RuntimeError(f"{name}: {kept(study, load.given)}")
            return load

        turn("bench-warm")
        for number in range(PAIRS):
            loads: dict[bool, Load] = {}
            for is_on in draw.sample((True, False), 2):
                with contextlib.nullcontext() if is_on else without_a_ledger():
                    loads[is_on] = turn(f"bench-{number}-{'with' if is_on else 'without'}")
            pairs.append((loads[True], loads[False]))
    yield BenchFigure(f"cycles a second, {ANNOTATORS} annotators", in_turns(pairs, speed))
    yield BenchFigure(
        "ms of processor time a cycle, all processes", in_turns(pairs, processor_time)
    )
    yield BenchFigure("ms to compute a mark, in both", f"{mark():.3f}")


@contextlib.contextmanager
def without_a_ledger() -> Iterator[None]:
    """The database takes no digests, and of what would wait to be sealed it keeps nothing."""
    tables = sorted({one.table for one in governed()})
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE OR REPLACE FUNCTION bench_keeps_nothing() RETURNS trigger LANGUAGE plpgsql"
            " AS 'BEGIN RETURN NULL; END'"
        )
        cursor.execute(
            f"CREATE TRIGGER bench_keeps_nothing BEFORE INSERT ON {WAITS}"
            " FOR EACH ROW EXECUTE FUNCTION bench_keeps_nothing()"
        )
        switch(cursor, tables, "DISABLE")
    yield
    with connection.cursor() as cursor:
        switch(cursor, tables, "ENABLE")
        cursor.execute(f"DROP TRIGGER bench_keeps_nothing ON {WAITS}")


def switch(cursor: CursorWrapper, tables: Sequence[str], what: str) -> None:
    for table in tables:
        for trigger in TRIGGERS:
            cursor.execute(f"ALTER TABLE {table} {what} TRIGGER {trigger}")


def speed(load: Load) -> float:
    return load.per_second


def processor_time(load: Load) -> float:
    return sum(load.used_a_cycle.values())


def in_turns(pairs: Pairs, figure: Callable[[Load], float]) -> str:
    """Medians with and without, and the ratio of each pair."""
    each = [(figure(on), figure(off)) for on, off in pairs]
    ratios = sorted(on / off for on, off in each)
    on, off = (median(side) for side in zip(*each, strict=True))
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    return f"{on:.1f} with, {off:.1f} without: {median(ratios):.2f} times ({spread})"


def mark() -> float:
    """Milliseconds."""
    at = timezone.now()
    begin = perf_counter()
    for number in range(MARKS):
        subject = f"assignment:{number}"
        mark_of(verb="submission.submitted", subject=subject, actor=1, at=at, facts='{"round": 1}')
    return 1000 * (perf_counter() - begin) / MARKS
