"""Whether seats say of gold what the ledger says: by it, people may rate in a study, or may not."""

from collections.abc import Iterator

from django.db import connection

# A round that was closed before its line said so is believed; one without gold has nothing to say.
_OTHERWISE = """
SELECT seat.id FROM annotation_seat AS seat
LEFT JOIN accounts_event AS closed ON closed.verb = 'round.closed'
    AND closed.subject = 'round:' || seat.round_id AND closed.facts ? 'gold_scores'
WHERE CASE
    WHEN closed.id IS NOT NULL THEN jsonb_build_array(n_right, n_gold)
        <> coalesce(closed.facts -> 'gold_scores' -> seat.rater_id::text, '[0, 0]')
    ELSE (n_right, n_gold) <> (0, 0) AND NOT EXISTS (
        SELECT FROM annotation_rounditem AS place WHERE place.round_id = seat.round_id AND is_gold
    )
END
ORDER BY 1
"""


def differing_copies() -> Iterator[tuple[str, str]]:
    """(table, what is wrong) of each seat that says otherwise."""
    with connection.cursor() as cursor:
        cursor.execute(_OTHERWISE)
        for (seat,) in cursor.fetchall():
            yield (
                "annotation_seat",
                f"Seat {seat} has other right answers than its round had when it was closed.",
            )
