"""A file as an answer: to keep, not to look at."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header

CSV = "text/csv; charset=utf-8"
TOML = "application/toml; charset=utf-8"


def as_file(content: str | bytes, name: str, content_type: str) -> HttpResponse:
    disposition = content_disposition_header(True, name)
    return HttpResponse(
        content, content_type=content_type, headers={"Content-Disposition": disposition}
    )
