"""The gate: every URL is closed to all but approved accounts unless its view is marked open.

Pages and API views pass the same middleware; workers ask `access_of` themselves.
"""

from collections.abc import Callable
from datetime import timedelta
from http import HTTPStatus
from typing import Any, Literal, TypeVar

import rest_framework.request
from allauth.account import app_settings as allauth_settings
from allauth.account.decorators import reauthentication_required
from allauth.core.exceptions import ReauthenticationRequired
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import ResolverMatch
from django.utils import timezone
from rest_framework.permissions import BasePermission

from accounts import events, sessions
from accounts.access import Access, access_by, access_without_session
from accounts.models import ApiToken, User
from accounts.models import Scope as Scope  # which views of the API name
from accounts.queries import checklist
from accounts.sessions import SessionStore

Audience = Literal["anyone", "signed_in", "approved"]
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class Knock(HttpRequest):
    """A request of anybody, which the gate has seen."""

    access: Access
    token: ApiToken | None
    session: SessionStore
    resolver_match: ResolverMatch


class Request(Knock):
    """What a view gets, unless it is open to anyone: the request of an account."""

    user: User


class ApiRequest(rest_framework.request.Request):
    """The same for views of the API, which pass on what the gate has set."""

    access: Access
    user: User
    token: ApiToken | None


# Views of packages cannot carry a mark of ours, so theirs are listed by URL name.
MARKED_BY_NAME: dict[str, Audience] = {
    "account_login": "anyone",
    "account_signup": "anyone",
    "account_logout": "anyone",
    "account_inactive": "anyone",
    "account_confirm_email": "anyone",
    "account_email_verification_sent": "anyone",
    "account_reset_password": "anyone",
    "account_reset_password_done": "anyone",
    "account_reset_password_from_key": "anyone",
    "account_reset_password_from_key_done": "anyone",
    "mfa_authenticate": "anyone",
    "mfa_login_webauthn": "anyone",
    "account_reauthenticate": "signed_in",
    "account_change_password": "signed_in",
    "account_set_password": "signed_in",
    "account_email": "signed_in",
    "mfa_reauthenticate": "signed_in",
    "mfa_reauthenticate_webauthn": "signed_in",
    "mfa_index": "signed_in",
    "mfa_activate_totp": "signed_in",
    "mfa_deactivate_totp": "signed_in",
    "mfa_generate_recovery_codes": "signed_in",
    "mfa_view_recovery_codes": "signed_in",
    "mfa_download_recovery_codes": "signed_in",
    "mfa_list_webauthn": "signed_in",
    "mfa_add_webauthn": "signed_in",
    "mfa_edit_webauthn": "signed_in",
    "mfa_remove_webauthn": "signed_in",
    "usersessions_list": "signed_in",
    "set_language": "anyone",
    "openid_connect_login": "anyone",
    "openid_connect_callback": "anyone",
    "socialaccount_login_error": "anyone",
    "socialaccount_login_cancelled": "anyone",
    "socialaccount_signup": "anyone",
}

# What a session may open that owes the second factor, besides what anyone may.
OPEN_WITHOUT_FACTOR = {"access", "mfa_reauthenticate", "mfa_reauthenticate_webauthn"}

# A page that asks again every few seconds leaves one line a minute, not thirty.
REFUSALS_FOLD_WITHIN = timedelta(minutes=1)

# Who was let in and asks for what is not theirs: of another team, or for another role.
TURNED_AWAY: dict[int, str] = {
    HTTPStatus.FORBIDDEN: "gate.forbidden",
    HTTPStatus.NOT_FOUND: "gate.not_found",
}
LONGEST_ARGUMENT = 100


def open_to(audience: Audience) -> Callable[[View], View]:
    """Mark a view as open to more than the approved."""

    def mark(view: View) -> View:
        view.audience = audience  # type: ignore[attr-defined]  # the mark that `audience_of` reads
        return view

    return mark


def unnamed(view: View) -> View:
    """Mark a view of which no log says who opened it."""
    view.is_unnamed = True  # type: ignore[attr-defined]  # the mark that `is_unnamed` reads
    return view


def is_unnamed(view: object) -> bool:
    """Whether a view, or the class of one of the API, is marked so."""
    return any(getattr(one, "is_unnamed", False) for one in (view, getattr(view, "cls", None)))


def audience_of(view: object, url_name: str | None) -> Audience:
    return getattr(view, "audience", None) or MARKED_BY_NAME.get(url_name or "", "approved")


def lets_in(access: Access, audience: Audience) -> bool:
    if audience == "anyone":
        return True
    if audience == "signed_in":
        return access.is_signed_in
    return access.may_enter


def scope_of(view: object) -> str:
    """What a token must be for to open a view of the API; reading is for any that says nothing."""
    scope: str = getattr(getattr(view, "cls", None), "scope", Scope.READ)
    return scope


