"""Accounts themselves: who they are, suspending, reinstating, roles."""

from collections.abc import Collection
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import transaction

from accounts import events, rules
from accounts.models import Role, Suspension, User


class CannotChange(Exception):
    """Why an account was left as it is, as a sentence for the person who tried."""


@transaction.atomic
def introduce(*, user: User, full_name: str, affiliation: str, at: datetime) -> None:
    """Say who signed up, once the account exists."""
    user.full_name = full_name
    user.affiliation = affiliation
    user.save(update_fields=["full_name", "affiliation"])
    events.record("account.signed_up", subject=f"account:{user.pk}", by=user, at=at)


@transaction.atomic
def suspend(*, user_id: int, reason: str, by: User, at: datetime) -> Suspension:
    account = _locked(user_id)
    _raise(
        rules.reason_not_to_suspend(
            by=by.pk, account=account.pk, suspended=_current_suspension(account) is not None
        )
    )
    suspension = Suspension.objects.create(
        user=account, suspended_at=at, suspended_by=by, reason=reason
    )
    events.record(
        "account.suspended",
        subject=f"account:{account.pk}",
        by=by,
        at=at,
        facts={"suspension": suspension.pk},
    )
    return suspension


@transaction.atomic
def reinstate(*, user_id: int, by: User, at: datetime) -> User:
    account = _locked(user_id)
    suspension = _current_suspension(account)
    reason = rules.reason_not_to_reinstate(
        by=by.pk,
        account=account.pk,
        suspended_by=suspension.suspended_by_id if suspension else None,
    )
    if suspension is None or reason:
        raise CannotChange(reason)
    suspension.reinstated_at = at
    suspension.reinstated_by = by
    suspension.save(update_fields=["reinstated_at", "reinstated_by"])
    events.record(
        "account.reinstated",
        subject=f"account:{account.pk}",
        by=by,
        at=at,
        facts={"suspension": suspension.pk},
    )
    return account


@transaction.atomic
def set_roles(*, user_id: int, roles: Collection[Role], by: User, at: datetime) -> User:
    account = _locked(user_id)
    _raise(rules.reason_not_to_set_roles(by=by.pk, account=account.pk))
    _record_roles(account, roles, by, at)
    return account


@transaction.atomic
def appoint(*, email: str, roles: Collection[Role], approved_until: datetime, at: datetime) -> User:
    """Give an existing account roles and approval from the server's own console."""
    account = User.objects.select_for_update().get(email=email.lower())
    account.approved_until = approved_until
    account.save(update_fields=["approved_until"])
    _record_roles(account, {*account.roles, *roles}, None, at)
    return account


@transaction.atomic
def create(*, email: str, full_name: str, password: str, at: datetime) -> User:
    """Make an account from the server's own console; its email address counts as verified."""
    account = User.objects.create_user(email, password, full_name=full_name)
    EmailAddress.objects.create(user=account, email=account.email, primary=True, verified=True)
    events.record("account.created", subject=f"account:{account.pk}", by=None, at=at)
    return account


def _locked(user_id: int) -> User:
    return User.objects.select_for_update().get(pk=user_id)


def _current_suspension(account: User) -> Suspension | None:
    return account.suspensions.filter(reinstated_at__isnull=True).first()


def _raise(reason: str | None) -> None:
    if reason:
        raise CannotChange(reason)


def _record_roles(account: User, roles: Collection[str], by: User | None, at: datetime) -> None:
    before = list(account.roles)
    account.roles = sorted(roles)
    account.save(update_fields=["roles"])
    events.record(
        "account.roles_set",
        subject=f"account:{account.pk}",
        by=by,
        at=at,
        facts={"before": before, "after": account.roles},
    )
