"""A table as a file. One that belongs to no room has no address of its own: `?table=KEY&as=csv` of its page.

The view answers as always, so that nobody is told more than on the page; of the tables that it has
drawn one leaves, by the rules of all that leave.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from accounts.gate import Request
from accounts.views.files import as_file
from analytics.present import leaving
from analytics.present.grid import KINDS, Download
from analytics.present.leaving import FiguresTaken
from analytics.present.tables import Table
from analytics.present.typesetting import FILES
from analytics.present.viewing import view_asked
from annotation.queries.studies import StudyAccess

_DRAWN = "concord.tables"  # where they stand in the environment of a request
_NO_CHOICES = ("revision", "mark", "table", "as")
_TO_READ = ("GET", "HEAD")


class DrawnTable(NamedTuple):
    """A table on a page of a study, for who sees it there."""

    table: Table
    study_access: StudyAccess


class TakingMiddleware:
    """A table of the page, where one is asked for."""

    def __init__(self, get_response: Callable[[Request], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: Request) -> HttpResponse:
        page = self.get_response(request)
        key, kind = request.GET.get("table"), request.GET.get("as")
        if key is None or kind is None or not _is_drawn(request, page):
            return page
        drawn: Mapping[str, DrawnTable] = request.META.get(_DRAWN, {})
        if key not in drawn or kind not in FILES:
            raise Http404
        return handed_out(request, *drawn[key], kind, more={"page": request.path})


def _is_drawn(request: Request, page: HttpResponse) -> bool:
    """Whether this is a page to take from: not what was done, not where figures are on the way."""
    return (
        is_read(request)
        and page.status_code < HTTPStatus.MULTIPLE_CHOICES
        and page.status_code != HTTPStatus.ACCEPTED
    )


def is_read(request: HttpRequest) -> bool:
    """Whether a table can be taken from its page: what was posted has no address."""
    return request.method in _TO_READ


def note_drawn(request: HttpRequest, key: str, drawn: DrawnTable) -> None:
    """Let the middleware know a table that the page draws, should it be the one asked for."""
    request.META.setdefault(_DRAWN, {})[key] = drawn


def files_of(request: HttpRequest, key: str) -> tuple[Download, ...]:
    """Where the files of a table are that the page draws."""
    chosen = request.GET.copy()
    for name in _NO_CHOICES:
        chosen.pop(name, None)
    chosen["table"] = key
    place = f"{request.path}?{chosen.urlencode()}"
    return tuple(Download(name=name, address=f"{place}&as={kind}") for kind, name in KINDS.items())


def handed_out(
    request: Request,
    table: Table,
    study_access: StudyAccess,
    kind: str,
    *,
    revision: int | None = None,
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The file, with a line in the trail; PermissionDenied says why it may not leave."""
    taken = FiguresTaken(
        study_access=study_access,
        name=f"{table.key}.{kind}",
        view=view_asked(request.GET),
        revision=revision,
        choices=dict(request.GET.lists()),
        more=more or {},
    )
    leaving.as_file(taken, by=request.user, at=timezone.now())
    file = FILES[kind]
    return as_file(
        file.write(leaving.table(table, study_access)),
        f"{study_access.study.key}-{table.key}.{kind}",
        f"{file.content_type}; charset=utf-8",
    )
