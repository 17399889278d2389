"""Refusals that are not the gate's."""

import sys
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
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
