"""What belongs to no room: any table of figures as a file, and the glossary."""

from collections.abc import Iterator
from http import HTTPStatus

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics import told
from analytics.figures import store
from analytics.present.entering import reader_or_403
from analytics.present.glossary import ENTRIES
from analytics.present.taking import handed_out
from analytics.present.typesetting import FILES
from analytics.present.veil import veil_of
from analytics.present.viewing import view_asked
from analytics.rooms import ROOMS


@require_safe
def table_file(request: Request, key: str, part: str, table: str, kind: str) -> HttpResponse:
    """The table as it stands on the page: `?criterion=…` and the like choose its lines. One of too many
    lines is taken in pieces."""
    if part not in ROOMS or kind not in FILES:
        raise Http404
    study_access = reader_or_403(request, key, ROOMS[part].action)
    study = study_access.study
    view = view_asked(request.GET)
    try:
        found = told.table(
            study,
            ROOMS[part],
            table,
            view,
            chosen=dict(request.GET.lists()),
            veil=veil_of(study_access),
            at=timezone.now(),
        )
    except store.TooMuchAtOnce as much:
        page = {
            "study_access": study_access,
            "name": f"{table}.{kind}",
            "pieces": _pieces(request, much),
        }
        return render(request, "analytics/pieces.html", page, status=HTTPStatus.BAD_REQUEST)
    revision = None if view.within else store.newest_revision(study.pk, ROOMS[part].part)
    return handed_out(request, found, study_access, kind, revision=revision)


def _pieces(request: Request, much: store.TooMuchAtOnce) -> Iterator[tuple[str, str]]:
    """Each by its name, and where it is taken."""
    chosen = request.GET.copy()
    for piece in much.pieces:
        chosen[much.about] = piece
        yield piece, f"{request.path}?{chosen.urlencode()}"


@require_safe
def glossary(request: Request, key: str) -> HttpResponse:
    """What symbols and statistics mean."""
    study_access = reader_or_403(request, key)
    found = {"study_access": study_access, "entries": ENTRIES.values()}
    return render(request, "analytics/glossary.html", found)