class GateMiddleware:
    """Asks before every view; sets `request.access` for those behind it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: Knock) -> HttpResponseBase:
        facts = getattr(request.user, "facts", None)
        now = timezone.now()
        if request.token is not None and facts is not None:
            request.access = access_without_session(facts, at=now)
        else:
            request.access = access_by(
                facts,
                at=now,
                factor_was_shown=sessions.has_factor(request),
                factor_was_vouched=sessions.is_vouched_for(request),
            )
        is_session = request.access.is_signed_in and request.token is None
        if is_session and _is_somebodys_doing(request):
            request.session.somebody_is_there(at=now)
        response = self.get_response(request)
        if request.access.may_enter and response.status_code in TURNED_AWAY:
            _record_turned_away(request, TURNED_AWAY[response.status_code])
        if request.access.is_signed_in:
            response.headers.setdefault("Cache-Control", "no-store")
            if not request.user.is_authenticated:
                # Signed out: nothing of the session stays in the browser.
                response.headers["Clear-Site-Data"] = '"cache", "storage"'
        return response

    def process_view(
        self, request: Request, view: Callable[..., object], *_arguments: object
    ) -> HttpResponseBase | None:
        audience = audience_of(view, request.resolver_match.url_name)
        if audience == "signed_in" and request.access.owes_factor:
            return _factor_first(request)
        if not lets_in(request.access, audience):
            return refusal(request)
        if request.token and (scope := scope_of(view)) not in request.token.scopes:
            return JsonResponse({"refused": True, "scope": scope}, status=HTTPStatus.FORBIDDEN)
        return None


@reauthentication_required
def ask_again_who_it_is(request: Request) -> None:
    """Before what reaches far: go on if password or second factor were given in the last minutes.

    Otherwise they are asked for first, and what was sent goes through then.
    """


def has_just_said_who_it_is(request: ApiRequest) -> bool:
    """The same question to a program: its token was made, behind the password, so short a time ago."""
    if request.token is None:
        try:
            ask_again_who_it_is(request._request)
        except ReauthenticationRequired:
            return False
        return True
    age = timezone.now() - request.token.made_at
    return age < timedelta(seconds=allauth_settings.REAUTHENTICATION_TIMEOUT)


def _is_somebodys_doing(request: HttpRequest) -> bool:
    """Pages ask for newer figures by themselves: an open one keeps nobody signed in."""
    return "HX-Request" not in request.headers or request.method not in {"GET", "HEAD"}


def _factor_first(request: Request) -> HttpResponseBase | None:
    """A session that was opened before the account had a factor does nothing but show it."""
    if request.resolver_match.url_name in OPEN_WITHOUT_FACTOR:
        return None
    return redirect("access")


def refusal(request: Request) -> HttpResponseBase:
    """Say what is missing and what to do next, in the form that was asked for."""
    access = request.access
    if access.is_signed_in:
        _record_refusal(request)
    status = HTTPStatus.FORBIDDEN if access.is_signed_in else HTTPStatus.UNAUTHORIZED
    if request.path.startswith("/api/"):
        return JsonResponse({"refused": True, "missing": list(access.missing)}, status=status)
    if "HX-Request" in request.headers:
        return _refused_fragment(request, status)
    if not access.is_signed_in:
        return redirect_to_login(request.get_full_path())
    context = {"checklist": checklist.checklist_for(access, at=timezone.now())}
    return render(request, "accounts/refused.html", context, status=status)


def _refused_fragment(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    """A page that only asked again is loaded anew; one that sent something keeps what was typed."""
    response = render(request, "accounts/_refused_toast.html", status=status)
    if request.method in {"GET", "HEAD"}:
        response.headers["HX-Refresh"] = "true"
    return response


def _record_refusal(request: Request) -> None:
    events.record_unless_recent(
        "gate.refused",
        subject=f"account:{request.access.user_id}",
        by=request.user,
        at=timezone.now(),
        facts={
            "page": request.resolver_match.view_name,
            "missing": list(request.access.missing),
        },
        within=REFUSALS_FOLD_WITHIN,
    )


def _record_turned_away(request: Knock, verb: str) -> None:
    """Say which page was asked for, and with which ids and keys; not by which link, whose words open it."""
    page = request.resolver_match
    if page is None or page.view_name in MARKED_BY_NAME or not isinstance(request.user, User):
        return
    events.record_unless_recent(
        verb,
        subject=f"account:{request.access.user_id}",
        by=request.user,
        at=timezone.now(),
        facts={
            "page": page.view_name,
            **{
                name: str(value)[:LONGEST_ARGUMENT]
                for name, value in page.kwargs.items()
                if name != "token" and str(value).isprintable()
            },
        },
        within=REFUSALS_FOLD_WITHIN,
    )


class OnlyThroughTheGate(BasePermission):
    """The same question for REST views, should one ever be reached around the middleware."""

    def has_permission(self, request: Any, view: object) -> bool:
        audience = audience_of(view.__class__, request.resolver_match.url_name)
        return lets_in(request.access, audience)


def access_in_templates(request: HttpRequest) -> dict[str, object]:
    theme = request.COOKIES.get("theme")
    return {
        "access": getattr(request, "access", None),
        "is_demo": settings.DEMO,
        "theme": theme if theme in {"light", "dark"} else "",
    }
