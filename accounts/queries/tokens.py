"""Whose a token is, and which tokens an account has."""

from datetime import datetime

from django.db.models import QuerySet

from accounts.access import account_and_facts
from accounts.models import ApiToken, User


def holder_of(sha256: str, *, at: datetime) -> tuple[User, ApiToken] | None:
    """The account, with its `facts`, that a token in force signs in."""
    token = ApiToken.objects.filter(sha256=sha256, revoked_at=None, expires_at__gt=at).first()
    known = account_and_facts(token.user_id) if token else None
    if token is None or known is None:
        return None
    account, facts = known
    account.facts = facts
    return (account, token) if account.is_active else None


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """The newest first."""
    return ApiToken.objects.filter(user=user).order_by("-pk")[:50]
