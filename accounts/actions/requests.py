"""Ask for access, and decide who gets it."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import events, rules
from accounts.access import access_of, facts_of
from accounts.actions import letters
from accounts.models import AccessRequest, Decision, User


class CannotAsk(Exception):
    """Why no request was made, as a sentence for the applicant."""


class CannotDecide(Exception):
    """Why nothing was decided, as a sentence for the data steward."""


@transaction.atomic
def ask(*, purpose: str, by: User, at: datetime) -> AccessRequest:
    applicant = User.objects.select_for_update().get(pk=by.pk)
    if not access_of(applicant, at=at).may_request:
        raise CannotAsk(_("Another step comes before asking. Open “Your access” to see which."))
    if applicant.access_requests.filter(decision=Decision.OPEN).exists():
        raise CannotAsk(_("You have asked already. A data steward will decide."))
    if not rules.may_renew(applicant.approved_until, at=at):
        raise CannotAsk(_("Your access still holds. You may renew it in its last 60 days."))
    asked = AccessRequest.objects.create(user=applicant, purpose=purpose, requested_at=at)
    events.record(
        "access.requested",
        subject=f"account:{applicant.pk}",
        by=applicant,
        at=at,
        facts={"request": asked.pk},
    )
    letters.tell_stewards_of_request(applicant, at=at)
    return asked


@transaction.atomic
def show(*, request_id: int, by: User, at: datetime) -> None:
    events.record("access.request_shown", subject=f"request:{request_id}", by=by, at=at)


@transaction.atomic
def approve(*, request_id: int, until: datetime, by: User, at: datetime) -> AccessRequest:
    asked = _open_request(request_id, by)
    requester = asked.user
    facts = facts_of(requester.pk)
    reason = rules.reason_not_to_approve(
        until=until, at=at, signed_until=facts.signed_until, suspended=facts.is_suspended
    )
    if reason:
        raise CannotDecide(reason)
    requester.approved_until = until
    requester.save(update_fields=["approved_until"])
    asked.granted_until = until
    _decide(asked, Decision.APPROVED, by, at)
    return asked


@transaction.atomic
def refuse(*, request_id: int, reason: str, by: User, at: datetime) -> AccessRequest:
    asked = _open_request(request_id, by)
    asked.reason = reason
    _decide(asked, Decision.REFUSED, by, at)
    return asked


def _open_request(request_id: int, by: User) -> AccessRequest:
    """The request with its account, both locked, or the reason why `by` may not decide it."""
    asked = AccessRequest.objects.select_for_update().select_related("user").get(pk=request_id)
    reason = rules.reason_not_to_decide(
        decider=by.pk, requester=asked.user_id, is_open=asked.decision == Decision.OPEN
    )
    if reason:
        raise CannotDecide(reason)
    return asked


def _decide(asked: AccessRequest, decision: Decision, by: User, at: datetime) -> None:
    asked.decision = decision
    asked.decided_by = by
    asked.decided_at = at
    asked.save()
    until = asked.granted_until
    events.record(
        "access.decided",
        subject=f"account:{asked.user_id}",
        by=by,
        at=at,
        facts={
            "request": asked.pk,
            "decision": decision.value,
            "until": until.isoformat() if until else None,
        },
    )
    letters.tell_applicant_of_decision(asked.user)
