"""Items of a release come in here, in the order of their study, however many there are.

A file has them in the order of its recipient. They are sorted by PostgreSQL, and a batch at a time
is in memory.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any

from django.db import connection

from analytics.exports.jsonlines import lines_of
from annotation.actions.imports.copying import copy_in, in_batches, take_ids
from annotation.models import Dialogue, Item, Quarantine, Study
from annotation.rubric.sentences import Sentence, sentence

AT_ONCE = 1_000
WITHOUT_TEXT: Mapping[str, Any] = {"turns": [], "reply": None, "reply_speaker": "supporter"}
_HOLD = """
CREATE TEMPORARY TABLE incoming_item (
    place integer, item text COLLATE "C", dialogue text, told text
) ON COMMIT DROP
"""
_DIALOGUES = """
SELECT dialogue, told FROM (
    SELECT DISTINCT ON (dialogue) dialogue, place, item, told FROM incoming_item
    ORDER BY dialogue, place, item
) first ORDER BY place, item
"""
_ITEMS = """
SELECT dialogue.id, told FROM incoming_item
JOIN annotation_dialogue dialogue ON dialogue.study_id = %s AND dialogue.key = incoming_item.dialogue
ORDER BY place, item
"""


class TextsOfOthers(Exception):
    """A sentence that says which texts are not those of the items."""

    def __init__(self, item: str) -> None:
        super().__init__(item)
        self.reason: Sentence = sentence(
            "The texts of “{item}” are not in the part of the archive where they belong.", item=item
        )


def bring(study: Study, *, items: Path, texts: Path, release: str, at: datetime) -> int:
    """Make the items of a release in a study that has none, and their dialogues; how many."""
    _hold(_with_texts(items, texts))
    for batch in in_batches(_held(_DIALOGUES), AT_ONCE):
        copy_in(
            Dialogue,
            ["study_id", "key", "turns"],
            ((study.pk, key, json.dumps(json.loads(told)["turns"])) for key, told in batch),
        )
    n = 0
    for batch in in_batches(_held(_ITEMS, study.pk), AT_ONCE):
        ids = take_ids(Item, len(batch))
        rows = [(dialogue, json.loads(told)) for dialogue, told in batch]
        _make(study, zip(ids, rows, strict=True))
        copy_in(
            Quarantine,
            ["item_id", "reason", "quarantined_at"],
            (
                (pk, f"Set aside in {release}", at)
                for pk, (_dialogue, row) in zip(ids, rows, strict=True)
                if row["set_aside"]
            ),
        )
        n += len(batch)
    return n


def ids_of(study: Study, keys: Collection[str]) -> dict[str, int]:
    """{key: id} of some items of a study."""
    return dict(Item.objects.filter(study=study, key__in=keys).values_list("key", "pk"))


def _make(study: Study, rows: Iterable[tuple[int, tuple[int, Mapping[str, Any]]]]) -> None:
    copy_in(
        Item,
        [
            *("id", "study_id", "dialogue_id", "key", "position", "reply", "reply_speaker"),
            *("generator", "content_note", "content_sha256", "attributes"),
        ],
        (
            (
                *(pk, study.pk, dialogue, row["item"], row["position"], row["reply"]),
                *(row["reply_speaker"], row["generator"], row["content_note"]),
                *(row["content_sha256"], row.get("attributes") or "{}"),
            )
            for pk, (dialogue, row) in rows
        ),
    )


def _with_texts(items: Path, texts: Path) -> Iterator[Mapping[str, Any]]:
    """Each item with what it says: a release has both in the same order."""
    rows = lines_of(items)
    if not texts.exists():
        yield from ({**WITHOUT_TEXT, **row} for row in rows)
        return
    nothing: Mapping[str, Any] = {"item": None}
    for row, text in zip_longest(rows, lines_of(texts), fillvalue=nothing):
        if text["item"] != row["item"]:
            raise TextsOfOthers(row["item"] or text["item"])
        yield {**row, **text}


def _hold(rows: Iterable[Mapping[str, Any]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_HOLD)
        with cursor.copy("COPY incoming_item FROM STDIN") as copy:
            for row in rows:
                copy.write_row((row["position"], row["item"], row["dialogue"], json.dumps(row)))


def _held(query: str, *values: int) -> Iterator[tuple[Any, ...]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, values)
        while batch := cursor.fetchmany(AT_ONCE):
            yield from batch
