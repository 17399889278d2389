"""How the server is: for a load balancer, for Prometheus, and for those who look after it."""

import hmac

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from accounts.gate import Knock, Request, open_to
from accounts.operations import metrics as figures
from accounts.operations.state import reasons_not_ready, state
from accounts.queries import services


@open_to("anyone")
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Whether the server has what it needs."""
    away = services.services_away()
    if away:
        return HttpResponse(f"away: {', '.join(away)}\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@open_to("anyone")
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether people may be sent to it: it has what it needs, and its tables are today's."""
    if reasons := reasons_not_ready():
        return HttpResponse(f"{'; '.join(reasons)}\n", status=503, content_type="text/plain")
    return HttpResponse("ready\n", content_type="text/plain")


@open_to("anyone")
@never_cache
@require_safe
def metrics(request: Knock) -> HttpResponse:
    """The state of the server for Prometheus, who brings a token; or for who looks after it."""
    if not (_brings_token(request) or request.access.may_see_server):
        return HttpResponse("This needs a token.\n", status=401, content_type="text/plain")
    return HttpResponse(figures.exposed(), content_type=CONTENT_TYPE_LATEST)


@require_safe
def server(request: Request) -> HttpResponse:
    """The same for people."""
    if not request.access.may_see_server:
        raise PermissionDenied(_("This page is for administrators."))
    return render(request, "accounts/server.html", {"state": state()})


def _brings_token(request: Knock) -> bool:
    kind, _blank, token = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    return (
        bool(wanted) and kind == "Bearer" and hmac.compare_digest(token.encode(), wanted.encode())
    )
