"""The first account that may decide, made with a token from the server's start."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.actions import first_run as actions
from accounts.forms import FirstRunForm
from accounts.gate import open_to
from accounts.queries import people


@open_to("anyone")
@require_http_methods(["GET", "HEAD", "POST"])
def first_run(request: HttpRequest) -> HttpResponse:
    if people.somebody_decides():
        raise Http404
    form = FirstRunForm(request.POST or None)
    if not form.is_valid():
        return _show(request, form, status=422 if form.is_bound else 200)
    try:
        actions.begin(at=timezone.now(), **form.account())
    except actions.CannotBegin as reason:
        form.add_error(None, str(reason))
        return _show(request, form, status=409)
    messages.success(request, _("Your account is there. Sign in, and sign the agreement."))
    return redirect("account_login")


def _show(request: HttpRequest, form: FirstRunForm, *, status: int) -> HttpResponse:
    return render(request, "accounts/first_run.html", {"form": form}, status=status)
