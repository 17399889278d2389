"""The report of a study: its page, its files, and its figures held against published packages."""

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_http_methods, require_safe

from accounts.gate import Request
from accounts.views.files import as_stream
from accounts.views.returning import way_back
from analytics.present.entering import reader_or_403
from analytics.present.viewing import view_named
from analytics.ratings.matrices import PLAIN
from analytics.report import actions as writeups
from analytics.report import page as queries
from analytics.report import shelf
from analytics.verification import actions as verifications
from analytics.verification import page as verified
from annotation.queries.wording import said


@require_http_methods(["GET", "HEAD", "POST"])
def report(request: Request, key: str) -> HttpResponse:
    """The report and how it is coming along; a POST has it written anew."""
    study_access = reader_or_403(request, key)
    now = timezone.now()
    if request.method == "POST":
        writeups.ask(study_access=study_access, language=_language(), by=request.user, at=now)
        return redirect("agreement_report", key=key)
    shown = queries.shown(study_access.study, language=_language(), at=now)
    content = writeups.contents_of(study_access, language=_language(), at=now)
    page = {
        "study_access": study_access,
        "shown": shown,
        "kept_whole": _said(writeups.reason_to_keep(study_access)),
        "kept": _said(writeups.reason_to_keep_data(study_access)),
        "whole": shelf.WHOLE,
        "contents": content,
        "chapters": queries.chapters(
            study_access.study,
            content,
            has_files=shown.has_files and study_access.sees_single_raters,
        ),
        "verified": verified.verified(study_access, PLAIN, at=now),
        "address": "",
        "values": "",
    }
    return render(request, "analytics/report.html", page)


@require_safe
def file(request: Request, key: str, name: str) -> StreamingHttpResponse:
    """One file of the report, or the whole."""
    study_access = reader_or_403(request, key)
    found = writeups.hand_out(
        study_access=study_access,
        language=_language(),
        name=name,
        by=request.user,
        at=timezone.now(),
    )
    return as_stream(found.pieces, found.size, found.name, found.content_type)


@require_safe
def picture(request: Request, key: str, name: str) -> HttpResponse:
    """A figure of the report, to be looked at on its page: no download, and no line in the trail."""
    study_access = reader_or_403(request, key)
    content = writeups.picture(study_access, language=_language(), name=name)
    return HttpResponse(content, content_type="image/svg+xml")


@require_http_methods(["GET", "HEAD", "POST"])
def verification(request: Request, key: str) -> HttpResponse:
    """Ours and theirs, of every figure or of one comparison; a POST has them recomputed."""
    study_access = reader_or_403(request, key)
    asked = request.POST if request.method == "POST" else request.GET
    view = view_named(asked.get("values", ""))
    now = timezone.now()
    if request.method == "POST":
        verifications.ask(study_access=study_access, view=view, by=request.user, at=now)
        report_page = reverse("agreement_report", kwargs={"key": key})
        return redirect(way_back(request, otherwise=f"{report_page}#verified"))
    address = asked.get("address", "")
    page = {
        "study_access": study_access,
        "verified": verified.verified(study_access, view, address=address, at=now),
        "address": address,
        "values": asked.get("values", ""),
    }
    return render(request, "analytics/verification.html", page)


def _language() -> str:
    return "zh-hans" if (get_language() or "en").startswith("zh") else "en"


def _said(reason: str | None) -> str:
    return said(reason) if reason else ""
