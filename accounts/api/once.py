"""Writes that a program may send again, because it does not know whether they arrived."""

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext
from drf_spectacular.utils import OpenApiParameter
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from accounts.actions import writes
from accounts.api.described import described

HEADER = "Idempotency-Key"
ONCE = OpenApiParameter(
    HEADER,
    {"type": "string", "maxLength": 100},
    location="header",
    description="The same key within a day gets the same answer, and nothing is done twice.",
)

Answering = Callable[..., Response]


def once(**what: object) -> Callable[[Answering], Answering]:
    """A method of a view that does nothing twice for a key; what was refused may be tried again.

    It is described by `what`, as by `described`.
    """

    def made(answer: Answering) -> Answering:
        return described(parameters=[ONCE], **what)(_once(answer))

    return made


def _once(answer: Answering) -> Answering:
    @wraps(answer)
    def answered(view: Any, request: Any, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER, "")
        if not key:
            return answer(view, request, *args, **kwargs)
        with transaction.atomic():
            try:
                row, before = writes.begin(
                    by=request.user,
                    key=hashlib.sha256(key.encode()).hexdigest(),
                    sent=_digest(request),
                    at=timezone.now(),
                )
            except writes.SentOtherwise:
                return sent_otherwise()
            if before is not None:
                return Response(before.answer, status=before.status)
            done = answer(view, request, *args, **kwargs)
            if done.status_code < HTTPStatus.BAD_REQUEST:
                writes.keep(row, status=done.status_code, answer=_as_sent(done.data))
            else:
                writes.give_up(row)
            return done

    return answered


def sent_otherwise() -> Response:
    """The answer to a key that comes with something else than before."""
    said = gettext("Something else was sent under this key before.")
    return Response({"detail": said}, status=HTTPStatus.CONFLICT)


def _digest(request: Any) -> str:
    """Of the address and of all that was sent there, files and fields alike."""
    found = hashlib.sha256(f"{request.method} {request.path}\n".encode())
    data = request.data if isinstance(request.data, Mapping) else {"": request.data}
    # A form may have a field several times.
    sent = dict(data.lists()) if isinstance(data, MultiValueDict) else data
    files = {name: many for name, many in sent.items() if isinstance(data[name], UploadedFile)}
    fields = {name: sent[name] for name in sent if name not in files}
    found.update(json.dumps(fields, sort_keys=True, default=str).encode())
    for name, many in sorted(files.items()):
        for file in many:
            found.update(f"\n{name} {file.name}\n".encode())
            for chunk in file.chunks():
                found.update(chunk)
    return found.hexdigest()


def _as_sent(data: object) -> object:
    """As JSON has it, dates and all."""
    return json.loads(JSONRenderer().render(data))
