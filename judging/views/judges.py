"""The judges of a study: its runs, and the start of another."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import probes, runs
from judging.forms.starting import StartForm
from judging.queries import endpoints, showing, wording
from judging.queries.entering import run_by, seen_by
from judging.rules.endpoints import host_of

if TYPE_CHECKING:
    from judging.models import LLMEndpoint, Probe


@require_safe
def judges(request: Request, key: str) -> HttpResponse:
    study_access = seen_by(request, key)
    return render(
        request,
        "judging/judges.html",
        {
            "study_access": study_access,
            "runs": [
                (one, wording.asked_in(one.run)) for one in showing.runs_of(study_access.study)
            ],
            "worker": showing.worker(at=timezone.now()),
            "n_read_before": showing.read_before(study_access.study),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: Request, key: str) -> HttpResponse:
    study_access = run_by(request, key)
    about = {"items": request.GET["items"]} if "items" in request.GET else {}
    form = StartForm(request.POST or None, study=study_access.study, initial=about)
    if request.method == "POST" and form.is_valid():
        try:
            run = form.start(by=request.user, at=timezone.now())
        except runs.CannotRun as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            return redirect("judge_run", key=key, run_id=run.pk)
    return _ask(request, study_access, form)


@require_POST
def try_out(request: Request, key: str) -> HttpResponse:
    """Put a made-up dialogue to the judge of the form, and show the form again with what came."""
    study_access = run_by(request, key)
    form = StartForm(request.POST, study=study_access.study)
    probe = None
    if form.is_valid():
        try:
            probe = probes.try_out(
                study=study_access.study, judge=form.judge(), by=request.user, at=timezone.now()
            )
        except runs.CannotRun as refusal:
            form.add_error(None, said(refusal.args[0]))
    return _ask(request, study_access, form, probe)


def _ask(
    request: Request, study_access: StudyAccess, form: StartForm, probe: "Probe | None" = None
) -> HttpResponse:
    places = endpoints.in_use()
    problem = None if places else endpoints.reason_not_to_send(settings.LLM_BASE_URL, None)
    return render(
        request,
        "judging/start.html",
        {
            "study_access": study_access,
            "form": form,
            "hosts": sorted({host_of(settings.LLM_BASE_URL), *map(_host, places)} - {""}),
            "problem": said(problem) if problem else "",
            "estimate": form.estimated(by=request.user, at=timezone.now())
            or showing.first_estimate(study_access.study, by=request.user),
            "probe": wording.probe_in_words(probe) if probe else [],
        },
        status=422 if form.errors else 200,
    )


def _host(endpoint: "LLMEndpoint") -> str:
    return host_of(endpoint.base_url)


@require_safe
def estimate(request: Request, key: str) -> HttpResponse:
    """What the form, as it stands, would come to; nothing while it does not make sense."""
    study_access = run_by(request, key)
    form = StartForm(request.GET, study=study_access.study)
    found = form.estimated(by=request.user, at=timezone.now())
    if found is None:
        return HttpResponse(status=204)
    return render(request, "judging/_estimate.html", {"estimate": found})
