"""Sessions as Django keeps them in the database: every page asks for one, so that is prepared."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models.prepared import Prepared


def _session(session_key: str) -> QuerySet:
    return Session.objects.filter(pk=session_key).values_list("pk", "session_data", "expire_date")


_SESSION = Prepared(_session)


class SessionStore(db.SessionStore):
    def _validate_session_key(self, key: str | None) -> bool:
        """A key has letters and digits only; PostgreSQL refuses some of what a cookie can hold."""
        return bool(super()._validate_session_key(key)) and key.isalnum()

    def _get_session_from_db(self) -> Session | None:
        row = _SESSION.first(session_key=self.session_key)
        if row is not None and (session := Session(*row)).expire_date > timezone.now():
            return session
        self._session_key = None
        return None
