"""A file as an answer: to keep, not to look at."""

from collections.abc import Iterable

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header

CSV = "text/csv; charset=utf-8"
TOML = "application/toml; charset=utf-8"


def as_file(content: str | bytes, name: str, content_type: str) -> HttpResponse:
    disposition = content_disposition_header(True, name)
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": disposition}
    )


def as_stream(
    pieces: Iterable[bytes], size: int, name: str, content_type: str
) -> StreamingHttpResponse:
    """The same for one that leaves a piece at a time; `size` in bytes."""
    disposition = content_disposition_header(True, name)
    return StreamingHttpResponse(
        pieces,
        content_type=content_type,
        headers={"Content-Disposition": disposition, "Content-Length": str(size)},
    )
