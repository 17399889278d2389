"""The editions of a study's rubric: publish one, look at what it changes, go on under it, go back."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.gate import Request
from annotation.actions import changing_rubrics as actions
from annotation.actions import rubrics
from annotation.forms.rubrics import EditionForm, plan_of
from annotation.queries import rubric_changes as queries
from annotation.queries.entering import coordinated
from annotation.queries.wording import said
from annotation.rules.carrying import AGAIN, LEFT
from annotation.views.saying import saying


@require_http_methods(["GET", "HEAD", "POST"])
def editions(request: Request, key: str) -> HttpResponse:
    """List the editions and the changes; publish another edition, which changes nothing yet."""
    study_access = coordinated(request, key)
    study = study_access.study
    form = EditionForm(
        request.POST or None, request.FILES or None, key=study.rubric_version.content.key
    )
    if request.method == "POST" and form.is_valid():
        version = rubrics.publish(
            definition=form.cleaned_data["file"], by=request.user, at=timezone.now()
        )
        if version.pk == study.rubric_version_id:
            messages.info(request, gettext("The study is under this edition already."))
            return redirect("rubric_editions", key=key)
        return redirect("rubric_change", key=key, number=version.number)
    return render(
        request,
        "annotation/rubric_editions.html",
        {
            "study_access": study_access,
            "form": form,
            "editions": queries.editions_of(study),
            "changes": queries.changes_of(study),
            "n_again": len(queries.items_to_rate_again(study)),
        },
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: Request, key: str, number: int) -> HttpResponse:
    """Show what another edition says and does otherwise; go on under it by a plan."""
    study_access = coordinated(request, key)
    study, plan, refusal = study_access.study, plan_of(request.POST), ""
    try:
        version = queries.version_of(study, number)
        if request.method == "POST":
            actions.change_edition(
                study_id=study.pk,
                version_id=version.pk,
                plan=plan,
                by=request.user,
                at=timezone.now(),
            )
            messages.success(request, gettext("The study goes on under this edition."))
            return redirect("rubric_editions", key=key)
        shown = queries.preview(study, number, plan)
    except actions.CannotChangeEdition as reason:
        refusal, shown = said(reason.args[0]), queries.preview(study, number, plan)
    return render(
        request,
        "annotation/rubric_change.html",
        {
            "study_access": study_access,
            "preview": shown,
            "refusal": refusal,
            "again": AGAIN,
            "left": LEFT,
        },
        status=409 if refusal else 200,
    )


@require_POST
def take_back(request: Request, key: str, change_id: int) -> HttpResponse:
    """Go on under the edition before."""
    study_access = coordinated(request, key)
    with saying(
        request,
        actions.CannotChangeEdition,
        done=gettext("The change is taken back; every rating is as it was."),
    ):
        actions.take_back(
            study_id=study_access.study.pk, change_id=change_id, by=request.user, at=timezone.now()
        )
    return redirect("rubric_editions", key=key)
