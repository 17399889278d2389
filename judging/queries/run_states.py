"""Whether a run has the calls that it was begun with: one more would be asked and counted like the others.

Nor may one ask about an item of another study, whose text would be sent.
"""

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
# Its text would go where the other's data set may not let it.
_OF_ANOTHER_STUDY = """
SELECT call.id FROM judging_judgecall AS call
JOIN judging_judgerun AS run ON run.id = call.run_id
JOIN annotation_item AS first ON first.id = call.item_id
LEFT JOIN annotation_item AS second ON second.id = call.second_id
WHERE run.study_id <> first.study_id OR run.study_id <> second.study_id ORDER BY 1
"""


def differing_copies() -> Iterator[tuple[str, str]]:
    """(table, what is wrong) of each run with others, and of calls about what is none of its items."""
    with connection.cursor() as cursor:
        cursor.execute(_OTHERWISE)
        for run, begun, found in cursor.fetchall():
            yield "judging_judgecall", f"Run {run} was begun with {begun} calls, and has {found}."
        cursor.execute(_OF_ANOTHER_STUDY)
        for (call,) in cursor.fetchall():
            yield "judging_judgecall", f"Call {call} asks about an item of another study."
