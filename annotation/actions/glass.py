"""Break the glass: read a data set without a grant for an hour, with a reason and a witness."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from accounts import events
from accounts.access import access_of
from accounts.models import User
from annotation.models import BrokenGlass, DataSet
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import LONGEST_BREAK, SAY_WHY
from annotation.rules.remarks import tidied


class CannotBreak(Exception):
    """A sentence that says why the glass stays whole."""


NOT_FOR_YOU = sentence("Only data stewards and administrators may break the glass, or witness it.")
OWN_GLASS = sentence("Nobody is their own witness: another person must agree.")
WITNESSED = sentence("Somebody has witnessed this already.")


@transaction.atomic
def ask(*, data_set_id: int, reason: str, by: User, at: datetime) -> BrokenGlass:
    """Ask to read a data set in an emergency; nothing opens before somebody else agrees."""
    data_set = DataSet.objects.select_for_update().get(pk=data_set_id)
    _raise(_reason_of_account(by, at=at))
    if not (reason := tidied(reason)):
        raise CannotBreak(SAY_WHY)
    waiting = data_set.broken_glasses.filter(person=by, witness=None).first()
    if waiting:
        return waiting
    glass = BrokenGlass.objects.create(data_set=data_set, person=by, reason=reason, asked_at=at)
    _record("glass.asked", glass, by=by, at=at)
    return glass


@transaction.atomic
def witness(*, glass_id: int, by: User, at: datetime) -> BrokenGlass:
    """Agree that somebody breaks the glass now: the clock starts."""
    glass = BrokenGlass.objects.select_for_update().get(pk=glass_id)
    _raise(_reason_of_account(by, at=at))
    if glass.person_id == by.pk:
        raise CannotBreak(OWN_GLASS)
    if glass.witness_id is not None:
        raise CannotBreak(WITNESSED)
    glass.witness = by
    glass.since = at
    glass.until = at + LONGEST_BREAK
    glass.save(update_fields=["witness", "since", "until"])
    _record("glass.broken", glass, by=by, at=at)
    return glass


@transaction.atomic
def read(*, data_set: DataSet, items: Sequence[int], by: User, at: datetime) -> None:
    """Note which items somebody is shown through the broken glass."""
    events.record(
        "glass.read", subject=f"data_set:{data_set.pk}", by=by, at=at, facts={"items": list(items)}
    )


def _reason_of_account(by: User, *, at: datetime) -> Sentence | None:
    return None if access_of(by, at=at).may_manage_accounts else NOT_FOR_YOU


def _record(verb: str, glass: BrokenGlass, *, by: User, at: datetime) -> None:
    events.record(
        verb,
        subject=f"account:{glass.person_id}",
        by=by,
        at=at,
        facts={
            "glass": glass.pk,
            "data_set": glass.data_set_id,
            "until": glass.until.isoformat() if glass.until else None,
        },
    )


def _raise(reason: Sentence | None) -> None:
    if reason:
        raise CannotBreak(reason)
