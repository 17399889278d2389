"""The juries of a study: looked at, thought of, named, ended."""

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.gate import Request
from analytics.juries import actions, proposing
from analytics.juries.forms import EndJuryForm, JuryForm
from analytics.juries.page import JuriesPage
from analytics.juries.proposing import CannotSeat, Proposal
from analytics.present.entering import coordinator_or_403, reader_or_403
from annotation.queries.studies import StudyAccess
from annotation.queries.wording import said
from annotation.views.saying import saying


@require_safe
def show(request: Request, key: str) -> HttpResponse:
    return _show(request, reader_or_403(request, key))


@require_POST
def look(request: Request, key: str) -> HttpResponse:
    """Show how a jury would come to its answers, and what its votes would weigh; nothing is kept."""
    study_access = coordinator_or_403(request, key)
    form = JuryForm(request.POST, study=study_access.study)
    found = None
    if form.is_valid():
        try:
            found = proposing.proposal(study=study_access.study, **form.arguments())
        except CannotSeat as refusal:
            form.add_error(None, said(refusal.args[0]))
    return _show(request, study_access, form=form, found=found)


@require_POST
def name(request: Request, key: str) -> HttpResponse:
    """Have these judges rate as one from now on."""
    study_access = coordinator_or_403(request, key)
    form = JuryForm(request.POST, study=study_access.study)
    if form.is_valid():
        try:
            actions.name_jury(
                study_access=study_access, by=request.user, at=timezone.now(), **form.arguments()
            )
        except CannotSeat as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            messages.success(request, gettext("The jury rates from now on, in all figures."))
            return redirect("agreement_juries", key=key)
    return _show(request, study_access, form=form)


@require_POST
def end(request: Request, key: str, jury_id: int) -> HttpResponse:
    """Leave a jury out of figures from now on."""
    study_access = coordinator_or_403(request, key)
    form = EndJuryForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        with saying(
            request,
            CannotSeat,
            done=gettext("The jury has ended; what it was made up of stays here."),
        ):
            actions.end_jury(
                study_access=study_access,
                jury_id=jury_id,
                reason=reason,
                by=request.user,
                at=timezone.now(),
            )
    except ObjectDoesNotExist:
        raise Http404 from None
    return redirect("agreement_juries", key=key)


def _show(
    request: Request,
    study_access: StudyAccess,
    *,
    form: JuryForm | None = None,
    found: Proposal | None = None,
) -> HttpResponse:
    context = {
        "study_access": study_access,
        "shown": JuriesPage(study_access=study_access, proposal=found),
        "form": form or JuryForm(study=study_access.study),
    }
    status = 422 if form is not None and form.errors else 200
    return render(request, "analytics/juries.html", context, status=status)
