"""The accounts of this server."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from accounts import rules
from accounts.access import Facts, facts_of
from accounts.models import AccessRequest, Role, Suspension, TermsAcceptance, User
from accounts.queries import NotYours
from accounts.queries.terms import signatures_of


def accounts_matching(words: str) -> list[User]:
    """The first two hundred by name whose name, email address or affiliation has every word."""
    suspended = Suspension.objects.filter(user=OuterRef("pk"), reinstated_at__isnull=True)
    accounts = User.objects.annotate(is_suspended=Exists(suspended)).order_by("full_name", "pk")
    for word in words.split():
        accounts = accounts.filter(
            Q(full_name__icontains=word) | Q(email__icontains=word) | Q(affiliation__icontains=word)
        )
    return list(accounts[:200])


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPage:
    account: User
    facts: Facts
    signatures: list[TermsAcceptance]
    requests: list[AccessRequest]
    suspensions: list[Suspension]
    reason_not_to_suspend: str | None
    reason_not_to_reinstate: str | None


def account_page(account_id: int, *, reader: int) -> AccountPage:
    account = User.objects.filter(pk=account_id).first()
    if account is None:
        raise NotYours
    suspensions = list(
        account.suspensions.select_related("suspended_by", "reinstated_by").order_by("-pk")
    )
    current = next((one for one in suspensions if one.reinstated_at is None), None)
    return AccountPage(
        account=account,
        facts=facts_of(account_id),
        signatures=signatures_of(account_id),
        requests=list(account.access_requests.select_related("decided_by").order_by("-pk")),
        suspensions=suspensions,
        reason_not_to_suspend=rules.reason_not_to_suspend(
            by=reader, account=account_id, suspended=current is not None
        ),
        reason_not_to_reinstate=rules.reason_not_to_reinstate(
            by=reader, account=account_id, suspended_by=current.suspended_by_id if current else None
        ),
    )


def somebody_decides() -> bool:
    """Whether there is an account that may ever approve another."""
    return User.objects.filter(roles__overlap=[Role.STEWARD, Role.ADMIN], is_active=True).exists()


def account_exists(email: str) -> bool:
    return User.objects.filter(email=email.lower()).exists()
