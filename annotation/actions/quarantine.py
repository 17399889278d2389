"""Set items aside from figures, and bring them back."""

from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.models import User
from annotation.actions.studies import note_change
from annotation.models import Item, Quarantine
from annotation.readers.quarantine import MOST_CHARACTERS_A_REASON
from annotation.rubric.sentences import sentence
from annotation.rules.remarks import tidied


class CannotQuarantine(Exception):
    """A sentence that says why the item stays where it is."""


@transaction.atomic
def quarantine(*, study_id: int, item_key: str, reason: str, by: User, at: datetime) -> Quarantine:
    """Take one item out of figures. Its ratings stay, and so does its place in rounds."""
    item = Item.objects.select_for_update(no_key=True).filter(study=study_id, key=item_key).first()
    if item is None:
        raise CannotQuarantine(sentence("The study has no item “{key}”.", key=item_key))
    if not (reason := tidied(reason)):
        raise CannotQuarantine(sentence("Say why the item is set aside."))
    if len(reason) > MOST_CHARACTERS_A_REASON:
        raise CannotQuarantine(
            sentence("The reason has at most {n} characters.", n=MOST_CHARACTERS_A_REASON)
        )
    if item.quarantines.filter(lifted_at=None).exists():
        raise CannotQuarantine(sentence("The item “{key}” is set aside already.", key=item_key))
    made = Quarantine.objects.create(item=item, reason=reason, quarantined_at=at, quarantined_by=by)
    events.record(
        "item.quarantined",
        subject=f"item:{item.pk}",
        by=by,
        at=at,
        facts={"quarantine": made.pk, "study": study_id},
    )
    note_change(study_id=study_id)
    return made


@transaction.atomic
def lift(*, study_id: int, quarantine_id: int, by: User, at: datetime) -> Quarantine:
    """Let an item count again; that it did not, and why, is kept."""
    found = (
        Quarantine.objects.select_for_update(of=("self",))
        .select_related("item")
        .filter(pk=quarantine_id, item__study=study_id)
        .first()
    )
    if found is None or found.lifted_at is not None:
        raise CannotQuarantine(sentence("The item counts in figures already."))
    found.lifted_at = at
    found.lifted_by = by
    found.save(update_fields=["lifted_at", "lifted_by"])
    events.record(
        "item.quarantine_lifted",
        subject=f"item:{found.item_id}",
        by=by,
        at=at,
        facts={"quarantine": found.pk, "study": study_id},
    )
    note_change(study_id=study_id)
    return found
