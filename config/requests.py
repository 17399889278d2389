"""Every request has a name, by which its lines in the logs are found again."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from accounts.gate import is_unnamed
from accounts.operations import counting
from config.logs import REQUEST

HEADER = "X-Request-ID"
_GIVEN = re.compile(r"[A-Za-z0-9-]{8,64}")
logger = logging.getLogger(__name__)


class RequestName:
    """Take the name that the proxy gave, or make one; say it in the answer and in every line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get(HEADER, "")
        name = given if _GIVEN.fullmatch(given) else uuid.uuid4().hex
        token = REQUEST.set(name)
        begin = time.monotonic()
        try:
            response = self.get_response(request)
            response.headers[HEADER] = name
            counting.answered(_page(request), response.status_code)
            if settings.LOG_REQUESTS:
                _tell(request, response, begin)
            return response
        finally:
            REQUEST.reset(token)


def _page(request: HttpRequest) -> str:
    """The name of what was asked for."""
    found = request.resolver_match
    return found.view_name if found else "none"


def _tell(request: HttpRequest, response: HttpResponseBase, begin: float) -> None:
    """One line a request: the name of its page, never its address, which may hold what was typed."""
    found = request.resolver_match
    names_nobody = found is not None and is_unnamed(found.func)
    access = None if names_nobody else getattr(request, "access", None)
    logger.info(
        "answered",
        extra={
            "method": request.method,
            "page": _page(request),
            "status": response.status_code,
            "milliseconds": round(1000 * (time.monotonic() - begin)),
            "account": access.user_id if access else None,
        },
    )
