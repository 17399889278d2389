"""Rounds: open one, watch it, hand work on, close it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.gate import Request
from annotation.actions import assignments, cancelling
from annotation.actions import rounds as actions
from annotation.forms.rounds import DueForm, JoinForm, OpenRoundForm, ReassignForm
from annotation.queries import rounds
from annotation.queries.entering import coordinated
from annotation.queries.studies import StudyAccess
from annotation.queries.visibility import reader_of
from annotation.queries.wording import said
from annotation.rules.protocol import from_data, steps_of

STOP_POLLING = 286


@require_safe
def all_rounds(request: Request, key: str) -> HttpResponse:
    study_access = coordinated(request, key)
    return render(
        request,
        "annotation/rounds.html",
        {"study_access": study_access, "rounds": rounds.rounds_of(study_access.study)},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def open_round(request: Request, key: str) -> HttpResponse:
    study_access = coordinated(request, key)
    form = OpenRoundForm(request.POST or None, request.FILES or None, study_access=study_access)
    if request.method == "POST" and form.is_valid():
        try:
            opened = actions.open_round(
                study_id=study_access.study.pk,
                by=request.user,
                at=timezone.now(),
                **form.arguments(),
            )
        except actions.CannotOpen as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            return redirect("round", key=key, number=opened.number)
    study = study_access.study
    steps = steps_of(from_data(study.protocol), study.rubric_version.content.criteria)
    return render(
        request,
        "annotation/open_round.html",
        {
            "study_access": study_access,
            "form": form,
            "steps": list(map(said, steps)),
        },
        status=422 if form.errors else 200,
    )


@require_safe
def one_round(request: Request, key: str, number: int) -> HttpResponse:
    study_access = coordinated(request, key)
    return _page(request, study_access, status_or_404(study_access, number))


@require_safe
def round_progress(request: Request, key: str, number: int) -> HttpResponse:
    """Nothing while nothing has changed, the figures when it has, and no more once it is over."""
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    if request.GET.get("mark") == status.mark:
        return HttpResponse(status=204)
    is_over = not status.is_open and not status.is_computing
    return render(
        request,
        "annotation/_round_status.html",
        _context(study_access, status),
        status=STOP_POLLING if is_over else 200,
    )


@require_POST
def close_round(request: Request, key: str, number: int) -> HttpResponse:
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    try:
        actions.close(round_id=status.round.pk, by=request.user, at=timezone.now())
    except actions.CannotClose as refusal:
        return _page(request, study_access, status, refusal=said(refusal.args[0]))
    messages.success(request, gettext("The round is closed."))
    return redirect("round", key=key, number=number)


@require_http_methods(["GET", "HEAD", "POST"])
def reassign(request: Request, key: str, number: int) -> HttpResponse:
    """Hand the open work of a rater who leaves to others."""
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    form = ReassignForm(request.POST or None, status=status, study_access=study_access)
    joining = JoinForm(status=status, study_access=study_access)
    if request.method == "POST" and form.is_valid():
        try:
            moved = assignments.reassign(
                round_id=status.round.pk,
                by=request.user,
                at=timezone.now(),
                **form.arguments(),
            )
        except assignments.CannotReassign as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            words = ngettext(
                "%(count)s item was handed on.", "%(count)s items were handed on.", moved
            )
            messages.success(request, words % {"count": moved})
            return redirect("round", key=key, number=number)
    return render(
        request,
        "annotation/reassign.html",
        {"study_access": study_access, "status": status, "form": form, "joining": joining},
        status=422 if form.errors else 200,
    )


@require_POST
def let_join(request: Request, key: str, number: int) -> HttpResponse:
    """Seat somebody on the panel who takes over a share of what others still owe."""
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    form = JoinForm(request.POST, status=status, study_access=study_access)
    if not form.is_valid():
        messages.error(request, gettext("Choose annotators who are not on the panel yet."))
        return redirect("round_reassign", key=key, number=number)
    try:
        moved = assignments.let_join(
            round_id=status.round.pk,
            accounts=[int(account) for account in form.cleaned_data["accounts"]],
            by=request.user,
            at=timezone.now(),
        )
    except assignments.CannotReassign as refusal:
        messages.error(request, said(refusal.args[0]))
        return redirect("round_reassign", key=key, number=number)
    words = ngettext("%(count)s item was handed on.", "%(count)s items were handed on.", moved)
    messages.success(request, words % {"count": moved})
    return redirect("round", key=key, number=number)


@require_POST
def cancel_round(request: Request, key: str, number: int) -> HttpResponse:
    """End a round that should not have been opened."""
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    try:
        cancelling.cancel(
            round_id=status.round.pk,
            reason=request.POST.get("reason", ""),
            by=request.user,
            at=timezone.now(),
        )
    except cancelling.CannotCancel as refusal:
        return _page(request, study_access, status, refusal=said(refusal.args[0]))
    messages.success(request, gettext("The round is cancelled; its items are free again."))
    return redirect("round", key=key, number=number)


@require_POST
def set_due(request: Request, key: str, number: int) -> HttpResponse:
    """Say until when a round should be rated."""
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    form = DueForm(request.POST)
    if not form.is_valid():
        return _page(request, study_access, status, refusal=gettext("This is not a day."))
    try:
        actions.set_due(
            round_id=status.round.pk,
            due_on=form.cleaned_data["due_on"],
            by=request.user,
            at=timezone.now(),
        )
    except actions.CannotClose as refusal:
        return _page(request, study_access, status, refusal=said(refusal.args[0]))
    messages.success(request, gettext("The day is changed."))
    return redirect("round", key=key, number=number)


def status_or_404(study_access: StudyAccess, number: int) -> rounds.RoundStatus:
    return rounds.round_status(study_access.study, number)


def _page(
    request: Request, study_access: StudyAccess, status: rounds.RoundStatus, *, refusal: str = ""
) -> HttpResponse:
    context = _context(study_access, status) | {"refusal": refusal}
    return render(request, "annotation/round.html", context, status=409 if refusal else 200)


def _context(study_access: StudyAccess, status: rounds.RoundStatus) -> dict[str, object]:
    is_blinded = status.is_open and reader_of(study_access).annotates
    reason = None if is_blinded else rounds.reason_to_stay_open(status)
    return {
        "study_access": study_access,
        "status": status,
        "is_blinded": is_blinded,
        "reason_to_stay_open": said(reason) if reason else "",
    }
