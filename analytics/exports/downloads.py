"""An archive as the answer to a request, for pages and programs alike: whole, or a part of it."""

from collections.abc import Iterator
from http import HTTPStatus

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone

from accounts.gate import ApiRequest, Request
from analytics.exports import actions, links
from analytics.exports.actions import HandedOut
from analytics.exports.ranges import OutOfRange
from annotation.queries.wording import said

_PIECE = 1 << 20


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
    except actions.NoSuchExport:
        raise Http404 from None
    except actions.MayNotExport as reason:
        raise PermissionDenied(said(reason.args[0])) from None
    except OutOfRange:
        return HttpResponse(status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
    answer = _part(found, found.part) if found.part else _whole(found)
    answer.headers["Accept-Ranges"] = "bytes"
    answer.headers["ETag"] = f'"{found.sha256}"'
    return answer


def _whole(found: HandedOut) -> FileResponse:
    return FileResponse(
        found.path.open("rb"),
        as_attachment=True,
        filename=found.name,
        content_type="application/zip",
    )


def _part(found: HandedOut, part: range) -> StreamingHttpResponse:
    size = found.path.stat().st_size
    answer = StreamingHttpResponse(
        _pieces(found, part), status=HTTPStatus.PARTIAL_CONTENT, content_type="application/zip"
    )
    answer.headers["Content-Length"] = str(len(part))
    answer.headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    answer.headers["Content-Disposition"] = f'attachment; filename="{found.name}"'
    return answer


def _pieces(found: HandedOut, part: range) -> Iterator[bytes]:
    with found.path.open("rb") as archive:
        archive.seek(part.start)
        left = len(part)
        while left and (piece := archive.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece
