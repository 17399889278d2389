"""Calibration of judges, and means and shares that lean on people and judge."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.calibration import page as calibration
from analytics.calibration.numbers import PART, CalibrationReport
from analytics.calibration.page import CalibrationPage
from analytics.present.live import PageAsked, live_page


@require_safe
def page(request: Request, key: str) -> HttpResponse:
    """What people would say where a judge says so, before and after each map."""
    return live_page(request, key, part=PART, page="calibration", show=_page)


def _page(report: CalibrationReport, asked: PageAsked[CalibrationReport]) -> CalibrationPage:
    return calibration.page(report, asked.naming(report.judges), asked.choices)
