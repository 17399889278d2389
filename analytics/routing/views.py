"""Which answers of a judge may stand, and the items that go to a person."""

from functools import partial

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from accounts.views.files import CSV, as_file
from analytics.figures import store as snapshots
from analytics.present.entering import judges_reader_or_403
from analytics.present.listing import item_list
from analytics.present.live import PageAsked, live_page
from analytics.present.viewing import view_named
from analytics.routing import actions as actions
from analytics.routing import page as routing
from analytics.routing.numbers import PART, RoutingReport
from analytics.routing.page import RoutingPage, Sorted
from analytics.trust import numbers as trust
from analytics.trust import policies
from annotation.queries.studies import StudyAccess


@require_safe
def page(request: Request, key: str) -> HttpResponse:
    """What share of a judge's answers may be accepted, under a promise."""
    return live_page(
        request,
        key,
        part=PART,
        page="routing",
        show=_page,
        beside=[trust.PART],
        of_slices=False,
    )


@require_safe
def items(request: Request, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """The items that go to a person."""
    study_access = judges_reader_or_403(request, key)
    found = _sorted_or_404(request, study_access, criterion, judge_id)
    made = partial(routing.listed, found=found)
    return item_list(request, study_access, made, "analytics/routing_items.html")


@require_safe
def table(request: Request, key: str, criterion: str, judge_id: int) -> HttpResponse:
    """The same list, as a file."""
    study_access = judges_reader_or_403(request, key)
    found = actions.hand_out(
        study_access=study_access,
        found=_sorted_or_404(request, study_access, criterion, judge_id),
        view=view_named(request.GET.get("values", "")),
        by=request.user,
        at=timezone.now(),
    )
    return as_file(found.text, found.name, CSV)


def _sorted_or_404(
    request: Request, study_access: StudyAccess, criterion: str, judge_id: int
) -> Sorted:
    view = view_named(request.GET.get("values", ""))
    study = study_access.study
    reports = snapshots.for_readers(study_id=study.pk, part=PART, at=timezone.now())
    snapshots.for_readers(study_id=study.pk, part=trust.PART, at=timezone.now())
    choices = request.GET.dict() | {"criterion": criterion}
    shown = _page(reports[view], PageAsked(study_access, choices, view, reports))
    return routing.for_people(study_access, shown, judge=judge_id, view=view)


def _page(report: RoutingReport, asked: PageAsked[RoutingReport]) -> RoutingPage:
    policy = policies.held(asked.study_access.study).policy
    return routing.page(
        report,
        asked.naming(report.judges),
        asked.choices,
        policy=policy,
        verdicts=trust.verdicts(asked.beside(trust.PART), policy),
    )
