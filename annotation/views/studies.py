"""Studies: a new one, and the first page of each."""

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.gate import Request
from annotation.actions import studies as actions
from annotation.forms.teams import StudyForm
from annotation.queries.overview import overview_of
from annotation.queries.studies import may_make_studies
from annotation.queries.wording import said
from annotation.views.finding import study_or_404


@require_safe
def study(request: Request, key: str) -> HttpResponse:
    """What a study is about, and what waits for this account in it."""
    study_access = study_or_404(request, key)
    return render(
        request,
        "annotation/study.html",
        {"study_access": study_access, "overview": overview_of(study_access)},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def new_study(request: Request) -> HttpResponse:
    """Let a coordinator, a data steward or an administrator create a study, with any rubric."""
    if not may_make_studies(request.access):
        raise PermissionDenied
    form = StudyForm(
        request.POST or None, request.FILES or None, initial={"coordinator": request.user.email}
    )
    if request.method == "POST" and form.is_valid():
        try:
            created = actions.create(**form.arguments(), by=request.user, at=timezone.now())
        except actions.KeyTaken as refusal:
            form.add_error("key", said(refusal.args[0]))
        else:
            is_next = (
                form.cleaned_data["writes"] and form.cleaned_data["coordinator"] == request.user
            )
            return redirect("rubric_write" if is_next else "team", key=created.key)
    return render(
        request, "annotation/new_study.html", {"form": form}, status=422 if form.errors else 200
    )
