"""Whether a run has the calls that it was begun with: one more would be asked and counted like the others."""

from collections.abc import Iterator

from django.db import connection

# A call is noted once it is done. Runs that were begun in other ways, or before their lines said how
# many there are, are believed.
_OTHERWISE = """
SELECT run.id, begun.n, count(call.id)
FROM judging_judgerun AS run
JOIN LATERAL (
    SELECT CASE verb
        WHEN 'judge_run.started' THEN (facts ->> 'items')::bigint * (facts ->> 'repeats')::bigint
        WHEN 'judge_run.retried' THEN (facts ->> 'calls')::bigint
        ELSE (facts ->> 'items')::bigint
    END AS n
    FROM accounts_event WHERE subject = 'judge_run:' || run.id
        AND verb IN ('judge_run.started', 'judge_run.retried', 'sentinels.asked')
    ORDER BY id LIMIT 1
) AS begun ON true
LEFT JOIN judging_judgecall AS call ON call.run_id = run.id
GROUP BY run.id, begun.n HAVING begun.n <> count(call.id)
ORDER BY run.id
"""


def differing_copies() -> Iterator[tuple[str, str]]:
    """(table, what is wrong) of each run with others."""
    with connection.cursor() as cursor:
        cursor.execute(_OTHERWISE)
        for run, begun, found in cursor.fetchall():
            yield "judging_judgecall", f"Run {run} was begun with {begun} calls, and has {found}."
