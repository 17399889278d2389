"""One run: how far it is, what it could not read, and each of its calls."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from annotation.queries import readers
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import runs, viewing
from judging.forms import LimitForm
from judging.queries import showing, wording
from judging.views.judges import run_by, seen_by

if TYPE_CHECKING:
    from judging.models import JudgeRun

STOP_POLLING = 286


@require_safe
def one_run(request: Request, key: str, run_id: int) -> HttpResponse:
    study_access = seen_by(request, key)
    status = _status(study_access, run_id)
    viewing.run_shown(run_id=run_id, by=request.user, at=timezone.now())
    return render(request, "judging/run.html", _context(study_access, status))


@require_safe
def progress(request: Request, key: str, run_id: int) -> HttpResponse:
    """Nothing while nothing has changed, the figures when it has, and no more once it is over."""
    study_access = seen_by(request, key)
    status = _status(study_access, run_id)
    if request.GET.get("mark") == status.mark:
        return HttpResponse(status=204)
    return render(
        request,
        "judging/_run_status.html",
        _context(study_access, status),
        status=STOP_POLLING if status.is_finished else 200,
    )


@require_POST
def pause(request: Request, key: str, run_id: int) -> HttpResponse:
    return _move(request, key, run_id, runs.pause, gettext("The run is paused."))


@require_POST
def resume(request: Request, key: str, run_id: int) -> HttpResponse:
    run_by(request, key)
    form = LimitForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("A limit is a whole number above 0, or empty for none."))
        return redirect("judge_run", key=key, run_id=run_id)
    go_on = partial(runs.resume, limit=form.limit())
    return _move(request, key, run_id, go_on, gettext("The run goes on."))


@require_POST
def finish(request: Request, key: str, run_id: int) -> HttpResponse:
    return _move(request, key, run_id, runs.finish, gettext("The run has ended."))


@require_safe
def calls(request: Request, key: str, run_id: int) -> HttpResponse:
    study_access = seen_by(request, key)
    run = _run(study_access, run_id)
    outcome = request.GET.get("outcome", "")
    return render(
        request,
        "judging/calls.html",
        {
            "study_access": study_access,
            "run": run,
            "outcome": outcome,
            "outcomes": showing.outcomes_of(run),
            "page": showing.calls_of(run, outcome=outcome, page=request.GET.get("page", "1")),
        },
    )


@require_safe
def one_call(request: Request, key: str, run_id: int, call_id: int) -> HttpResponse:
    study_access = seen_by(request, key)
    run = _run(study_access, run_id)
    try:
        shown = showing.call_of(run, call_id, study_access)
    except showing.NoSuchRun:
        raise Http404 from None
    viewing.call_shown(
        call_id=call_id, item_id=shown.call.item_id, by=request.user, at=timezone.now()
    )
    return render(
        request,
        "judging/call.html",
        {
            "study_access": study_access,
            "run": run,
            "shown": shown,
            "withheld": said(shown.withheld) if shown.withheld else "",
            "lines": wording.ratings_in_words(shown),
            "asked_how": wording.asked_how(run.judge),
        },
    )


def _move(
    request: Request, key: str, run_id: int, action: Callable[..., bool], words: str
) -> HttpResponse:
    run = _run(run_by(request, key), run_id)
    try:
        has_moved = action(run_id=run.pk, by=request.user, at=timezone.now())
    except runs.CannotRun as refusal:
        messages.error(request, said(refusal.args[0]))
    else:
        messages.info(request, words if has_moved else gettext("It was so already."))
    return redirect("judge_run", key=key, run_id=run_id)


def _run(study_access: StudyAccess, run_id: int) -> "JudgeRun":
    try:
        return showing.run_of(study_access.study, run_id)
    except showing.NoSuchRun:
        raise Http404 from None


def _status(study_access: StudyAccess, run_id: int) -> showing.RunStatus:
    return showing.status_of(_run(study_access, run_id), at=timezone.now())


def _context(study_access: StudyAccess, status: showing.RunStatus) -> dict[str, object]:
    """What the pages of a run show; how it compares with gold is a figure like all others."""
    kept = readers.reason_not_to_see(study_access)
    return {
        "study_access": study_access,
        "status": status,
        "run": status.run,
        "why_paused": wording.reason_paused(status.run),
        "asked_how": wording.asked_how(status.run.judge),
        "accuracies": [] if kept else wording.accuracies_in_words(status.accuracies),
        "kept": said(kept) if kept else "",
        "probe": wording.probe_in_words(status.run.probe) if status.run.probe else [],
        "limit_form": LimitForm(
            initial={
                "limit_requests": status.run.limit_requests,
                "limit_tokens": status.run.limit_tokens,
            }
        ),
        "unscored": [(reason, reason.label, count) for reason, count in status.unscored],
    }
