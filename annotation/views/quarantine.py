"""The items that are set aside from figures, now and in the past."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.gate import Request
from annotation.actions import quarantine as actions
from annotation.forms.quarantine import QuarantineForm
from annotation.queries.entering import coordinated, study_to
from annotation.queries.quarantine import quarantine_page
from annotation.queries.wording import said
from annotation.rules.granting import Action
from annotation.views.saying import saying


@require_http_methods(["GET", "HEAD", "POST"])
def quarantine(request: Request, key: str) -> HttpResponse:
    """Show what is set aside and what was; take one more item out of figures."""
    is_change = request.method == "POST"
    study_access = study_to(request, key, Action.COORDINATE if is_change else Action.SEE_FIGURES)
    form = QuarantineForm(
        request.POST if is_change else None, initial={"item": request.GET.get("item", "")}
    )
    if is_change and form.is_valid():
        try:
            actions.quarantine(
                study_id=study_access.study.pk,
                item_key=form.cleaned_data["item"],
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotQuarantine as refusal:
            form.add_error("item", said(refusal.args[0]))
        else:
            messages.success(request, gettext("The item is set aside; figures follow."))
            return redirect("quarantine", key=key)
    return render(
        request,
        "annotation/quarantine.html",
        {
            "study_access": study_access,
            "form": form,
            "found": quarantine_page(study_access.study, page=request.GET.get("page", "1")),
        },
        status=422 if form.errors else 200,
    )


@require_POST
def lift(request: Request, key: str, quarantine_id: int) -> HttpResponse:
    study_access = coordinated(request, key)
    with saying(
        request, actions.CannotQuarantine, done=gettext("The item counts again; figures follow.")
    ):
        actions.lift(
            study_id=study_access.study.pk,
            quarantine_id=quarantine_id,
            by=request.user,
            at=timezone.now(),
        )
    return redirect("quarantine", key=key)
