"""What is granted to whom: the facts of the decision, what waits, and who could see what when."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import CharField, DateTimeField, QuerySet, Value

from accounts.access import Access, access_of
from accounts.models import User
from accounts.models.prepared import Prepared
from annotation.models import BrokenGlass, Grant
from annotation.rubric.sentences import Sentence
from annotation.rules import granting
from annotation.rules.granting import Asked, Asker, DataLevel, Decider, GrantStage, HeldGrant

_BY_GLASS = ""  # in the place of a level


def _held(person: int, data_set: int) -> QuerySet[Grant, Any]:
    """What was approved, and when somebody broke the glass: in one journey, for every page asks."""
    return _of_person(person, data_set=data_set)


def _of_person(person: int | None, *first: str, **which: int) -> QuerySet[Grant, Any]:
    theirs = {"person": person} | which
    approved = Grant.objects.filter(**theirs, stage=GrantStage.APPROVED)
    broken = BrokenGlass.objects.filter(**theirs, since__isnull=False)
    never = Value(None, output_field=DateTimeField())
    no_level = Value(_BY_GLASS, output_field=CharField())
    return approved.values_list(*first, "since", "until", "revoked_at", "level").union(
        broken.values_list(*first, "since", "until", never, no_level), all=True
    )


_HELD = Prepared(_held)


def person_of(access: Access, data_set_id: int, roles: frozenset[str]) -> Asker:
    """An account as the decision about a data set knows it."""
    return _person(access, roles, _HELD.all(person=access.user_id, data_set=data_set_id))


def person_of_each(access: Access, roles: Sequence[tuple[int, frozenset[str]]]) -> list[Asker]:
    """The same for (data set, roles in one of its studies) each, in one journey."""
    held: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for data_set, *grant in _of_person(access.user_id, "data_set"):
        held[data_set].append(tuple(grant))
    return [_person(access, has, held[data_set]) for data_set, has in roles]


def _person(access: Access, roles: frozenset[str], held: Sequence[tuple[Any, ...]]) -> Asker:
    return Asker(
        may_enter=access.may_enter,
        roles=roles,
        grants=tuple(
            HeldGrant(level=DataLevel(level), since=since, until=until, revoked_at=revoked_at)
            for since, until, revoked_at, level in held
            if level != _BY_GLASS
        ),
        glasses=tuple(
            (since, until) for since, until, _revoked_at, level in held if level == _BY_GLASS
        ),
    )


def decider(by: User, *, at: datetime) -> Decider:
    return Decider(account=by.pk, is_steward=access_of(by, at=at).may_decide_requests)


def asked(grant: Grant) -> Asked:
    """A request as the rule about deciding it knows it."""
    approvals = grant.decisions.filter(what=GrantStage.APPROVED)
    return Asked(
        person=grant.person_id,
        level=DataLevel(grant.level),
        stage=GrantStage(grant.stage),
        asked_at=grant.asked_at,
        steward=grant.data_set.steward_id,
        approved_by=frozenset(approvals.values_list("by", flat=True)),
    )


def reason_not_to_decide(grant: Grant, *, by: User, at: datetime) -> Sentence | None:
    return granting.reason_not_to_decide(asked(grant), decider(by, at=at), at=at)


def reason_not_to_approve(
    grant: Grant, *, until: datetime, by: User, at: datetime
) -> Sentence | None:
    return granting.reason_not_to_approve(
        asked(grant),
        decider(by, at=at),
        until=until,
        longest_days=grant.data_set.longest_days,
        at=at,
    )
