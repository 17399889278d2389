"""Single sign-on: what an OpenID provider says of a person, and what is believed of it.

Who signs in there alone has nothing that is asked again here: before what reaches far their provider
asks them again, and what comes back has to be of the same person, and of now.
"""

import time
from typing import Any

from allauth.account import app_settings as account_settings
from allauth.account.internal.flows.login import (
    get_authentication_records,
    record_authentication,
)
from allauth.account.internal.flows.reauthentication import (
    get_reauthentication_flows,
    resume_request,
)
from allauth.core.exceptions import ImmediateHttpResponse, ReauthenticationRequired
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts.models import User

AGAIN = "again"  # what for somebody is sent to a provider, beside what allauth sends them for
ANSWERED = "answered_again"  # where somebody who was asked goes on
SOCIAL = "socialaccount"  # allauth's name for how a session was opened
# Asks whoever is signed in there already, and has the answer say when it was asked.
ASKED_ANEW = {"prompt": "login", "max_age": "0"}
FRESH = 120  # seconds since the provider asked
CLOCKS = 60  # seconds by which its clock may be behind ours


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Who comes for the first time finds their name filled in."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Sign somebody in, and do nothing else: a link on another site could connect a stranger's
        sign-on to the account of whoever follows it."""
        if sociallogin.state.get("process") == AGAIN:
            raise ImmediateHttpResponse(_back_from_there(request, sociallogin))
        if sociallogin.state.get("process") != AuthProcess.LOGIN:
            raise PermissionDenied

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[Any, str] | None:
        """The account whose own address the provider has verified; one that an account is only to
        be changed to may be anybody's."""
        verified = [one.email.lower() for one in sociallogin.email_addresses if one.verified]
        account = User.objects.filter(email__in=verified).order_by("pk").first()
        return (account, account.email) if account else None

    def get_signup_form_initial_data(self, sociallogin: SocialLogin) -> dict[str, Any]:
        initial: dict[str, Any] = super().get_signup_form_initial_data(sociallogin)
        return initial | {"full_name": str(_claims(sociallogin).get("name", ""))}


def vouches(sociallogin: SocialLogin) -> bool:
    """Whether the provider says, in words that are believed, that it asked for a second factor."""
    token = sociallogin.account.extra_data.get("id_token") or {}
    methods = token.get("amr") or []
    said = {*(methods if isinstance(methods, list) else [methods]), token.get("acr")}
    return bool(said & set(settings.SSO_SECOND_FACTOR))


def asks(user: User) -> SocialAccount | None:
    """By which provider an account is asked again: None where it has a password or a factor here."""
    if get_reauthentication_flows(user):
        return None
    return SocialAccount.objects.filter(user=user).order_by("pk").first()


def ask_unless_just_asked(request: HttpRequest) -> None:
    """Raise ReauthenticationRequired for who is asked by a provider, and was not in the last minutes."""
    if not isinstance(request.user, User) or asks(request.user) is None:
        return
    records = get_authentication_records(request, request.user)
    asked = [one["at"] for one in records if one.get("reauthenticated")]
    if not asked or time.time() - asked[-1] >= account_settings.REAUTHENTICATION_TIMEOUT:
        raise ReauthenticationRequired


def send_there(request: HttpRequest, user: User, *, then: str) -> HttpResponseBase:
    """To the provider, which is told to ask again; Http404 where there is none that may be asked."""
    provider = _provider_of(request, user)
    answer: HttpResponseBase = provider.redirect(
        request,
        process=AGAIN,
        next_url=then,
        data={"account": user.pk, "at": time.time()},
        auth_params=provider.get_auth_params() | ASKED_ANEW,
    )
    return answer


def name_of_provider(request: HttpRequest, user: User) -> str:
    return str(_provider_of(request, user).name)


def _provider_of(request: HttpRequest, user: User) -> Any:
    account = asks(user)
    try:
        if account is not None:
            return account.get_provider(request)
    except SocialApp.DoesNotExist:
        pass
    raise Http404


def _back_from_there(request: HttpRequest, sociallogin: SocialLogin) -> HttpResponse:
    """Note that the same person was asked just now, if that is so."""
    began, account = sociallogin.state.get("data"), sociallogin.account
    user = request.user
    if not isinstance(began, dict) or not isinstance(user, User) or began["account"] != user.pk:
        raise PermissionDenied
    then = sociallogin.state.get("next", "/")
    page = redirect(f"{reverse('again')}?{urlencode({'next': then})}")
    is_theirs = SocialAccount.objects.filter(
        user=user, provider=account.provider, uid=account.uid
    ).exists()
    if not is_theirs or not _was_asked_since(began["at"], sociallogin):
        messages.error(
            request,
            _("You were not asked again there.")
            if is_theirs
            else _("Somebody else signed in there. Sign in as yourself."),
        )
        return page
    record_authentication(
        request, user, SOCIAL, provider=account.provider, uid=account.uid, reauthenticated=True
    )
    request.session[ANSWERED] = then
    return page


def go_on(request: HttpRequest, *, then: str) -> HttpResponseBase | None:
    """Do what was sent, for who comes back from there; once, and None for others."""
    if request.session.pop(ANSWERED, None) != then:
        return None
    return resume_request(request) or redirect(then)


def _was_asked_since(began: float, sociallogin: SocialLogin) -> bool:
    """By the time that the provider names: one that names none has been told to ask, and is believed."""
    token = sociallogin.account.extra_data.get("id_token") or {}
    if "auth_time" not in token:
        return True
    try:
        asked = float(token["auth_time"])
    except (TypeError, ValueError):
        return False
    return asked >= max(began - CLOCKS, time.time() - FRESH)


def _claims(sociallogin: SocialLogin) -> dict[str, Any]:
    extra = sociallogin.account.extra_data
    return dict(extra.get("userinfo") or extra.get("id_token") or {})
