"""Who has qualified, and letting somebody in who has not."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.gate import Request
from annotation.actions import qualifying as actions
from annotation.forms.qualifying import AdmissionForm
from annotation.queries import qualified
from annotation.queries.entering import coordinated
from annotation.queries.wording import said


@require_http_methods(["GET", "HEAD", "POST"])
def qualification(request: Request, key: str) -> HttpResponse:
    """Show how each annotator did; let one rate who has not passed."""
    study_access = coordinated(request, key)
    study = study_access.study
    found = qualified.annotators(study)
    form = AdmissionForm(found, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            actions.let_in(
                study_id=study.pk,
                account=int(form.cleaned_data["account"]),
                reason=form.cleaned_data["reason"],
                by=request.user,
                at=timezone.now(),
            )
        except actions.CannotLetIn as refusal:
            form.add_error(None, said(refusal.args[0]))
        else:
            messages.success(request, gettext("They may sit on panels from now on."))
            return redirect("qualification", key=key)
    context = {
        "study_access": study_access,
        "annotators": found,
        "form": form,
        "is_asked": study.asks_to_qualify,
        "n_answers": qualified.n_answers_to_qualify(study),
    }
    return render(
        request, "annotation/qualification.html", context, status=422 if form.errors else 200
    )
