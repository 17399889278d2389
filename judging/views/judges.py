"""The judges of a study: its runs, and the start of another."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.finding import study_or_404
from judging.actions import runs
from judging.forms import StartForm
from judging.queries import showing, wording
from judging.rules import endpoints


@require_safe
def judges(request: HttpRequest, key: str) -> HttpResponse:
    study_access = seen_by(request, key)
    return render(
        request,
        "judging/judges.html",
        {
            "study_access": study_access,
            "runs": [
                (one, wording.asked_how(one.run.judge))
                for one in showing.runs_of(study_access.study)
            ],
            "worker": showing.worker(at=timezone.now()),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, key: str) -> HttpResponse:
    study_access = run_by(request, key)
    form = StartForm(request.POST or None, study=study_access.study)
    if request.method == "POST" and form.is_valid():
        try:
            run = runs.start(
                study=study_access.study, by=request.user, at=timezone.now(), **form.arguments()
            )
        except runs.CannotRun as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            return redirect("judge_run", key=key, run_id=run.pk)
    problem = endpoints.problem_with(settings.LLM_BASE_URL, http_hosts=settings.LLM_HTTP_HOSTS)
    return render(
        request,
        "judging/start.html",
        {
            "study_access": study_access,
            "form": form,
            "host": endpoints.host_of(settings.LLM_BASE_URL),
            "problem": said(problem) if problem else "",
            "estimate": showing.first_estimate(study_access.study),
        },
        status=422 if form.errors else 200,
    )


@require_safe
def estimate(request: HttpRequest, key: str) -> HttpResponse:
    """What the form, as it stands, would come to; nothing while it does not make sense."""
    study_access = run_by(request, key)
    form = StartForm(request.GET, study=study_access.study)
    form.is_valid()
    known = form.cleaned_data
    if not known.keys() >= {"repeats", "items", "manner", "language", "answers", "max_tokens"}:
        return HttpResponse(status=204)
    found = showing.estimate(
        study_access.study,
        round_number=form.round_number,
        repeats=known["repeats"],
        manner=form.asked_how,
        language=known["language"],
        as_json=form.as_json,
        max_tokens=known["max_tokens"],
    )
    return render(request, "judging/_estimate.html", {"estimate": found})


def seen_by(request: HttpRequest, key: str) -> StudyAccess:
    """The study, for those who may see what judges did there."""
    study_access = study_or_404(request, key)
    if not study_access.may_see_agreement:
        raise PermissionDenied
    return study_access


def run_by(request: HttpRequest, key: str) -> StudyAccess:
    """The study, for those who may run judges there."""
    study_access = study_or_404(request, key)
    if not study_access.may_run_judges:
        raise PermissionDenied
    return study_access
