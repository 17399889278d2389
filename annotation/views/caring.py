"""How a study cares for those who annotate."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.gate import Request
from annotation.actions import caring
from annotation.forms.caring import CareForm
from annotation.queries import caring as queries
from annotation.queries.entering import coordinated


@require_http_methods(["GET", "HEAD", "POST"])
def care(request: Request, key: str) -> HttpResponse:
    """Set breaks, the most of a day and the support panel; see what all have read together."""
    study_access = coordinated(request, key)
    set_now = queries.care_of(study_access.study)
    initial = {name: getattr(set_now, name) for name in CareForm.base_fields}
    form = CareForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        caring.set_care(
            study_id=study_access.study.pk,
            **form.cleaned_data,
            by=request.user,
            at=timezone.now(),
        )
        messages.success(request, gettext("Set."))
        return redirect("care", key=key)
    return render(
        request,
        "annotation/care.html",
        {
            "study_access": study_access,
            "form": form,
            "exposure": queries.exposure(study_access.study),
        },
        status=422 if form.is_bound else 200,
    )
