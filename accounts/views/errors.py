"""Refusals that are not the gate's."""

import sys
from collections.abc import Callable
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    JsonResponse,
)
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import resolve
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

_AWAY = (OperationalError, InterfaceError, RedisError)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A view said no; its reason, if it gave one, is a sentence for the reader."""
    reason = str(exception) or _("Your account may not do this.")
    return _answer(request, reason)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """There is no such address. What the exception `said` is a sentence for the reader; a program
    reads it as it reads everything else."""
    reason = getattr(exception, "said", "")
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": reason or "Not found."}, status=404)
    return render(request, "404.html", {"reason": reason}, status=404)


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """What was sent is no form of ours, or larger than any."""
    if request.path.startswith("/api/"):
        return JsonResponse({"detail": "Bad request."}, status=HTTPStatus.BAD_REQUEST)
    told = {
        "title": _("This could not be read"),
        "reason": _(
            "What was sent is damaged, or more than the server takes. Go back, reload the page and "
            "send it again."
        ),
    }
    return render(request, "404.html", told, status=HTTPStatus.BAD_REQUEST)


def too_many(request: HttpRequest) -> HttpResponse:
    """allauth counts how often its forms are sent from one address."""
    told = {"title": _("Too many attempts"), "reason": _("Wait a few minutes, then try again.")}
    return render(request, "404.html", told, status=HTTPStatus.TOO_MANY_REQUESTS)


class FormsOnlyMiddleware:
    """Says what an address is that takes forms alone: whoever changes the language of what a form was
    answered with, or signs in again after sending one, comes to it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method != "GET" or not isinstance(response, HttpResponseNotAllowed):
            return response
        told = {
            "reason": _("This address takes what a form sends, and shows nothing by itself."),
            "above": _page_above(request.path),
        }
        page = render(request, "404.html", told, status=HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = response["Allow"]
        return page


def _page_above(path: str) -> str:
    """The nearest address above, where the form stands."""
    above = path.rstrip("/").rpartition("/")[0] + "/"
    try:
        resolve(above)
    except Http404:
        return _page_above(above)
    return above


def failed(request: HttpRequest) -> HttpResponse:
    """What nobody foresaw; 503 where PostgreSQL or Redis does not answer, as that passes."""
    is_away = isinstance(sys.exception(), _AWAY)
    status = HTTPStatus.SERVICE_UNAVAILABLE if is_away else HTTPStatus.INTERNAL_SERVER_ERROR
    answer: HttpResponse
    if request.path.startswith("/api/"):
        answer = JsonResponse({"detail": f"{status.phrase}."}, status=status)
    else:
        page = render_to_string("500.html", {"is_away": is_away})  # who asks may be unknown now
        answer = HttpResponse(page, status=status)
    if is_away:
        answer["Retry-After"] = "30"
    return answer


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """`reason` is Django's, for its log; people need to know what to do."""
    return _answer(
        request,
        _("This page is older than your session. Go back, reload it and send the form again."),
    )


def _answer(request: HttpRequest, reason: str) -> HttpResponse:
    if "HX-Request" in request.headers:
        toast = {"kind": "error", "text": reason}
        return render(request, "components/_toast.html", toast, status=403)
    return render(request, "403.html", {"reason": reason}, status=403)
