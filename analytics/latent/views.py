"""The doubtful items of the latent class model, by people and by each judge beside them."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.latent import page as doubtful
from analytics.present.live import PageAsked, choices_of, reader_or_403
from analytics.present.page import NoSuchPage
from analytics.present.viewing import view_asked
from annotation.actions.viewing import items_listed
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import said
from annotation.rules.granting import Action
from annotation.rules.visibility import reason_to_withhold_judges


@require_safe
def of_people(request: Request, key: str, criterion: str) -> HttpResponse:
    """Those of which people leave it open."""
    return _listed(request, reader_or_403(request, key, Action.SEE_RATERS), criterion, judge=None)


@require_safe
def of_judge(request: Request, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """Those of which people and a judge leave it open."""
    study_access = reader_or_403(request, key)
    if reason := reason_to_withhold_judges(reader_of(study_access)):
        raise PermissionDenied(said(reason))
    return _listed(request, study_access, criterion, judge=judge_id)


def _listed(
    request: Request, study_access: StudyAccess, criterion: str, *, judge: int | None
) -> HttpResponse:
    view = view_asked(request.GET)
    asked: PageAsked[Any] = PageAsked(study_access, request.GET.dict(), view, {})
    try:
        listing = doubtful.doubtful_list(
            study_access,
            asked.naming([] if judge is None else [judge]),
            criterion,
            judge=judge,
            view=view,
            page=request.GET.get("page", "1"),
        )
    except NoSuchPage:
        raise Http404 from None
    items_listed(
        study_id=study_access.study.pk,
        items=listing.cases.shown,
        by=request.user,
        at=timezone.now(),
    )
    page = {
        "study_access": study_access,
        "listing": listing,
        "view": choices_of(request),
        "values": request.GET.get("values", ""),
    }
    return render(request, "analytics/doubtful_items.html", page)
