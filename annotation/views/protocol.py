"""The protocol of a study: what its next rounds do with what raters answer."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.gate import Request
from annotation.actions import protocol as actions
from annotation.actions import rounds
from annotation.forms.protocol import ProtocolForm
from annotation.queries.entering import coordinated
from annotation.queries.rounds import protocol_of_next_rounds
from annotation.queries.wording import said
from annotation.views.rounds import status_or_404
from annotation.views.saying import saying


@require_http_methods(["GET", "HEAD", "POST"])
def protocol(request: Request, key: str) -> HttpResponse:
    """Show by which protocol the next rounds go; agree on another one."""
    study_access = coordinated(request, key)
    study = study_access.study
    form = ProtocolForm(
        study.rubric_version.content, request.POST or None, initial=protocol_of_next_rounds(study)
    )
    if request.method == "POST" and form.is_valid():
        actions.agree(
            study_id=study.pk,
            protocol=form.protocol(),
            by=request.user,
            at=timezone.now(),
        )
        messages.success(request, gettext("The next round goes by this protocol."))
        return redirect("round_open", key=key)
    return render(
        request,
        "annotation/protocol.html",
        {"study_access": study_access, "form": form},
        status=422 if form.errors else 200,
    )


@require_POST
def end_rating(request: Request, key: str, number: int) -> HttpResponse:
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    with saying(
        request,
        actions.CannotGoOn,
        done=gettext("The rating has ended; the gate looks at the answers."),
    ):
        actions.end_rating(round_id=status.round.pk, by=request.user, at=timezone.now())
    return redirect("round", key=key, number=number)


@require_POST
def open_re_review(request: Request, key: str, number: int) -> HttpResponse:
    study_access = coordinated(request, key)
    status = status_or_404(study_access, number)
    try:
        opened = rounds.open_re_review(round_id=status.round.pk, by=request.user, at=timezone.now())
    except actions.CannotGoOn as refusal:
        messages.error(request, said(refusal.args[0]))
        return redirect("round", key=key, number=number)
    return redirect("round", key=key, number=opened.number)
