"""State that copies were destroyed, or why not; remind who owes it, and tell who governs."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from typing import TypeVar

from django.db import transaction
from django.utils import translation
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from accounts import events
from accounts.access import access_of, who_may_enter
from accounts.actions import letters
from accounts.models import Event, Role, User
from analytics.copies.held import CopyState, HeldCopy, all_copies, copies_of
from analytics.models import CopyStatement
from annotation.models import DataSet
from annotation.rules.remarks import LONGEST, tidied

Whose = TypeVar("Whose", User, DataSet)


class CannotState(Exception):
    """Why nothing was stated, as a sentence for the signer."""


@transaction.atomic
def state(
    *,
    exports: Collection[int],
    is_destroyed: bool,
    reason: str,
    typed_name: str,
    language: str,
    by: User,
    at: datetime,
) -> CopyStatement:
    """Sign that these copies were destroyed, or that they were not and why. CannotState."""
    signer = User.objects.select_for_update().get(pk=by.pk)
    if not access_of(signer, at=at).may_sign:
        raise CannotState(_("Another step comes before signing. Open “Your access” to see which."))
    if not signer.is_called(typed_name):
        raise CannotState(_("Type your name as it stands in your account."))
    copies = [one for one in copies_of(signer, at=at) if one.export.pk in exports]
    if not copies or len(copies) != len(set(exports)) or any(one.is_over for one in copies):
        raise CannotState(_("Choose copies of your own that are not destroyed yet."))
    why = tidied(reason)
    if not is_destroyed and not 0 < len(why) <= LONGEST:
        raise CannotState(_("Say why, in a sentence."))
    signed_at = at.replace(microsecond=0)
    text = words(
        copies,
        is_destroyed=is_destroyed,
        reason=why,
        typed_name=typed_name,
        language=language,
        at=signed_at,
    )
    statement = CopyStatement.objects.create(
        person=signer,
        exports=sorted(one.export.pk for one in copies),
        is_destroyed=is_destroyed,
        typed_name=typed_name,
        text=text,
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        signed_at=signed_at,
    )
    events.record(
        "copies.stated",
        subject=f"account:{signer.pk}",
        by=signer,
        at=at,
        facts={
            "statement": statement.pk,
            "exports": statement.exports,
            "destroyed": is_destroyed,
            "sha256": statement.text_sha256,
        },
    )
    return statement


def words(
    copies: Iterable[HeldCopy],
    *,
    is_destroyed: bool,
    reason: str,
    typed_name: str,
    language: str,
    at: datetime,
) -> str:
    """What is signed, with all that was filled in."""
    with translation.override(language):
        if is_destroyed:
            said = _(
                "I have destroyed every copy that I had of the releases named here: the files, what "
                "was made of them and lets single answers or texts be read, and backups of both. I "
                "have given none of it to anybody who was not granted it."
            )
        else:
            said = _("I have not destroyed every copy that I had of the releases named here.")
        title = _("Copies of releases")
    releases = "\n".join(
        f"- {one.release}: {one.export.study.key}, SHA-256 {one.export.sha256}" for one in copies
    )
    parts = [title, said, *([] if is_destroyed else [reason]), releases]
    signed_at = localtime(at, UTC).isoformat(timespec="seconds")
    return "\n\n".join(parts) + (
        f"\n\n---\nlanguage: {language}\nsigned by: {typed_name}\nsigned at: {signed_at}\n"
    )


@transaction.atomic
def remind(*, at: datetime) -> None:
    """Write to who has to destroy copies when these are due and again when they are late; and to
    the stewards of a data set about those that are late or refused. Once about each, and one letter
    about all that is new."""
    owed = [one for one in all_copies(at=at) if one.is_owed]
    waiting = [one for one in owed if one.state is not CopyState.REFUSED]
    for person, copies in _by(waiting, lambda one: one.export.exported_by):
        if _is_news("copies.reminded", f"account:{person.pk}", copies, at=at):
            letters.remind_of_copies(person)
    missing = [one for one in owed if one.state is not CopyState.DUE]
    for data_set, copies in _by(missing, lambda one: one.export.study.data_set):
        if _is_news("copies.missed", f"data_set:{data_set.pk}", copies, at=at):
            for steward in _stewards(data_set, at=at):
                letters.tell_of_copies(steward)


def _by(
    copies: Iterable[HeldCopy], key: Callable[[HeldCopy], Whose]
) -> list[tuple[Whose, list[HeldCopy]]]:
    found: dict[Whose, list[HeldCopy]] = {}
    for one in copies:
        found.setdefault(key(one), []).append(one)
    return list(found.items())


def _is_news(verb: str, subject: str, copies: Iterable[HeldCopy], *, at: datetime) -> bool:
    """Whether nobody wrote yet about one of these, as it stands with it now; noted if so."""
    told = Event.objects.filter(subject=subject, verb=verb).values_list("facts", flat=True)
    new = {f"{one.export.pk}:{one.state}" for one in copies} - {
        said for facts in told for said in facts["copies"]
    }
    if new:
        events.record(verb, subject=subject, by=None, at=at, facts={"copies": sorted(new)})
    return bool(new)


def _stewards(data_set: DataSet, *, at: datetime) -> list[User]:
    """Its own, or all of the server where it has none who may enter."""
    able = who_may_enter(at=at)
    own = able.filter(pk=data_set.steward_id)
    return list(own) or list(able.filter(roles__contains=[Role.STEWARD]))
