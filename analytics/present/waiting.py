"""What somebody gets who asks for figures before a worker has made them."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from analytics.figures.on_the_way import FiguresOnTheWay

_AGAIN = "1"  # seconds
_LATE = 10.0


class WaitingMiddleware:
    """A page that opens by itself, nothing new for a fragment, and “later” for a program."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, FiguresOnTheWay):
            return None
        if request.path.startswith("/api/"):
            return JsonResponse(
                {"detail": "A worker computes these figures. Ask again in a second."},
                status=HTTPStatus.ACCEPTED,
                headers={"Retry-After": _AGAIN},
            )
        if "HX-Request" in request.headers:
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        response = render(
            request,
            "analytics/on_the_way.html",
            {
                "is_late": exception.waited > _LATE,
                "whole": _without_slice(request) if "slice" in request.GET else "",
            },
            status=HTTPStatus.ACCEPTED,
        )
        response.headers["Refresh"] = _AGAIN
        return response


def _without_slice(request: HttpRequest) -> str:
    chosen = request.GET.copy()
    chosen.pop("slice", None)
    return f"{request.path}?{chosen.urlencode()}"
