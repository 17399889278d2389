"""What allauth and Django tell of sign-ins, second factors and passwords becomes lines of the trail.

No line holds an address: who failed to sign in is an account, or nobody whom the server knows.
"""

from typing import Any

from allauth.account import signals as of_accounts
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa import signals as of_factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialLogin
from django.contrib.auth import signals as of_django
from django.dispatch import Signal
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts import events, limits, providers
from accounts.models import User
from accounts.sessions import FACTOR, VOUCHED

UNKNOWN = "account:unknown"
# What happened to an account, by the signal that says so.
TOLD: dict[str, Signal] = {
    "session.began": of_accounts.user_logged_in,
    "session.ended": of_django.user_logged_out,
    "session.factor_refused": of_factors.authentication_failed,
    "factor.added": of_factors.authenticator_added,
    "factor.removed": of_factors.authenticator_removed,
    "factor.reset": of_factors.authenticator_reset,
    "password.set": of_accounts.password_set,
    "password.changed": of_accounts.password_changed,
    "password.reset": of_accounts.password_reset,
    "email.added": of_accounts.email_added,
    "email.changed": of_accounts.email_changed,
    "email.removed": of_accounts.email_removed,
}


def listen() -> None:
    """Have the signals told to the trail; once a process."""
    for verb, signal in TOLD.items():
        signal.connect(Teller(verb), weak=False, dispatch_uid=f"accounts.{verb}")
    of_factors.authenticator_added.connect(shown, dispatch_uid="accounts.factor.shown")
    of_accounts.user_logged_in.connect(known, dispatch_uid="accounts.session.known")
    of_django.user_login_failed.connect(refused, dispatch_uid="accounts.session.refused")


class Teller:
    """Writes the line of one kind of signal."""

    def __init__(self, verb: str) -> None:
        self._verb = verb

    def __call__(
        self, user: User | None = None, authenticator: Authenticator | None = None, **_: Any
    ) -> None:
        if user is None:
            return  # somebody without a session signed out
        facts = {"factor": authenticator.type} if authenticator else {}
        events.record(
            self._verb, subject=f"account:{user.pk}", by=user, at=timezone.now(), facts=facts
        )


def shown(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    """Setting a factor up takes showing it: the session that did has shown it, and no other has."""
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        record_authentication(request, user, FACTOR, id=authenticator.pk, type=authenticator.type)


def refused(credentials: dict[str, Any], **_: Any) -> None:
    """A password that was wrong, or an account that there is not."""
    email = str(credentials.get("email") or credentials.get("username") or "")
    events.record("session.refused", subject=_subject(email), by=None, at=timezone.now())


def held_back(email: str) -> None:
    """Too many passwords were tried; one line for as long as it lasts."""
    events.record("session.held_back", subject=_subject(email), by=None, at=timezone.now())


def known(
    request: HttpRequest,
    response: HttpResponse,
    user: User,
    sociallogin: SocialLogin | None = None,
    **_: Any,
) -> None:
    """Who signed in is no stranger to this browser and address any more."""
    limits.remember(request, response, user.email)
    request.session[VOUCHED] = sociallogin is not None and providers.vouches(sociallogin)


def _subject(email: str) -> str:
    user_id = User.objects.filter(email=email.lower()).values_list("pk", flat=True).first()
    return UNKNOWN if user_id is None else f"account:{user_id}"
