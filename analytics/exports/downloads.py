"""An archive as the answer to a request, for pages and programs alike: whole, or a part of it."""

from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from time import monotonic

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone

from accounts.gate import ApiRequest, Request
from accounts.models import User
from analytics.exports import actions, links
from analytics.exports.actions import HandedOut
from analytics.exports.ranges import OutOfRange
from annotation.actions.jobs import keeping

_PIECE = 1 << 16
ASKED_EVERY = 0.5  # seconds


class NoLongerGranted(Exception):
    """What is being fetched is not granted any more: the connection closes before its end."""


def answered(request: Request | ApiRequest, key: str, token: str) -> HttpResponseBase:
    """What a link gives to who follows it."""
    try:
        found = links.follow(
            study_key=key,
            token=token,
            asked=request.headers.get("Range", ""),
            by=request.user,
            at=timezone.now(),
        )
    except OutOfRange:
        return HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
    return _answer(found, stands=partial(_still_stands, found, by=request.user))


def _answer(found: HandedOut, *, stands: Callable[[], None]) -> StreamingHttpResponse:
    part = found.part or range(found.size)
    answer = StreamingHttpResponse(
        _pieces(found.folder, part, stands),
        status=HTTPStatus.PARTIAL_CONTENT if found.part else HTTPStatus.OK,
        content_type="application/zip",
    )
    if found.part:
        answer.headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{found.size}"
    answer.headers["Content-Length"] = str(len(part))
    answer.headers["Content-Disposition"] = f'attachment; filename="{found.name}"'
    answer.headers["Accept-Ranges"] = "bytes"
    answer.headers["ETag"] = f'"{found.export.sha256}"'
    return answer


def _pieces(folder: str, part: range, stands: Callable[[], None]) -> Iterator[bytes]:
    """The bytes of a part; while they leave it is asked again and again whether they still may."""
    asked = monotonic()
    for kept in keeping.read(folder, part):
        for start in range(0, len(kept), _PIECE):
            if monotonic() - asked >= ASKED_EVERY:
                stands()
                asked = monotonic()
            yield kept[start : start + _PIECE]


def _still_stands(found: HandedOut, *, by: User) -> None:
    try:
        actions.gate_of(found.export.manifest, by=by, at=timezone.now())
    except actions.MayNotExport:
        raise NoLongerGranted from None
