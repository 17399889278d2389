"""Who asked for access."""

from dataclasses import dataclass
from datetime import datetime

from accounts import rules
from accounts.access import Access, Facts, facts_of
from accounts.models import AccessRequest, Decision, TermsAcceptance, User
from accounts.queries import NotYours
from accounts.queries.terms import signatures_of


def n_waiting_for(access: Access) -> int:
    """How many requests this account may decide now; none unless it is a steward's."""
    if not access.may_decide_requests:
        return 0
    return AccessRequest.objects.filter(decision=Decision.OPEN).exclude(user=access.user_id).count()


def requests_by_decision(*, is_open: bool) -> list[AccessRequest]:
    """Open ones, the oldest first; decided ones, the latest hundred."""
    requests = AccessRequest.objects.select_related("user", "decided_by")
    if is_open:
        return list(requests.filter(decision=Decision.OPEN).order_by("requested_at"))
    return list(requests.exclude(decision=Decision.OPEN).order_by("-decided_at")[:100])


def refused_purpose(user: User) -> str:
    """What somebody wrote whose newest request was refused, to be mended; else nothing."""
    newest = user.access_requests.order_by("-pk").first()
    return newest.purpose if newest and newest.decision == Decision.REFUSED else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPage:
    """A request as a steward sees it, with the reasons why it cannot be decided or approved."""

    request: AccessRequest
    facts: Facts
    signatures: list[TermsAcceptance]
    earlier: list[AccessRequest]
    latest_end: datetime | None
    reason_not_to_decide: str | None
    reason_not_to_approve: str | None


def request_page(request_id: int, *, reader: int, at: datetime) -> RequestPage:
    request = (
        AccessRequest.objects.select_related("user", "decided_by").filter(pk=request_id).first()
    )
    if request is None:
        raise NotYours
    facts = facts_of(request.user_id)
    signed = facts.signed_until
    latest = rules.latest_end(at=at, signed_until=signed) if signed and signed > at else None
    return RequestPage(
        request=request,
        facts=facts,
        signatures=signatures_of(request.user_id),
        earlier=list(
            AccessRequest.objects.filter(user=request.user_id)
            .exclude(pk=request.pk)
            .order_by("-pk")
        ),
        latest_end=latest,
        reason_not_to_decide=rules.reason_not_to_decide(
            decider=reader,
            requester=request.user_id,
            is_open=request.decision == Decision.OPEN,
        ),
        reason_not_to_approve=rules.reason_not_to_approve(
            until=latest or at, at=at, signed_until=signed, suspended=facts.is_suspended
        ),
    )
