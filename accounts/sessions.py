"""Sessions as Django keeps them in the database, each with two ends.

One comes soon after somebody was last there, the other twelve hours after they signed in. Every
page asks for a session, so that is prepared; its end is put off with a write now and then.
"""

import json
import secrets
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from allauth.account.authentication import get_authentication_records
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models.prepared import Prepared

PUT_OFF_EVERY = timedelta(minutes=2)
# allauth's name for "a second factor was shown" among what a session was opened with.
FACTOR = "mfa"
VOUCHED = "factor_vouched_for"
_SIGNED_IN_AT = "signed_in_at"
# What is typed and not yet sent waits in the browser, encrypted with this: it ends with the session.
OUTBOX_KEY = "outbox_key"


def _session(session_key: str) -> QuerySet[Any, Any]:
    return Session.objects.filter(pk=session_key).values_list("pk", "session_data", "expire_date")


_SESSION = Prepared(_session)


@lru_cache(maxsize=1024)
def _decoded(signed: bytes | str) -> str:
    """What a session holds, as JSON; nothing where its signature is not good."""
    return json.dumps(db.SessionStore().decode(signed))


def has_factor(request: HttpRequest) -> bool:
    """Whether a second factor was shown in this session, by the account that is signed in."""
    account = request.user if request.user.is_authenticated else None
    return any(
        record["method"] == FACTOR for record in get_authentication_records(request, account)
    )


def is_vouched_for(request: HttpRequest) -> bool:
    """Whether a provider, which is believed, said that it asked for a second factor."""
    return bool(request.user.is_authenticated and request.session.get(VOUCHED))


class SessionStore(db.SessionStore):
    ends_at: datetime | None = None

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        """A session stays the same from page to page: its signature is checked once a process."""
        held: dict[str, Any] = json.loads(_decoded(session_data))
        return held

    def somebody_is_there(self, *, at: datetime) -> None:
        """Put off the end of a signed-in session."""
        ends_at = self.get_expiry_date(modification=at)
        if self.ends_at is None or ends_at - self.ends_at >= PUT_OFF_EVERY:
            Session.objects.filter(pk=self.session_key).update(expire_date=ends_at)

    def get_session_cookie_age(self) -> int:
        """Seconds from now on; a visitor's form may wait longer than an account's page."""
        return settings.SESSION_IDLE_AGE if SESSION_KEY in self else settings.SESSION_COOKIE_AGE

    def get_expiry_date(self, **moment: Any) -> datetime:
        return min(super().get_expiry_date(**moment), _latest_end(self.get(_SIGNED_IN_AT)))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        if SESSION_KEY in data:
            data.setdefault(_SIGNED_IN_AT, timezone.now().isoformat())
            data.setdefault(OUTBOX_KEY, secrets.token_urlsafe(32))
        return super().create_model_instance(data)

    def _validate_session_key(self, key: str | None) -> bool:
        """A key has letters and digits only; PostgreSQL refuses some of what a cookie can hold."""
        is_long = super()._validate_session_key(key)  # type: ignore[misc]  # not in the stubs
        return key is not None and bool(is_long) and key.isalnum()

    def _get_session_from_db(self) -> Session | None:
        row = _SESSION.first(session_key=self.session_key)
        if row is not None:
            key, data, ends_at = row
            # By what is signed: who writes another end beside an old session brings it not back.
            latest = _latest_end(self.decode(data).get(_SIGNED_IN_AT))
            if timezone.now() < min(ends_at, latest):
                self.ends_at = ends_at
                return Session(session_key=key, session_data=data, expire_date=ends_at)
        self._session_key = None
        return None


def _latest_end(signed_in_at: str | None) -> datetime:
    """When a session ends however busy somebody is; that of nobody has no such moment."""
    if signed_in_at is None:
        return datetime.max.replace(tzinfo=UTC)
    return datetime.fromisoformat(signed_in_at) + timedelta(seconds=settings.SESSION_COOKIE_AGE)
