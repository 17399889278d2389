"""Write down what is to be known about an item, and what to warn of before it is read."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.models import Item, ItemNote
from annotation.rubric.sentences import sentence
from annotation.rules.remarks import problem_with_comment, tidied

LONGEST_WARNING = 200


class CannotNote(Exception):
    """A sentence that says why it was not written down."""


@transaction.atomic
def note(*, study_id: int, item_id: int, text: str, by: User, at: datetime) -> ItemNote:
    """Add a note for other coordinators."""
    item = _item(study_id, item_id)
    text = tidied(text)
    if not text:
        raise CannotNote(sentence("Write something first."))
    if problem := problem_with_comment(text):
        raise CannotNote(problem)
    made = ItemNote.objects.create(item=item, author=by, text=text, written_at=at)
    events.record("item.noted", subject=f"item:{item.pk}", by=by, at=at, facts={"note": made.pk})
    return made


@transaction.atomic
def warn(*, study_id: int, item_id: int, content_note: str, by: User, at: datetime) -> Item:
    """Say what an item is about, before whoever reads it next; "" takes the warning away."""
    item = _item(study_id, item_id)
    words = " ".join(tidied(content_note).split())
    if len(words) > LONGEST_WARNING:
        raise CannotNote(
            sentence("A content note has at most {most} characters.", most=LONGEST_WARNING)
        )
    item.content_note = words
    item.save(update_fields=["content_note"])
    events.record(
        "item.content_note_given" if words else "item.content_note_taken_away",
        subject=f"item:{item.pk}",
        by=by,
        at=at,
        facts={"characters": len(words)},
    )
    return item


def _item(study_id: int, item_id: int) -> Item:
    item = Item.objects.select_for_update(no_key=True).filter(study=study_id, pk=item_id).first()
    if item is None:
        raise CannotNote(sentence("The study has no such item."))
    return item
