"""The agreement of a study: the live page, one criterion, one comparison and its table."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.agreement import items as behind
from analytics.agreement import means_file as systems
from analytics.agreement import page as dashboard
from analytics.agreement import table_file as tables
from analytics.agreement.numbers import PART, Report
from analytics.agreement.page import Dashboard
from analytics.agreement.places import ComparisonPlace, NoSuchView
from analytics.agreement.questions_page import by_question
from analytics.figures import store as snapshots
from analytics.present.live import PageAsked, choices_of, live_page, reader_or_403
from analytics.present.page import NoSuchPage
from analytics.present.viewing import doubtful, switches, view_named
from analytics.report import page as writeups
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import said
from annotation.rules.visibility import reason_to_withhold_judges


@require_safe
def live(request: Request, key: str) -> HttpResponse:
    """All figures at a glance."""
    return live_page(request, key, part=PART, page="agreement", show=_matrix, side_by_side=True)


@require_safe
def criterion(request: Request, key: str, criterion: str) -> HttpResponse:
    """Every comparison of one criterion, each pair of people too."""
    study_access = reader_or_403(request, key)
    shown = _dashboard(request, study_access, criterion)
    page = {
        "study_access": study_access,
        "dashboard": shown,
        "sections": [shown.section(criterion)],
    }
    return _page(request, "analytics/criterion.html", page)


@require_safe
def comparison(request: Request, key: str, criterion: str, kind: str, raters: str) -> HttpResponse:
    """One comparison: all its statistics, its confusion table, and what it was computed from."""
    study_access = reader_or_403(request, key)
    shown = _dashboard(request, study_access, criterion)
    try:
        detail = shown.detail(
            kind,
            raters,
            study_id=study_access.study.pk,
            intervals=request.GET.get("intervals", ""),
        )
    except NoSuchView:
        raise Http404 from None
    address = "/".join(detail.place)
    page = {
        "study_access": study_access,
        "dashboard": shown,
        "detail": detail,
        "questions": by_question(shown, detail.place, study_id=study_access.study.pk),
        "verified": writeups.verified(
            study_access.study, shown.report.view, address=address, at=timezone.now()
        ),
        "address": address,
        "values": request.GET.get("values", ""),
    }
    return _page(request, "analytics/comparison.html", page)


@require_safe
def comparison_items(
    request: Request, key: str, criterion: str, kind: str, raters: str
) -> HttpResponse:
    """The items behind one comparison, or behind one cell of its confusion table."""
    study_access = reader_or_403(request, key)
    reason = reason_to_withhold_judges(reader_of(study_access))
    if reason and behind.is_of_a_judge(kind):
        raise PermissionDenied(said(reason))
    view = view_named(request.GET.get("values", ""))
    found = snapshots.up_to_date(study_id=study_access.study.pk, part=PART, at=timezone.now())
    try:
        shown = behind.behind(
            study_access,
            found[view],
            ComparisonPlace(criterion, kind, raters),
            row=request.GET.get("row"),
            column=request.GET.get("column"),
            page=request.GET.get("page", "1"),
        )
    except NoSuchView:
        raise Http404 from None
    page = {
        "study_access": study_access,
        "shown": shown,
        "values": request.GET.get("values", ""),
        "switches": switches(request.GET.dict(), doubtful(study_access.study.pk)),
    }
    return render(request, "analytics/comparison_items.html", page)


@require_safe
def table(request: Request, key: str, criterion: str, kind: str, raters: str) -> HttpResponse:
    """The table behind one comparison, as a file."""
    study_access = reader_or_403(request, key)
    try:
        found = tables.hand_out(
            study_access=study_access,
            criterion=criterion,
            kind=kind,
            raters=raters,
            view=view_named(request.GET.get("values", "")),
            by=request.user,
            at=timezone.now(),
        )
    except NoSuchView:
        raise Http404 from None
    except tables.NotYet as reason:
        raise PermissionDenied(said(reason.args[0])) from None
    return _file(found)


@require_safe
def means(request: Request, key: str) -> HttpResponse:
    """The means behind the figures at system level, as a file."""
    study_access = reader_or_403(request, key)
    found = systems.hand_out_means(
        study_access=study_access,
        view=view_named(request.GET.get("values", "")),
        by=request.user,
        at=timezone.now(),
    )
    return _file(found)


def _file(table: tables.TableFile) -> HttpResponse:
    disposition = content_disposition_header(True, table.name)
    return HttpResponse(
        table.text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": disposition},
    )


def _matrix(_report: Report, asked: PageAsked[Report]) -> Dashboard:
    try:
        return dashboard.dashboard(
            asked.reports,
            asked.study_access.study.rubric_version.content,
            view=asked.view,
            criterion=asked.choices.get("criterion", ""),
            statistic=asked.choices.get("statistic", ""),
        )
    except NoSuchView:
        raise NoSuchPage from None


def _dashboard(request: Request, study_access: StudyAccess, criterion: str) -> Dashboard:
    study = study_access.study
    found = snapshots.newest(study.pk, PART)
    if not found:
        found = snapshots.up_to_date(study_id=study.pk, part=PART, at=timezone.now())
    asked = PageAsked(
        study_access,
        request.GET.dict() | {"criterion": criterion},
        view_named(request.GET.get("values", "")),
        found,
    )
    try:
        return _matrix(found[asked.view], asked)
    except NoSuchPage:
        raise Http404 from None


def _page(request: Request, template: str, page: dict[str, Any]) -> HttpResponse:
    """Render with the reader's choices: as the end of addresses, and as switches."""
    shown: Dashboard = page["dashboard"]
    choices = {"view": choices_of(request), "switches": switches(request.GET.dict(), shown.held)}
    return render(request, template, page | choices)
