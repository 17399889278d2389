"""The page of raters."""

from functools import partial

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.present.entering import reader_or_403
from analytics.present.listing import item_list
from analytics.present.live import PageAsked, live_page
from analytics.raters import behind
from analytics.raters import page as raters
from analytics.raters.numbers import PART, RatersReport
from analytics.raters.page import RatersPage
from annotation.rules.granting import Action


@require_safe
def page(request: Request, key: str) -> HttpResponse:
    """Severity, sameness, course over weeks, hidden repeats, and every pair."""
    return live_page(request, key, part=PART, page="raters", show=_page, action=Action.SEE_RATERS)


@require_safe
def week(request: Request, key: str, criterion: str, rater_id: int, monday: str) -> HttpResponse:
    """The items that a person rated in a week."""
    study_access = reader_or_403(request, key, Action.SEE_RATERS)
    made = partial(behind.of_week, criterion=criterion, rater=rater_id, monday=monday)
    return item_list(request, study_access, made)


@require_safe
def apart(request: Request, key: str, criterion: str, rater_id: int) -> HttpResponse:
    """The items on which a person and others differ."""
    study_access = reader_or_403(request, key, Action.SEE_RATERS)
    return item_list(
        request, study_access, partial(behind.apart, criterion=criterion, rater=rater_id)
    )


@require_safe
def again(request: Request, key: str, criterion: str, rater_id: int) -> HttpResponse:
    """The items that came back to a person."""
    study_access = reader_or_403(request, key, Action.SEE_RATERS)
    return item_list(
        request, study_access, partial(behind.again, criterion=criterion, rater=rater_id)
    )


def _page(report: RatersReport, asked: PageAsked[RatersReport]) -> RatersPage:
    naming = asked.naming([rater.id for rater in report.raters])
    return raters.page(report, naming, asked.choices)
