"""Programs sign in with a token; behind it the gate asks what it asks of everybody."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.actions.tokens import hash_of
from accounts.models import User
from accounts.queries import tokens

API = "/api/"


class TokenMiddleware:
    """In the API a bearer is whose token it brings, or nobody; whatever cookies it brings too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: Any) -> HttpResponseBase:
        kind, _blank, words = request.headers.get("Authorization", "").partition(" ")
        request.token = None
        if kind.lower() == "bearer" and request.path.startswith(API):
            found = tokens.holder_of(hash_of(words.strip()), at=timezone.now())
            request.user, request.token = found or (AnonymousUser(), None)
        return self.get_response(request)


class TokenAuthentication(BaseAuthentication):
    """What the middleware found; a token is in no cookie, so no other site can send it."""

    def authenticate(self, request: Request) -> tuple[User, object] | None:
        inner: Any = request._request
        return (inner.user, inner.token) if inner.token else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
