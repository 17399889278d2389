"""The way out: a page that says what leaves and has it built, and the archive itself."""

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.gate import Request, ask_again_who_it_is
from analytics.exports import actions
from analytics.exports import page as exports
from annotation.queries import jobs
from annotation.queries.wording import said
from annotation.views.finding import study_or_404


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: Request, key: str) -> HttpResponse:
    """Say what an export holds and how it is coming along; a POST has one built."""
    study_access = study_or_404(request, key)
    now = timezone.now()
    if study_access.may_export:
        ask_again_who_it_is(request)
    try:
        if request.method == "POST":
            with_texts = request.POST.get("with_texts") == "on"
            actions.ask(study_key=key, with_texts=with_texts, by=request.user, at=now)
            return redirect("export", key=key)
        actions.look(study_access=study_access, by=request.user, at=now)
    except actions.MayNotExport as reason:
        raise PermissionDenied(said(reason.args[0])) from None
    study = study_access.study
    page = {
        "study_access": study_access,
        "status": jobs.newest_job(study, actions.WHAT, asked_by=request.user.pk, at=now),
        "contents": exports.contents(study),
        "earlier": exports.earlier(study),
    }
    return render(request, "analytics/export.html", page)


@require_safe
def export_file(request: Request, key: str, job_id: int) -> FileResponse:
    """The archive that was built for this account."""
    if study_or_404(request, key).may_export:
        ask_again_who_it_is(request)
    try:
        found = actions.hand_out(study_key=key, job_id=job_id, by=request.user, at=timezone.now())
    except actions.NoSuchExport:
        raise Http404 from None
    except actions.MayNotExport as reason:
        raise PermissionDenied(said(reason.args[0])) from None
    return FileResponse(
        found.path.open("rb"),
        as_attachment=True,
        filename=found.name,
        content_type="application/zip",
    )
