"""Whether the texts that LLMs were sent are those that their digests are of."""

from collections.abc import Iterator

from django.db import connection


def differing_copies() -> Iterator[tuple[str, str]]:
    """(table, what is wrong) of each text that was changed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sha256 FROM judging_senttext"
            " WHERE sha256 <> encode(sha256(convert_to(text, 'UTF8')), 'hex') ORDER BY 1"
        )
        for (sha256,) in cursor.fetchall():
            yield (
                "judging_senttext",
                f"The text does not give the digest that it has: {sha256}.",
            )
