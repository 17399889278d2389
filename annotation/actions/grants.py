"""Grants, from request to end: propose, return, refuse, escalate, approve, revoke."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.db import transaction

from accounts import events
from accounts.access import access_of
from accounts.actions import requests
from accounts.models import AccessRequest, Decision, User
from annotation.models import DataSet, Grant, GrantDecision
from annotation.queries import grants as queries
from annotation.rubric.sentences import Sentence, sentence
from annotation.rules.granting import (
    NOT_A_STEWARD,
    SAY_WHY,
    WAITS,
    DataLevel,
    GrantStage,
    takes_effect,
)


class CannotGrant(Exception):
    """A sentence that says why nothing was changed about a grant."""


@transaction.atomic
def propose(
    *,
    data_set_id: int,
    person: User,
    levels: Iterable[DataLevel],
    purpose: str,
    by: User | None,
    at: datetime,
) -> list[Grant]:
    """Ask for levels of a data set, as far as they are not held or asked for already.

    Whose request was returned answers by asking again. What waits is decided at once where
    whoever asks may decide it: the data set's own steward, for somebody else, and the console.
    """
    data_set = _locked(data_set_id)
    held = set(
        Grant.objects.in_force(at)
        .filter(data_set=data_set, person=person)
        .values_list("level", flat=True)
    )
    asked = [
        _ask(data_set, person, level, purpose=purpose, by=by, at=at)
        for level in levels
        if level.value not in held
    ]
    until = _capped(person, at + timedelta(days=data_set.longest_days), at=at)
    for grant in asked:
        if by is None or not queries.reason_not_to_approve(grant, until=until, by=by, at=at):
            _approve(grant, until=until, by=by, at=at)
    return asked


def _ask(
    data_set: DataSet,
    person: User,
    level: DataLevel,
    *,
    purpose: str,
    by: User | None,
    at: datetime,
) -> Grant:
    waiting = data_set.grants.filter(person=person, level=level.value, stage__in=list(WAITS))
    if known := waiting.first():
        return known
    grant = Grant.objects.create(
        data_set=data_set,
        person=person,
        level=level.value,
        purpose=purpose,
        proposed_by=by,
        asked_at=at,
    )
    _record("grant.requested", grant, by=by, at=at)
    return grant


@transaction.atomic
def approve(*, grant_id: int, until: datetime, by: User, at: datetime) -> Grant:
    """Let somebody have a level until then; where two people have to agree, the first waits."""
    grant = Grant.objects.select_for_update().get(pk=grant_id)
    _approve(grant, until=_capped(grant.person, until, at=at), by=by, at=at)
    return grant


@transaction.atomic
def approve_all(
    *, data_set_id: int, person_id: int, until: datetime, by: User, at: datetime
) -> list[Grant]:
    """Approve whatever waits for a person in a data set in one step, and their account with it."""
    data_set = _locked(data_set_id)
    person = User.objects.get(pk=person_id)
    waiting = data_set.grants.filter(person=person, stage__in=list(WAITS)).order_by("pk")
    reasons = {
        grant: queries.reason_not_to_approve(grant, until=until, by=by, at=at) for grant in waiting
    }
    if not reasons or all(reasons.values()):
        raise CannotGrant(next(iter(reasons.values()), NOTHING_WAITS))
    asked = AccessRequest.objects.filter(user=person, decision=Decision.OPEN).first()
    if asked is not None:
        try:
            requests.approve(request_id=asked.pk, until=until, by=by, at=at)
        except requests.CannotDecide as reason:
            raise CannotGrant(reason.args[0]) from None
        person.refresh_from_db()
    capped = _capped(person, until, at=at)
    decided = [grant for grant, reason in reasons.items() if reason is None]
    for grant in decided:
        _approve(grant, until=capped, by=by, at=at)
    return decided


@transaction.atomic
def turn_back(
    *, grant_ids: Collection[int], to: GrantStage, reason: str, by: User, at: datetime
) -> None:
    """Return requests with a question, or refuse them, and say why."""
    if not reason.strip():
        raise CannotGrant(SAY_WHY)
    for grant in Grant.objects.select_for_update().filter(pk__in=grant_ids):
        _raise(queries.reason_not_to_decide(grant, by=by, at=at))
        _move(grant, to, by=by, at=at, reason=reason)


@transaction.atomic
def escalate(*, grant_id: int, by: User, at: datetime) -> None:
    """Have any data steward decide, not only the data set's: for who asked, or proposed it."""
    grant = Grant.objects.select_for_update().get(pk=grant_id)
    is_theirs = by.pk in (grant.person_id, grant.proposed_by_id)
    if not is_theirs and not access_of(by, at=at).may_decide_requests:
        raise CannotGrant(NOT_A_STEWARD)
    if grant.stage != GrantStage.REQUESTED:
        raise CannotGrant(NOT_TO_ESCALATE)
    _move(grant, GrantStage.ESCALATED, by=by, at=at)


