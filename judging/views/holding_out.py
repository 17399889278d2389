"""The hold-out of a study: drawn, spent, ended."""

import secrets

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from judging.actions import holding_out as actions
from judging.forms.holding_out import DrawForm, EndForm
from judging.queries import holding_out
from judging.queries.entering import run_by, seen_by


@require_safe
def hold_out(request: Request, key: str) -> HttpResponse:
    return _show(request, seen_by(request, key))


@require_POST
def draw(request: Request, key: str) -> HttpResponse:
    study_access = run_by(request, key)
    form = DrawForm(request.POST)
    if form.is_valid():
        try:
            actions.draw(
                study=study_access.study,
                percent=form.cleaned_data["percent"],
                seed=form.cleaned_data["seed"] or secrets.token_hex(8),
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotHoldOut as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            return redirect("hold_out", key=key)
    return _show(request, study_access, draw_form=form)


@require_POST
def end(request: Request, key: str) -> HttpResponse:
    study_access = run_by(request, key)
    form = EndForm(request.POST)
    if form.is_valid():
        try:
            actions.end(
                study=study_access.study,
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotHoldOut as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            return redirect("hold_out", key=key)
    return _show(request, study_access, end_form=form)


def _show(
    request: Request,
    study_access: StudyAccess,
    *,
    draw_form: DrawForm | None = None,
    end_form: EndForm | None = None,
) -> HttpResponse:
    refused = draw_form or end_form
    return render(
        request,
        "judging/hold_out.html",
        {
            "study_access": study_access,
            "state": holding_out.state(study_access.study),
            "draw_form": draw_form or DrawForm(),
            "end_form": end_form or EndForm(),
        },
        status=422 if refused is not None else 200,
    )
