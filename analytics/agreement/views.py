"""The agreement of a study: the live page, one criterion, one comparison and its table."""

from functools import partial

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request
from accounts.views.files import CSV, as_file
from analytics.agreement import comparison as comparisons
from analytics.agreement import items as behind
from analytics.agreement import means_file as systems
from analytics.agreement import page as agreement
from analytics.agreement import table_file as tables
from analytics.agreement.numbers import GLANCE, PART, Report
from analytics.agreement.page import AgreementPage
from analytics.agreement.words import held_by
from analytics.figures import store as snapshots
from analytics.present.entering import reader_or_403
from analytics.present.listing import item_list
from analytics.present.live import PageAsked, choices_of, live_page
from analytics.present.places import ComparisonPlace
from analytics.present.veil import veil_of, veiled, veiled_each
from analytics.present.viewing import switches, view_asked
from analytics.verification import page as verification
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import Barred
from annotation.rules.visibility import reason_to_withhold_judges


@require_safe
def live(request: Request, key: str) -> HttpResponse:
    """All figures at a glance."""
    return live_page(request, key, part=GLANCE, page="agreement", show=_matrix, side_by_side=True)


@require_safe
def criterion(request: Request, key: str, criterion: str) -> HttpResponse:
    """Every comparison of one criterion, each pair of people too."""
    study_access = reader_or_403(request, key)
    shown = _page(request, study_access, criterion)
    return _rendered(request, "analytics/criterion.html", study_access, shown)


@require_safe
def comparison(request: Request, key: str, criterion: str, kind: str, raters: str) -> HttpResponse:
    """One comparison: all its statistics, its confusion table, and what it was computed from."""
    study_access = reader_or_403(request, key)
    shared = _page(request, study_access, criterion)
    shown = comparisons.page(
        shared,
        ComparisonPlace(criterion, kind, raters),
        study_id=study_access.study.pk,
        veil=veil_of(study_access),
        intervals=request.GET.get("intervals", ""),
    )
    verified = verification.verified(
        study_access, shared.report.view, address=shown.address, at=timezone.now()
    )
    return _rendered(request, "analytics/comparison.html", study_access, shown, verified=verified)


@require_safe
def comparison_items(
    request: Request, key: str, criterion: str, kind: str, raters: str
) -> HttpResponse:
    """The items behind one comparison, or behind one cell of its confusion table."""
    study_access = reader_or_403(request, key)
    reason = reason_to_withhold_judges(reader_of(study_access))
    if reason and behind.is_of_a_judge(kind):
        raise Barred(reason)
    view, study = view_asked(request.GET), study_access.study
    found = snapshots.in_view(
        study_id=study.pk, part=PART, view=view, at=timezone.now(), pieces=[criterion]
    )
    report = veiled(found, veil_of(study_access))
    made = partial(behind.behind, report=report, place=ComparisonPlace(criterion, kind, raters))
    return item_list(request, study_access, made)


@require_safe
def table(request: Request, key: str, criterion: str, kind: str, raters: str) -> HttpResponse:
    """The table behind one comparison, as a file."""
    study_access = reader_or_403(request, key)
    found = tables.hand_out(
        study_access=study_access,
        criterion=criterion,
        kind=kind,
        raters=raters,
        view=view_asked(request.GET),
        by=request.user,
        at=timezone.now(),
    )
    return as_file(found.text, found.name, CSV)


@require_safe
def means(request: Request, key: str) -> HttpResponse:
    """The means behind the figures at system level, as a file."""
    study_access = reader_or_403(request, key)
    found = systems.hand_out_means(
        study_access=study_access,
        view=view_asked(request.GET),
        by=request.user,
        at=timezone.now(),
    )
    return as_file(found.text, found.name, CSV)


def _matrix(_report: Report, asked: PageAsked[Report]) -> AgreementPage:
    return agreement.page(
        asked.reports,
        asked.naming([rater.id for rater in asked.reports[asked.view].raters]),
        asked.choices,
        view=asked.view,
    )


def _page(request: Request, study_access: StudyAccess, criterion: str) -> AgreementPage:
    study = study_access.study
    view = view_asked(request.GET)
    snapshots.keep_fresh(
        study_id=study.pk,
        part=PART,
        revision=study.revision,
        at=timezone.now(),
        within=view.within,
    )
    newest = snapshots.newest(study.pk, PART, view, pieces=[criterion])
    found = veiled_each(newest, veil_of(study_access))
    choices = request.GET.dict() | {"criterion": criterion}
    asked = PageAsked(study_access, choices, view, found)
    return _matrix(found[asked.view], asked)


def _rendered(
    request: Request, template: str, study_access: StudyAccess, shown: AgreementPage, **more: object
) -> HttpResponse:
    """With the reader's choices: as the end of addresses, and as switches."""
    page = {
        "study_access": study_access,
        "shown": shown,
        "view": choices_of(request),
        "values": request.GET.get("values", ""),
        "switches": switches(request.GET.dict(), held_by(shown.report)),
    }
    return render(request, template, page | more)
