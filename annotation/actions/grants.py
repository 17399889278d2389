"""Grants, from request to end: propose, return, refuse, escalate, approve, revoke."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import product

from django.db import transaction
from django.db.models import QuerySet

from accounts import events
from accounts.access import access_of, who_may_enter
from accounts.actions import letters, requests
from accounts.models import AccessRequest, Decision, Role, User
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
from annotation.rules.remarks import tidied


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
    Who may decide is written to when the first begins to wait, not for each that joins.
    """
    data_set = _locked(data_set_id)
    somebody_waited = data_set.grants.filter(stage__in=list(WAITS)).exists()
    held = set(
        Grant.objects.in_force(at)
        .filter(data_set=data_set, person=person)
        .values_list("level", flat=True)
    )
    waiting = {
        grant.level: grant for grant in data_set.grants.filter(person=person, stage__in=list(WAITS))
    }
    wanted = [level.value for level in dict.fromkeys(levels) if level.value not in held]
    new = Grant.objects.bulk_create(
        Grant(
            data_set=data_set,
            person=person,
            level=level,
            purpose=purpose,
            proposed_by=by,
            asked_at=at,
        )
        for level in wanted
        if level not in waiting
    )
    _record("requested", new, by=by, at=at)
    asked_for = waiting | {grant.level: grant for grant in new}
    asked = [asked_for[level] for level in wanted]
    until = _capped(person, at + timedelta(days=data_set.longest_days), at=at)
    decidable = [
        grant
        for grant in asked
        if by is None or not queries.reason_not_to_approve(grant, until=until, by=by, at=at)
    ]
    _approve(decidable, until=until, by=by, at=at)
    if not somebody_waited and len(decidable) < len(asked):
        for steward in _stewards_of(data_set, at=at).exclude(pk=person.pk):
            letters.tell_of_grants(steward)
    return asked


def _stewards_of(data_set: DataSet, *, at: datetime) -> QuerySet[User]:
    """Who decides about a data set first: its own steward, or any where it has none."""
    stewards = who_may_enter(at=at).filter(roles__contains=[Role.STEWARD])
    return stewards.filter(pk=data_set.steward_id) if data_set.steward_id else stewards


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
        _raise(queries.reason_not_to_approve(grant, until=capped, by=by, at=at))
    _approve(decided, until=capped, by=by, at=at)
    return decided


@transaction.atomic
def turn_back(
    *, grant_ids: Collection[int], to: GrantStage, reason: str, by: User, at: datetime
) -> None:
    """Return requests with a question, or refuse them, and say why."""
    if not (reason := tidied(reason)):
        raise CannotGrant(SAY_WHY)
    for grant in Grant.objects.select_for_update().filter(pk__in=grant_ids):
        _raise(queries.reason_not_to_decide(grant, by=by, at=at))
        _move([grant], to, by=by, at=at, reason=reason)


@transaction.atomic
def escalate(*, grant_id: int, by: User, at: datetime) -> None:
    """Have any data steward decide, not only the data set's: for who asked, or proposed it."""
    grant = Grant.objects.select_for_update().get(pk=grant_id)
    is_theirs = by.pk in (grant.person_id, grant.proposed_by_id)
    if not is_theirs and not access_of(by, at=at).may_decide_requests:
        raise CannotGrant(NOT_A_STEWARD)
    if grant.stage != GrantStage.REQUESTED:
        raise CannotGrant(NOT_TO_ESCALATE)
    _move([grant], GrantStage.ESCALATED, by=by, at=at)


@transaction.atomic
def revoke(*, grant_id: int, reason: str, by: User, at: datetime) -> None:
    """End a grant now: pages, lists, exports and judge runs that stand on it end with it."""
    grant = Grant.objects.select_for_update().get(pk=grant_id)
    if not access_of(by, at=at).may_decide_requests:
        raise CannotGrant(NOT_A_STEWARD)
    if not (reason := tidied(reason)):
        raise CannotGrant(SAY_WHY)
    if grant.stage != GrantStage.APPROVED or grant.revoked_at is not None:
        raise CannotGrant(NOT_IN_FORCE)
    grant.revoked_at = at
    grant.revoked_by = by
    grant.save(update_fields=["revoked_at", "revoked_by"])
    _note([grant], "revoked", by=by, at=at, reason=reason)


@transaction.atomic
def found(*, data_set: DataSet, person: User, by: User | None, at: datetime) -> None:
    """Grant a new data set to who coordinates its first study and brings the data themselves.

    Nothing is in it yet, so nobody's data is opened; and texts that leave are not among it.
    """
    until = _capped(person, at + timedelta(days=data_set.longest_days), at=at)
    founding = Grant.objects.bulk_create(
        Grant(
            data_set=data_set,
            person=person,
            level=level.value,
            purpose=FOUNDED,
            proposed_by=by,
            asked_at=at,
            stage=GrantStage.APPROVED.value,
            since=at,
            until=until,
        )
        for level in DataLevel
        if level is not DataLevel.TEXT_AWAY
    )
    _note(founding, GrantStage.APPROVED, by=None, at=at, reason=FOUNDED)


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


def _approve(grants: Sequence[Grant], *, until: datetime, by: User | None, at: datetime) -> None:
    """Approve what nothing speaks against; where two people have to agree, the first waits."""
    approved_by: dict[int, list[int | None]] = {
        grant.pk: [by.pk if by else None] for grant in grants
    }
    before = GrantDecision.objects.filter(grant__in=grants, what=GrantStage.APPROVED)
    for grant_id, whom in before.values_list("grant", "by"):
        approved_by[grant_id].append(whom)
    effective = [one for one in grants if takes_effect(DataLevel(one.level), approved_by[one.pk])]
    once = [one for one in grants if one not in effective]
    _note(once, GrantStage.APPROVED, by=by, at=at, verb="approved_once")
    _move(effective, GrantStage.APPROVED, by=by, at=at, holds=(at, until))


def _move(
    grants: Sequence[Grant],
    to: GrantStage,
    *,
    by: User | None,
    at: datetime,
    reason: str = "",
    holds: tuple[datetime, datetime] | None = None,
) -> None:
    """Bring grants to a stage, and note it; with `holds`, since when and until when."""
    now = {"stage": to.value} | (dict(zip(("since", "until"), holds, strict=True)) if holds else {})
    for grant, (name, value) in product(grants, now.items()):
        setattr(grant, name, value)
    Grant.objects.filter(pk__in=[grant.pk for grant in grants]).update(**now)
    _note(grants, to, by=by, at=at, reason=reason)


def _note(
    grants: Sequence[Grant],
    what: str,
    *,
    by: User | None,
    at: datetime,
    reason: str = "",
    verb: str = "",
) -> None:
    """Keep a decision with each grant, and as an event, under another `verb` if one is given."""
    GrantDecision.objects.bulk_create(
        GrantDecision(
            grant=grant, person_id=grant.person_id, what=str(what), by=by, at=at, reason=reason
        )
        for grant in grants
    )
    _record(verb or str(what), grants, by=by, at=at)


def _record(verb: str, grants: Iterable[Grant], *, by: User | None, at: datetime) -> None:
    lines = (
        (
            f"account:{grant.person_id}",
            {
                "grant": grant.pk,
                "data_set": grant.data_set_id,
                "level": grant.level,
                "until": grant.until.isoformat() if grant.until else None,
            },
        )
        for grant in grants
    )
    events.record_each(f"grant.{verb}", lines, by=by, at=at)


def _raise(reason: Sentence | None) -> None:
    if reason:
        raise CannotGrant(reason)
