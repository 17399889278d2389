"""The first page of figures."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import Report
from analytics.overview import page as overview
from analytics.present.live import PageAsked, live_page


@require_safe
def live(request: Request, key: str) -> HttpResponse:
    """How far the study is, what it agrees on, and what is doubtful."""
    return live_page(
        request, key, part=agreement.PART, page="overview", show=_show, side_by_side=True
    )


def _show(_report: Report, asked: PageAsked[Report]) -> overview.AnswerOverview:
    study = asked.study_access.study
    return overview.overview(study, asked.reports, study.rubric_version.content, view=asked.view)
