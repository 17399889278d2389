"""Make a token for a program, and revoke it."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.http import Http404

from accounts import events
from accounts.models import ApiToken, User

PREFIX = "concord_"
LONGEST = timedelta(days=90)


class NoSuchToken(Http404):
    """This account has no such token."""


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def make(
    *, name: str, scopes: Collection[str], days: int, by: User, at: datetime
) -> tuple[ApiToken, str]:
    """The token, and the words that sign in with it: they are shown once and kept nowhere."""
    words = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=by,
        name=name,
        scopes=sorted(scopes),
        sha256=hash_of(words),
        made_at=at,
        expires_at=at + min(timedelta(days=days), LONGEST),
    )
    events.record(
        "token.made",
        subject=f"account:{by.pk}",
        by=by,
        at=at,
        facts={"token": token.pk, "scopes": token.scopes, "until": token.expires_at.isoformat()},
    )
    return token, words


@transaction.atomic
def revoke(*, token_id: int, by: User, at: datetime) -> None:
    token = ApiToken.objects.select_for_update().filter(pk=token_id, user=by).first()
    if token is None:
        raise NoSuchToken
    if token.revoked_at is None:
        token.revoked_at = at
        token.save(update_fields=["revoked_at"])
        events.record(
            "token.revoked", subject=f"account:{by.pk}", by=by, at=at, facts={"token": token.pk}
        )
