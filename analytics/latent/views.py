"""The doubtful items of the latent class model, by people and by each judge beside them."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.latent import page as doubtful
from analytics.present.entering import judges_reader_or_403
from analytics.present.listing import item_list
from analytics.present.live import PageAsked, reader_or_403
from analytics.present.viewing import view_asked
from annotation.queries.studies import StudyAccess
from annotation.rules.granting import Action


@require_safe
def of_people(request: Request, key: str, criterion: str) -> HttpResponse:
    """Those of which people leave it open."""
    return _listed(request, reader_or_403(request, key, Action.SEE_RATERS), criterion, judge=None)


@require_safe
def of_judge(request: Request, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """Those of which people and a judge leave it open."""
    return _listed(request, judges_reader_or_403(request, key), criterion, judge=judge_id)


def _listed(
    request: Request, study_access: StudyAccess, criterion: str, *, judge: int | None
) -> HttpResponse:
    view = view_asked(request.GET)
    asked: PageAsked[Any] = PageAsked(study_access, request.GET.dict(), view, {})
    listing = doubtful.doubtful_list(
        study_access,
        asked.naming([] if judge is None else [judge]),
        criterion,
        judge=judge,
        view=view,
        page=request.GET.get("page", "1"),
    )
    template = "analytics/doubtful_items.html"
    return item_list(request, template, study_access, listing.cases, listing=listing)
