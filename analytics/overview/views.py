"""The first page of figures."""

from dataclasses import replace

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.agreement import numbers as agreement
from analytics.agreement.numbers import Report
from analytics.overview import page as overview
from analytics.overview.answer import TrustAnswer
from analytics.present.live import PageAsked, live_page
from analytics.trust import numbers as trust
from analytics.trust import policies


@require_safe
def live(request: Request, key: str) -> HttpResponse:
    """What the judges may be used for, and what that rests on."""
    return live_page(
        request,
        key,
        part=agreement.GLANCE,
        page="overview",
        show=_show,
        side_by_side=True,
        beside=[trust.PART],
    )


def _show(report: Report, asked: PageAsked[Report]) -> overview.AnswerOverview:
    study = asked.study_access.study
    held = policies.held(study)
    naming = asked.naming([rater.id for rater in report.raters])
    cards = asked.beside(trust.PART)
    if asked.view.within:
        cards = replace(cards, known=())  # nothing is certified on a slice
    answer = TrustAnswer(report=cards, policy=held.policy, naming=naming)
    return overview.overview(
        asked.study_access, asked.reports, naming, view=asked.view, answer=answer, held=held
    )
