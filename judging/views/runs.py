"""One run: how far it is, what it could not read, and each of its calls."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.actions.viewing import items_listed
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.saying import saying
from judging.actions import batching, handreading, runs, viewing
from judging.forms.starting import LimitForm, PaceForm
from judging.queries import searching, showing, wording
from judging.queries.entering import run_by, seen_by

if TYPE_CHECKING:
    from judging.models import JudgeRun

STOP_POLLING = 286


@require_safe
def one_run(request: Request, key: str, run_id: int) -> HttpResponse:
    study_access = seen_by(request, key)
    status = _status(study_access, run_id)
    if status.run.generation_id is not None:
        return redirect("generation", key=key, generation_id=status.run.generation_id)
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
def retune(request: Request, key: str, run_id: int) -> HttpResponse:
    """Set otherwise how much a run asks at a time, and for how much at most, while it goes on."""
    run_by(request, key)
    form = PaceForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Give whole numbers above 0; a limit may be empty."))
        return redirect("judge_run", key=key, run_id=run_id)
    tune = partial(runs.retune, concurrency=form.cleaned_data["concurrency"], limit=form.limit())
    return _move(request, key, run_id, tune, gettext("The run follows this from now on."))


@require_POST
def retry_failed(request: Request, key: str, run_id: int) -> HttpResponse:
    """Start a run of what the endpoint failed at, and go there."""
    run = _run(run_by(request, key), run_id)
    try:
        again = runs.retry_failed(run_id=run.pk, by=request.user, at=timezone.now())
    except runs.CannotRun as refusal:
        messages.error(request, said(refusal.args[0]))
        return redirect("judge_run", key=key, run_id=run_id)
    if again is None:
        messages.info(request, gettext("It was so already."))
        return redirect("judge_run", key=key, run_id=run_id)
    messages.info(request, gettext("What the endpoint failed at is asked again."))
    return redirect("judge_run", key=key, run_id=again.pk)


@require_POST
def finish(request: Request, key: str, run_id: int) -> HttpResponse:
    return _move(request, key, run_id, runs.finish, gettext("The run has ended."))


@require_POST
def cancel_batches(request: Request, key: str, run_id: int) -> HttpResponse:
    words = gettext("The run is paused, and its batches are being cancelled.")
    return _move(request, key, run_id, batching.cancel, words)


@require_http_methods(["GET", "HEAD", "POST"])
def calls(request: Request, key: str, run_id: int) -> HttpResponse:
    """List calls. What is looked for is posted: words in an address would end in logs."""
    study_access = seen_by(request, key)
    run = _run(study_access, run_id)
    asked = request.POST if request.method == "POST" else request.GET
    outcome = asked.get("outcome", "")
    words = searching.words_asked(request.POST.get("words"))
    page = showing.calls_of(
        run,
        outcome=outcome,
        page=asked.get("page", "1"),
        words=words,
        study_access=study_access,
    )
    items_listed(
        study_id=study_access.study.pk,
        items=[call.item_id for call in page],
        by=request.user,
        at=timezone.now(),
    )
    return render(
        request,
        "judging/calls.html",
        {
            "study_access": study_access,
            "run": run,
            "outcome": outcome,
            "outcomes": showing.outcomes_of(run),
            "n_by_hand": showing.read_by_hand(run),
            "n_waiting": showing.waiting_for_a_person(run).count(),
            "page": page,
            "words": words,
            "passages": [
                (one, searching.passage_with(words, one) if words else "") for one in page
            ],
            "may_search": showing.reason_not_to_search(run, study_access) is None,
        },
    )


@require_safe
def one_call(request: Request, key: str, run_id: int, call_id: int) -> HttpResponse:
    study_access = seen_by(request, key)
    run = _run(study_access, run_id)
    shown = showing.call_of(run, call_id, study_access)
    viewing.call_shown(
        call_id=call_id,
        items=[one.pk for one in shown.items],
        by=request.user,
        at=timezone.now(),
    )
    return render(
        request,
        "judging/call.html",
        {
            "study_access": study_access,
            "run": run,
            "shown": shown,
            "withheld": said(shown.withheld) if shown.withheld else "",
            "lines": wording.ratings_in_words(shown) + wording.preferences_in_words(shown),
            "grounds": wording.grounds_in_words(shown),
            "asked_how": wording.asked_in(run),
            "to_read": wording.to_read(shown) if study_access.may_run_judges else [],
            "by_hand": wording.read_by_hand_in_words(shown),
        },
    )


@require_POST
def assign_reading(request: Request, key: str, run_id: int, call_id: int) -> HttpResponse:
    """Keep what a person reads in an answer that the parser could not read."""
    study_access = run_by(request, key)
    run = _run(study_access, run_id)
    shown = showing.call_of(run, call_id, study_access)
    if not shown.asked:
        raise PermissionDenied
    criterion = request.POST.get("criterion", "")
    if criterion not in {one.criterion for one in wording.choices_unread(shown)}:
        raise Http404
    with saying(request, handreading.CannotAssign):
        handreading.assign(
            call=shown.call,
            criterion_key=criterion,
            raw=request.POST.get("value", ""),
            by=request.user,
            at=timezone.now(),
        )
        messages.info(request, gettext("Your reading is kept, apart from the judge’s own."))
    return redirect("judge_call", key=key, run_id=run_id, call_id=call_id)


@require_safe
def next_to_read(request: Request, key: str, run_id: int) -> HttpResponse:
    """Go to the next answer that a person may read, or to the list where none is left."""
    run = _run(run_by(request, key), run_id)
    call = showing.waiting_for_a_person(run).first()
    if call is None:
        messages.info(request, gettext("No answer waits to be read."))
        return redirect("judge_calls", key=key, run_id=run_id)
    return redirect("judge_call", key=key, run_id=run_id, call_id=call.pk)


def _move(
    request: Request, key: str, run_id: int, action: Callable[..., bool], words: str
) -> HttpResponse:
    run = _run(run_by(request, key), run_id)
    with saying(request, runs.CannotRun):
        has_moved = action(run_id=run.pk, by=request.user, at=timezone.now())
        messages.info(request, words if has_moved else gettext("It was so already."))
    return redirect("judge_run", key=key, run_id=run_id)


def _run(study_access: StudyAccess, run_id: int) -> "JudgeRun":
    return showing.run_of(study_access.study, run_id)


def _status(study_access: StudyAccess, run_id: int) -> showing.RunStatus:
    kept = showing.reason_to_keep_figures(study_access)
    return showing.status_of(_run(study_access, run_id), at=timezone.now(), kept=kept)


def _limits(status: showing.RunStatus) -> dict[str, object]:
    return {
        "limit_requests": status.run.limit_requests,
        "limit_tokens": status.run.limit_tokens,
        "limit_money": status.run.limit_money,
    }


def _context(study_access: StudyAccess, status: showing.RunStatus) -> dict[str, object]:
    """What the pages of a run show; how it compares with gold is a figure like all others."""
    kept = showing.reason_to_keep_figures(study_access)
    return {
        "study_access": study_access,
        "status": status,
        "run": status.run,
        "why_paused": wording.reason_paused(status.run),
        "asked_how": wording.asked_in(status.run),
        "accuracies": wording.accuracies_in_words(status.accuracies),
        "kept": said(kept) if kept else "",
        "probe": wording.probe_in_words(status.run.probe) if status.run.probe else [],
        "limit_form": LimitForm(initial=_limits(status)),
        "pace_form": PaceForm(initial={**_limits(status), "concurrency": status.run.concurrency}),
        "unscored": [(reason, reason.label, count) for reason, count in status.unscored],
    }
