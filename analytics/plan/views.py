"""The planner."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.plan.numbers import PART, PlanReport
from analytics.plan.page import Plan, plan
from analytics.present.live import PageAsked, live_page


@require_safe
def planner(request: Request, key: str) -> HttpResponse:
    """How far the data reach, and what a chosen width takes."""
    return live_page(request, key, part=PART, page="plan", show=_plan)


def _plan(report: PlanReport, asked: PageAsked[PlanReport]) -> Plan:
    return plan(report, asked.naming(report.judges), asked.choices)
