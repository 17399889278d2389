"""Where an account stands: the checklist, and asking for access."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.actions import requests
from accounts.forms import RequestForm
from accounts.gate import Request, open_to
from accounts.queries import checklist, terms
from accounts.queries.requests import refused_purpose


@open_to("signed_in")
@require_safe
def status(request: Request) -> HttpResponse:
    return render(
        request,
        "accounts/status.html",
        {
            "checklist": checklist.checklist_for(request.access, at=timezone.now()),
            "signatures": terms.signatures_of(request.user.pk),
        },
    )


@open_to("signed_in")
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: Request) -> HttpResponse:
    form = RequestForm(request.POST or None, initial={"purpose": refused_purpose(request.user)})
    if request.method != "POST" or not form.is_valid():
        return _ask_page(request, form)
    try:
        requests.ask(by=request.user, at=timezone.now(), **form.cleaned_data)
    except requests.CannotAsk as reason:
        form.add_error(None, str(reason))
        return _ask_page(request, form, status=409)
    messages.success(request, _("Your request is with the data stewards."))
    return redirect("access")


def _ask_page(request: Request, form: RequestForm, status: int | None = None) -> HttpResponse:
    page = {"form": form, "checklist": checklist.checklist_for(request.access, at=timezone.now())}
    return render(
        request, "accounts/ask.html", page, status=status or (422 if form.errors else 200)
    )
