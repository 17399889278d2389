"""What belongs to no room: any table of figures as a file, and the glossary."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from accounts.views.files import as_file
from analytics import told
from analytics.figures import store
from analytics.present import leaving
from analytics.present.glossary import ENTRIES
from analytics.present.leaving import FiguresTaken
from analytics.present.live import reader_or_403
from analytics.present.typesetting import FILES
from analytics.present.veil import veil_of
from analytics.present.viewing import view_asked
from analytics.rooms import ROOMS


@require_safe
def table_file(request: Request, key: str, part: str, table: str, kind: str) -> HttpResponse:
    """The table as it stands on the page: `?criterion=…` and the like choose its lines."""
    if part not in ROOMS or kind not in FILES:
        raise Http404
    study_access = reader_or_403(request, key, ROOMS[part].action)
    study = study_access.study
    view = view_asked(request.GET)
    chosen = dict(request.GET.lists())
    found = told.table(
        study,
        ROOMS[part],
        table,
        view,
        chosen=chosen,
        veil=veil_of(study_access),
        at=timezone.now(),
    )
    file = FILES[kind]
    taken = FiguresTaken(
        study_access=study_access,
        name=f"{found.key}.{kind}",
        view=view,
        revision=None if view.within else store.newest_revision(study.pk, ROOMS[part].part),
        choices=chosen,
    )
    leaving.as_file(taken, by=request.user, at=timezone.now())
    name = f"{study.key}-{found.key}.{kind}"
    content = file.write(leaving.table(found, study_access))
    return as_file(content, name, f"{file.content_type}; charset=utf-8")


@require_safe
def glossary(request: Request, key: str) -> HttpResponse:
    """What symbols and statistics mean."""
    study_access = reader_or_403(request, key)
    found = {"study_access": study_access, "entries": ENTRIES.values()}
    return render(request, "analytics/glossary.html", found)