@transaction.atomic
def revoke(*, grant_id: int, reason: str, by: User, at: datetime) -> None:
    """End a grant now: pages, lists, exports and judge runs that stand on it end with it."""
    grant = Grant.objects.select_for_update().get(pk=grant_id)
    if not access_of(by, at=at).may_decide_requests:
        raise CannotGrant(NOT_A_STEWARD)
    if not reason.strip():
        raise CannotGrant(SAY_WHY)
    if grant.stage != GrantStage.APPROVED or grant.revoked_at is not None:
        raise CannotGrant(NOT_IN_FORCE)
    grant.revoked_at = at
    grant.revoked_by = by
    grant.save(update_fields=["revoked_at", "revoked_by"])
    _note(grant, "revoked", by=by, at=at, reason=reason)
    _record("grant.revoked", grant, by=by, at=at)


@transaction.atomic
def found(*, data_set: DataSet, person: User, by: User | None, at: datetime) -> None:
    """Grant a new data set to who coordinates its first study and brings the data themselves.

    Nothing is in it yet, so nobody's data is opened; and texts that leave are not among it.
    """
    until = at + timedelta(days=data_set.longest_days)
    for level in DataLevel:
        if level is not DataLevel.TEXT_AWAY:
            grant = Grant.objects.create(
                data_set=data_set,
                person=person,
                level=level.value,
                purpose=FOUNDED,
                proposed_by=by,
                asked_at=at,
                stage=GrantStage.APPROVED.value,
                since=at,
                until=_capped(person, until, at=at),
            )
            _note(grant, GrantStage.APPROVED, by=None, at=at, reason=FOUNDED)
            _record("grant.approved", grant, by=by, at=at)


FOUNDED = "founded with the data set"
NOTHING_WAITS = sentence("Nothing waits for a decision here.")
NOT_TO_ESCALATE = sentence("This request does not wait for the steward of the data set.")
NOT_IN_FORCE = sentence("This grant is not in force.")


def _locked(data_set_id: int) -> DataSet:
    """Who asks and decides about a data set does so one after the other."""
    return DataSet.objects.select_for_update().get(pk=data_set_id)


def _capped(person: User, until: datetime, *, at: datetime) -> datetime:
    """No grant outlasts the account's approval, where that is known and still holds."""
    approved = person.approved_until
    return min(until, approved) if approved and approved > at else until


def _approve(grant: Grant, *, until: datetime, by: User | None, at: datetime) -> None:
    if by is not None:
        _raise(queries.reason_not_to_approve(grant, until=until, by=by, at=at))
    approvals = grant.decisions.filter(what=GrantStage.APPROVED).values_list("by", flat=True)
    if not takes_effect(DataLevel(grant.level), [*approvals, by.pk if by else None]):
        _note(grant, GrantStage.APPROVED, by=by, at=at)
        _record("grant.approved_once", grant, by=by, at=at)
        return
    grant.since = at
    grant.until = until
    _move(grant, GrantStage.APPROVED, by=by, at=at)


def _move(grant: Grant, to: GrantStage, *, by: User | None, at: datetime, reason: str = "") -> None:
    grant.stage = to.value
    grant.save(update_fields=["stage", "since", "until"])
    _note(grant, to, by=by, at=at, reason=reason)
    _record(f"grant.{to.value}", grant, by=by, at=at)


def _note(grant: Grant, what: str, *, by: User | None, at: datetime, reason: str = "") -> None:
    GrantDecision.objects.create(
        grant=grant, person=grant.person, what=str(what), by=by, at=at, reason=reason
    )


def _record(verb: str, grant: Grant, *, by: User | None, at: datetime) -> None:
    events.record(
        verb,
        subject=f"account:{grant.person_id}",
        by=by,
        at=at,
        facts={
            "grant": grant.pk,
            "data_set": grant.data_set_id,
            "level": grant.level,
            "until": grant.until.isoformat() if grant.until else None,
        },
    )


def _raise(reason: Sentence | None) -> None:
    if reason:
        raise CannotGrant(reason)
