"""One job of a worker: how far it is, what came of it, and what may be done now."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.gate import Request
from accounts.views.returning import way_back
from annotation.actions.imports import asking
from annotation.actions.jobs import moves
from annotation.forms.identifiers import IdentifiersForm
from annotation.queries import jobs
from annotation.queries.entering import coordinated, study_or_404
from annotation.queries.studies import StudyAccess


@require_safe
def file_job(request: Request, key: str, job_id: int) -> HttpResponse:
    """A file that was uploaded: being checked or imported, or what came of that."""
    study_access = coordinated(request, key)
    status = _status(study_access, job_id)
    if not (status.is_check or status.is_import):
        raise Http404
    return _show(request, study_access, status)


@require_safe
def progress(request: Request, key: str, job_id: int) -> HttpResponse:
    """How far it is; once it is over, the page is loaded anew with what came of it."""
    study_access = study_or_404(request, key)
    status = _status(study_access, job_id)
    if not status.is_under_way:
        return HttpResponseClientRefresh()
    return render(
        request,
        "annotation/_job_progress.html",
        {"study_access": study_access, "status": status},
    )


@require_POST
def cancel(request: Request, key: str, job_id: int) -> HttpResponse:
    """Have a worker stop, and go back to the page on which its progress stood."""
    status = _status(study_or_404(request, key), job_id)
    if not moves.cancel(job_id=status.job.pk, by=request.user, at=timezone.now()):
        messages.info(request, gettext("It had ended already."))
    return redirect(way_back(request, otherwise=reverse("study", kwargs={"key": key})))


@require_POST
def bring_in(request: Request, key: str, job_id: int) -> HttpResponse:
    """Import a file that was checked."""
    study_access = coordinated(request, key)
    status = _status(study_access, job_id)
    form = IdentifiersForm(request.POST, found=_identifiers(status))
    if not form.is_valid():
        return _show(request, study_access, status, form=form)
    try:
        job = asking.ask_for_import(
            check=status.job,
            skip_bad="skip_bad" in request.POST,
            identifiers=form.decisions() if form.fields else None,
            by=request.user,
            at=timezone.now(),
        )
    except asking.NotChecked:
        return redirect("file_job", key=key, job_id=job_id)
    return redirect("file_job", key=key, job_id=job.pk)


def _show(
    request: Request,
    study_access: StudyAccess,
    status: jobs.JobStatus,
    *,
    form: IdentifiersForm | None = None,
) -> HttpResponse:
    page = {
        "study_access": study_access,
        "status": status,
        "report": jobs.shown_result(status.job),
        "imported": jobs.imported_by(status.job),
        "again": f"import_{status.job.what}",
        "form": form or IdentifiersForm(found=_identifiers(status)),
    }
    return render(request, "annotation/file_job.html", page, status=422 if form else 200)


def _identifiers(status: jobs.JobStatus) -> Mapping[str, Any]:
    """What the check has found that could say who somebody is."""
    found: Mapping[str, Any] = status.job.result.get("identifiers") or {}
    return found


def _status(study_access: StudyAccess, job_id: int) -> jobs.JobStatus:
    return jobs.status_of(study_access, job_id, at=timezone.now())
