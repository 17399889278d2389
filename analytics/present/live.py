"""How every page of figures answers: to whom, how fresh, and as a whole or a fragment."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from http import HTTPStatus
from typing import Generic, NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language

from accounts.gate import Request
from analytics.figures import store as snapshots
from analytics.figures.part import Part, R
from analytics.figures.store import KeptFigures
from analytics.present.charts import showing
from analytics.present.fragments import drawn_once
from analytics.present.naming import Naming, of_page
from analytics.present.page import NoSuchPage
from analytics.present.viewing import doubtful, switches, view_named
from analytics.ratings.matrices import VIEWS, View
from annotation.queries import readers
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.finding import study_or_404


class PageAsked(NamedTuple, Generic[R]):
    """What a page is made for: the study with its reader, the choices in the address, the view,
    and the reports: that of the view, or of every view for a page that sets them side by side."""

    study_access: StudyAccess
    choices: Mapping[str, str]
    view: View
    reports: Mapping[View, R]

    def naming(self, raters: Iterable[int]) -> Naming:
        """What criteria and these raters are called, with addresses that keep the view."""
        study = self.study_access.study
        return of_page(
            study.rubric_version.content,
            raters,
            study=study.key,
            values=self.choices.get("values", ""),
        )


def reader_or_403(request: Request, key: str) -> StudyAccess:
    """The study for an account that may see its figures."""
    study_access = study_or_404(request, key)
    if reason := readers.reason_not_to_see(study_access):
        raise PermissionDenied(said(reason))
    return study_access


def live_page(
    request: Request,
    key: str,
    *,
    part: Part[R],
    page: str,
    show: Callable[[R, PageAsked[R]], object],
    side_by_side: bool = False,
) -> HttpResponse:
    """A page that asks again by itself: 204 when nothing is newer than its `revision`.

    `show` turns the report into what `analytics/<page>.html` and its fragment `_<page>.html` find
    under `shown`; it raises NoSuchPage.
    """
    study_access = reader_or_403(request, key)
    study = study_access.study
    kept = snapshots.keep_fresh(
        study_id=study.pk, part=part, revision=study.revision, at=timezone.now()
    )
    if request.GET.get("revision") == str(kept.revision):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)

    def drawn(template: str) -> HttpResponse:
        return _drawn(request, study_access, kept, part, template, show, side_by_side=side_by_side)

    if "chart" in request.GET:
        shown = _shown(request, study_access, part, show, side_by_side=side_by_side)
        response = showing.answer(request, shown, key=study.key, revision=kept.revision)
    elif "HX-Request" in request.headers:
        key_of_fragment = _fragment_key(request, study_access, part, page, kept)
        response = drawn_once(request, key_of_fragment, lambda: drawn(f"_{page}"))
    else:
        response = drawn(page)
    response.headers["Vary"] = "HX-Request, Cookie"
    return response


def _drawn(
    request: Request,
    study_access: StudyAccess,
    kept: KeptFigures,
    part: Part[R],
    template: str,
    show: Callable[[R, PageAsked[R]], object],
    *,
    side_by_side: bool,
) -> HttpResponse:
    study = study_access.study
    shown = _shown(request, study_access, part, show, side_by_side=side_by_side)
    context = {
        "study_access": study_access,
        "shown": shown,
        "live": {
            "revision": kept.revision,
            "computed_here": kept.computed_here,
            "address": _address(request, kept.revision),
        },
        "view": choices_of(request),
        "values": request.GET.get("values", ""),
        "switches": switches(request.GET.dict(), doubtful(study.pk)),
    }
    return render(request, f"analytics/{template}.html", context)


def _shown(
    request: Request,
    study_access: StudyAccess,
    part: Part[R],
    show: Callable[[R, PageAsked[R]], object],
    *,
    side_by_side: bool,
) -> object:
    view = view_named(request.GET.get("values", ""))
    reports = snapshots.newest(study_access.study.pk, part, *(VIEWS if side_by_side else [view]))
    try:
        return show(reports[view], PageAsked(study_access, request.GET.dict(), view, reports))
    except NoSuchPage:
        raise Http404 from None


def _fragment_key(
    request: Request, study_access: StudyAccess, part: Part[R], page: str, kept: KeptFigures
) -> tuple[Hashable, ...]:
    """What two requests have in common that get the same fragment."""
    return (
        *(part.key, part.fingerprint, page, study_access.study.pk, *kept),
        *(request.path, choices_of(request), get_language()),
        *(study_access.roles, study_access.access.roles),
    )


def choices_of(request: Request) -> str:
    """The reader's choices as the end of an address, to be kept from page to page."""
    chosen = request.GET.copy()
    chosen.pop("revision", None)
    return chosen.urlencode()


def _address(request: Request, revision: int | None) -> str:
    chosen = request.GET.copy()
    chosen["revision"] = str(revision)
    return f"{request.path}?{chosen.urlencode()}"
