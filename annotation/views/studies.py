"""Studies: a new one, and the first page of each."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.gate import Request
from annotation.actions import studies as actions
from annotation.forms import describing
from annotation.forms.teams import StudyForm
from annotation.queries.entering import coordinated, study_or_404
from annotation.queries.overview import overview_of
from annotation.queries.studies import may_make_studies
from annotation.queries.wording import said


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


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: Request, key: str) -> HttpResponse:
    """Say what a study is called and what it is about; all else about it is set on pages of its own."""
    study_access = coordinated(request, key)
    study = study_access.study
    begun = {"name": study.name, "language": study.language}
    name = describing.NameForm(request.POST or None, initial=begun)
    descriptions = describing.DescriptionFormSet(
        request.POST or None, initial=describing.as_begun(study), prefix=describing.PREFIX
    )
    if request.method == "POST" and all([name.is_valid(), descriptions.is_valid()]):
        actions.describe(
            study_id=study.pk,
            **name.cleaned_data,
            descriptions=dict(describing.written_in(descriptions)),
            by=request.user,
            at=timezone.now(),
        )
        messages.success(request, gettext("Set."))
        return redirect("study_settings", key=key)
    return render(
        request,
        "annotation/study_settings.html",
        {"study_access": study_access, "name": name, "descriptions": descriptions},
        status=422 if name.is_bound else 200,
    )
