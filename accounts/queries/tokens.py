"""Whose a token is, and which tokens an account has."""

from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from accounts.access import account_and_facts
from accounts.models import ApiToken, User
from accounts.models.prepared import Prepared

_FIELDS = [field.attname for field in ApiToken._meta.concrete_fields]


def _not_revoked(sha256: str) -> QuerySet[ApiToken, Any]:
    return ApiToken.objects.filter(sha256=sha256, revoked_at=None).values_list(*_FIELDS)


# Asked with every request of a program, so prepared.
_NOT_REVOKED = Prepared(_not_revoked)


def holder_of(sha256: str, *, at: datetime) -> tuple[User, ApiToken] | None:
    """The account, with its `facts`, that a token in force signs in."""
    row = _NOT_REVOKED.first(sha256=sha256)
    token = ApiToken.from_db(connection.alias, _FIELDS, row) if row else None
    if token is None or token.expires_at <= at:
        return None
    known = account_and_facts(token.user_id)
    if known is None:
        return None
    account, facts = known
    account.facts = facts
    return (account, token) if account.is_active else None


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The newest first."""
    return ApiToken.objects.filter(user=user).order_by("-pk")[:50]
