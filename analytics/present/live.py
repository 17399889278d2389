"""How every page of figures answers: to whom, how fresh, and as a whole or a fragment."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from http import HTTPStatus
from typing import Any, Generic, NamedTuple, TypeVar

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language

from accounts.gate import Request
from analytics import queue
from analytics.exports.pseudonyms import page_name
from analytics.figures import store as snapshots
from analytics.figures.part import Part, PartReport, R
from analytics.figures.store import KeptFigures
from analytics.present import folds, leaving
from analytics.present.charts import showing
from analytics.present.entering import reader_or_403
from analytics.present.following import FOLLOWS, Following, has_waited
from analytics.present.fragments import drawn_once, within_page
from analytics.present.leaving import FiguresTaken
from analytics.present.naming import Naming, of_page
from analytics.present.page import NoSuchPage
from analytics.present.veil import veil_of, veiled, veiled_each
from analytics.present.viewing import doubtful, switches, view_asked
from analytics.ratings.matrices import View, views_within
from annotation.queries.studies import StudyAccess
from annotation.rules.granting import Action

Other = TypeVar("Other", bound=PartReport)

_PATIENCE = 0.3  # seconds that who has waited for figures waits for their drawing


class PageAsked(NamedTuple, Generic[R]):
    """What a page is made for: the study with its reader, the choices in the address, the view,
    and the reports: that of the view, or of every view for a page that sets them side by side."""

    study_access: StudyAccess
    choices: Mapping[str, str]
    view: View
    reports: Mapping[View, R]

    def beside(self, part: Part[Other]) -> Other:
        """The report of another part that the page shows too: of the same values, and of the whole
        study, for it is one that certifies."""
        whole = replace(self.view, within="")
        report = snapshots.newest(self.study_access.study.pk, part, whole)[whole]
        return veiled(report, veil_of(self.study_access))

    def naming(self, raters: Iterable[int]) -> Naming:
        """What criteria and these raters are called, with addresses that keep the view."""
        study = self.study_access.study
        veil = veil_of(self.study_access)
        return of_page(
            study.rubric_version.content,
            raters,
            study=study.key,
            values=self.choices.get("values", ""),
            within=self.view.within,
            called=page_name if veil else None,
        )


def live_page(
    request: Request,
    key: str,
    *,
    part: Part[R],
    page: str,
    show: Callable[[R, PageAsked[R]], object],
    side_by_side: bool = False,
    beside: Sequence[Part[Any]] = (),
    pieces: Collection[str] | None = None,
    of_slices: bool = True,
    action: Action = Action.SEE_FIGURES,
) -> HttpResponse:
    """A page that asks again by itself: 204 when nothing is newer than its `revision`.

    It is as new as the oldest of its parts; those `beside` are kept fresh with it. `show` turns
    the report into what `analytics/<page>.html` and its fragment `_<page>.html` find under `shown`;
    it raises NoSuchPage. `pieces`: what it shows of those that are kept apart. Pages that certify are
    not `of_slices`: they speak of the whole study, and so does what stands `beside`.
    """
    study_access = reader_or_403(request, key, action)
    study = study_access.study
    view = view_asked(request.GET)
    if not of_slices:
        view = replace(view, within="")
    parts = {part: view.within} | dict.fromkeys(beside, "")
    kept = _kept(study.pk, study.revision, parts)
    if request.GET.get("revision") == kept.mark:
        queue.look_on(study_id=study.pk)
        _follows(request, study.pk, kept.mark, is_new=False)
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    views = views_within(view.within) if side_by_side else [view]

    @cache
    def shown() -> object:
        newest = snapshots.newest(study.pk, part, *views, pieces=pieces)
        reports = veiled_each(newest, veil_of(study_access))
        try:
            return show(reports[view], PageAsked(study_access, request.GET.dict(), view, reports))
        except NoSuchPage:
            raise Http404 from None

    def drawn(template: str, **more: object) -> HttpResponse:
        return _drawn(request, study_access, kept, template, shown(), **more)

    def fragment() -> HttpResponse:
        return drawn(f"_{page}")

    place = _place_of_fragment(request, study_access, part, page, kept)

    if "chart" in request.GET:
        chart = showing.asked_for(request, shown())
        if "as" in request.GET:
            response = showing.as_file(chart, request.GET["as"])
        else:
            response = showing.answer(
                request,
                chart,
                key=study.key,
                mark=kept.mark,
                kept=leaving.chart_kept(chart.spec, study_access),
            )
        if "as" in request.GET and response.status_code == HTTPStatus.OK:
            taken = FiguresTaken(
                study_access=study_access,
                name=f"{chart.key}.{request.GET['as']}",
                view=view,
                revision=kept.revision,
                choices=dict(request.GET.lists()),
                chart=chart.spec,
            )
            leaving.as_file(taken, by=request.user, at=timezone.now())
    elif "HX-Request" in request.headers:
        told = drawn_once(
            request,
            place,
            kept,
            fragment,
            shown=KeptFigures.marked(request.GET.get("revision", "")),
            patience=_PATIENCE if has_waited(request) else 0,
        )
        response = told.response
        if response.status_code == HTTPStatus.OK:
            _follows(request, study.pk, told.figures.mark, is_new=True)
    else:
        # A template that includes its fragment has each reader draw it.
        within = partial(within_page, request, (*place, "page"), kept, fragment)
        response = drawn(page, fragment=within)
    patch_vary_headers(response, ["HX-Request", folds.HEADER, "Cookie"])
    return response


def _follows(request: Request, study_id: int, mark: str, *, is_new: bool) -> None:
    """Tell the web server what the page shows now, and asks for next."""
    request.META[FOLLOWS] = Following(study_id, _address(request, mark), is_new)


def _kept(study_id: int, revision: int, parts: Mapping[Part[Any], str]) -> KeptFigures:
    """The oldest of {part: the slice it is looked at within}, each asked to be as new as ratings are."""
    found = [
        snapshots.keep_fresh(
            study_id=study_id, part=part, revision=revision, at=timezone.now(), within=within
        )
        for part, within in parts.items()
    ]
    oldest = min(found, key=lambda one: one.revision or 0)
    return KeptFigures(
        oldest.revision,
        computed_here=any(one.computed_here for one in found),
        has_earlier=any(one.has_earlier for one in found),
    )


def _drawn(
    request: Request,
    study_access: StudyAccess,
    kept: KeptFigures,
    template: str,
    shown: object,
    **more: object,
) -> HttpResponse:
    study = study_access.study
    context = {
        "study_access": study_access,
        "shown": shown,
        "live": {
            "revision": kept.revision,
            "mark": kept.mark,
            "computed_here": kept.computed_here,
            "address": _address(request, kept.mark),
        },
        "view": choices_of(request),
        "values": request.GET.get("values", ""),
        "switches": switches(request.GET.dict(), doubtful(study.pk)),
    }
    return render(request, f"analytics/{template}.html", context | more)


def _place_of_fragment(
    request: Request, study_access: StudyAccess, part: Part[R], page: str, kept: KeptFigures
) -> tuple[Hashable, ...]:
    """What two requests have in common that get the same of the same figures, whichever process
    they reach."""
    return (
        *(part.key, part.fingerprint, page, study_access.study.pk, kept.computed_here),
        *(request.path, choices_of(request), get_language(), tuple(sorted(folds.shut_by(request)))),
        *map(tuple, map(sorted, (study_access.roles, study_access.levels))),
        tuple(sorted(study_access.access.roles)),
        veil_of(study_access),
    )


def choices_of(request: Request) -> str:
    """The reader's choices as the end of an address, to be kept from page to page."""
    chosen = request.GET.copy()
    chosen.pop("revision", None)
    return chosen.urlencode()


def _address(request: Request, mark: str) -> str:
    chosen = request.GET.copy()
    chosen["revision"] = mark
    return f"{request.path}?{chosen.urlencode()}"
