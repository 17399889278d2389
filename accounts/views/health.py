"""Whether the server has what it needs, for a load balancer."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

from accounts.gate import open_to
from accounts.queries import services


@open_to("anyone")
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    away = services.services_away()
    if away:
        return HttpResponse(f"away: {', '.join(away)}\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
