"""What a program is told where nothing is done, and where its token has to be a new one."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.gate import ApiRequest, has_just_said_who_it_is


def reaches_far(request: ApiRequest) -> None:
    """Where the page asks for the password again, a program needs a token that is just made."""
    if not has_just_said_who_it_is(request):
        raise PermissionDenied(
            gettext("This takes a token that was made in the last minutes, behind your password.")
        )


def mistaken(fields: object) -> Response:
    """422, with what is wrong field by field, as the form of the page says it."""
    return Response({"fields": fields}, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def undone(reason: object) -> Response:
    """409, with the sentence that says why nothing was done."""
    return Response({"detail": str(reason)}, status=HTTPStatus.CONFLICT)


def refusal(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Whatever is refused, an object says why: also where one value was asked about, by itself."""
    answer = exception_handler(error, dict(context))
    if answer is not None and isinstance(answer.data, list):
        answer.data = {"detail": " ".join(map(str, answer.data))}
    return answer
