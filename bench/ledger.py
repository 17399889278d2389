"""How long the ledger takes to be sealed and verified, and whether tamperings are found.

A million rows are sealed and verified as `verify_audit` does it. That every tampering is found is
what tests/guards/test_tampering.py shows.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from accounts import events
from accounts.ledger import sealing
from accounts.ledger.verifying import verify
from bench.figures import BenchFigure

ROWS = 1_000_000
AT_ONCE = 10_000


def run() -> Iterator[BenchFigure]:
    with tempfile.TemporaryDirectory() as folder:
        settings.CHECKPOINT_DIR = Path(folder)
        for start in range(0, ROWS, AT_ONCE):
            record(range(start, start + AT_ONCE))
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        begin = perf_counter()
        sealed = sealing.seal_all()
        seconds = perf_counter() - begin
        yield BenchFigure("rows sealed a second", f"{sealed / seconds:,.0f}")
        audit = verify(folder=Path(folder))
        problem = f", {audit.findings[0]}" if audit.findings else ", sound"
        yield BenchFigure(
            f"{audit.n_sealed:,} rows of the ledger verified",
            f"{audit.seconds_ledger:.1f} s{problem}",
        )


def record(numbers: range) -> None:
    """As many events as an action of each would leave."""
    with transaction.atomic(), connection.cursor() as cursor:
        at = timezone.now()
        lines = [
            events.line(
                "submission.submitted",
                subject=f"assignment:{number}",
                by=None,
                at=at,
                facts={"round": number % 7},
            )
            for number in numbers
        ]
        cursor.execute(
            "WITH given AS (SELECT * FROM unnest(%s::text[], %s::text[], %s::text[])"
            " WITH ORDINALITY AS one (subject, facts, mark, place)),"
            " recorded AS (INSERT INTO accounts_event (verb, subject, at, facts)"
            " SELECT 'submission.submitted', subject, %s, facts::jsonb FROM given ORDER BY place"
            " RETURNING id, subject)"
            " INSERT INTO accounts_unsealed (event_id, mark) SELECT id, mark FROM recorded"
            " JOIN given USING (subject) ORDER BY id",
            [
                *(
                    [line[f"recorded_{name}"] for line in lines]
                    for name in ("subject", "facts", "mark")
                ),
                at,
            ],
        )
