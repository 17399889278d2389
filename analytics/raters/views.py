"""The page of raters."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.present.live import PageAsked, live_page
from analytics.raters import page as raters
from analytics.raters.numbers import PART, RatersReport
from analytics.raters.page import RatersPage
from annotation.rules.granting import Action


@require_safe
def page(request: Request, key: str) -> HttpResponse:
    """Severity, sameness, course over weeks, hidden repeats, and every pair."""
    return live_page(request, key, part=PART, page="raters", show=_page, action=Action.SEE_RATERS)


def _page(report: RatersReport, asked: PageAsked[RatersReport]) -> RatersPage:
    naming = asked.naming([rater.id for rater in report.raters])
    return raters.page(report, naming, criterion=asked.choices.get("criterion", ""))
