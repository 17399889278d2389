"""What a program sends is taken, looked at and acted on; where nothing is done, it is told why."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.utils.translation import gettext
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import exception_handler

from accounts.gate import ApiRequest, has_just_said_who_it_is

Filled = TypeVar("Filled", bound=BaseForm)


class Mistaken(APIException):
    """422, with what is wrong field by field, as the form of the page says it; `problems`: what a
    whole answer lacks."""

    status_code = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(self, fields: object = None, *, problems: object = None) -> None:
        super().__init__()
        told = {"fields": fields, "problems": problems}
        self.detail: Any = {name: one for name, one in told.items() if one is not None}


class Undone(APIException):
    """409, with the sentence that says why nothing was done."""

    status_code = HTTPStatus.CONFLICT


def taken(fields: type[Serializer[Any]], request: ApiRequest) -> dict[str, Any]:
    """What was sent, in the form that it has to have; 400 where it has not."""
    sent = fields(data=request.data)
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


def checked(form: Filled) -> Filled:
    """A form of a page that is filled in rightly; Mistaken."""
    if not form.is_valid():
        raise Mistaken(form.errors)
    return form


@contextmanager
def refusing(*refusals: type[Exception], said: Callable[[Any], str] = str) -> Iterator[None]:
    """Around an action: where it refuses with a sentence, Undone says it."""
    try:
        yield
    except refusals as refusal:
        raise Undone(said(refusal.args[0])) from None


def reaches_far(request: ApiRequest) -> None:
    """Where the page asks for the password again, a program needs a token that is just made."""
    if not has_just_said_who_it_is(request):
        raise PermissionDenied(
            gettext("This takes a token that was made in the last minutes, behind your password.")
        )


def refusal(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Whatever is refused, an object says why: also where one value was asked about, by itself."""
    answer = exception_handler(error, dict(context))
    if answer is not None and isinstance(answer.data, list):
        answer.data = {"detail": " ".join(map(str, answer.data))}
    return answer
