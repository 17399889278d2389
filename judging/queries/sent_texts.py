"""Whether the texts that LLMs were sent are there, and are those that their digests are of."""

from collections.abc import Iterator

from django.db import connection

_CHANGED = """
SELECT sha256 FROM judging_senttext
WHERE sha256 <> encode(sha256(convert_to(text, 'UTF8')), 'hex') ORDER BY 1
"""
_GONE = """
SELECT DISTINCT named #>> '{}' FROM judging_judgecall,
    jsonb_path_query(exchanges, '$[*].messages[*][1]') AS named
WHERE named #>> '{}' ~ '^[0-9a-f]{64}$' AND NOT EXISTS (
    SELECT FROM judging_senttext WHERE judging_senttext.sha256 = named #>> '{}'
)
ORDER BY 1
"""


def differing_copies() -> Iterator[tuple[str, str]]:
    """(table, what is wrong) of each text that was changed, or that exchanges name and is gone."""
    for statement, problem in (
        (_CHANGED, "The text does not give the digest that it has"),
        (_GONE, "A call was sent a text that is gone"),
    ):
        with connection.cursor() as cursor:
            cursor.execute(statement)
            for (sha256,) in cursor.fetchall():
                yield "judging_senttext", f"{problem}: {sha256}."
