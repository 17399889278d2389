"""The safety panel, and the items that a judge misses or flags for nothing."""

from functools import partial
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.figures import store as snapshots
from analytics.figures.part import Part
from analytics.present.entering import judges_reader_or_403
from analytics.present.listing import item_list
from analytics.present.live import PageAsked, live_page
from analytics.present.viewing import view_asked
from analytics.routing import numbers as routing
from analytics.routing.promises import terms
from analytics.safety import page as safety
from analytics.safety.numbers import PART, SafetyReport
from analytics.safety.page import SafetyPanel
from analytics.trust import numbers as trust
from analytics.trust import policies

_BESIDE: tuple[Part[Any], ...] = (routing.PART, trust.PART)


@require_safe
def panel(request: Request, key: str) -> HttpResponse:
    """Every judge at a chosen cut of a criterion."""
    return live_page(request, key, part=PART, page="safety", show=_panel, beside=_BESIDE)


@require_safe
def items(request: Request, key: str, criterion: str, judge_id: int, which: str) -> HttpResponse:
    """The items of one field: missed, false alarms, found, rightly passed."""
    study_access = judges_reader_or_403(request, key)
    study = study_access.study
    view = view_asked(request.GET)
    at = timezone.now()
    reports = snapshots.for_readers(study_id=study.pk, part=PART, at=at, within=view.within)
    for one in _BESIDE:
        snapshots.for_readers(study_id=study.pk, part=one, at=at)
    choices = request.GET.dict() | {"criterion": criterion}
    shown = _panel(reports[view], PageAsked(study_access, choices, view, reports))
    made = partial(safety.in_field, shown=shown, judge=judge_id, which=which)
    return item_list(request, study_access, made)


def _panel(report: SafetyReport, asked: PageAsked[SafetyReport]) -> SafetyPanel:
    policy = policies.held(asked.study_access.study).policy
    cards = trust.verdicts(asked.beside(trust.PART), policy)
    return safety.panel(
        report,
        asked.naming(rater.id for rater in report.raters if rater.is_judge),
        asked.choices,
        routed=asked.beside(routing.PART),
        terms=terms({}, policy=policy, verdicts=cards),
    )
