"""The audit trail, for auditors."""

from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms import EventFilterForm
from accounts.gate import Request
from accounts.queries import trail


@require_safe
def events(request: Request) -> HttpResponse:
    if not request.access.may_read_events:
        raise PermissionDenied(_("This page is for auditors."))
    form = EventFilterForm(request.GET, verbs=trail.event_verbs())
    if not form.is_valid():
        return render(request, "accounts/events.html", {"form": form}, status=422)
    asked = form.cleaned_data
    page = trail.events_matching(**asked)
    chosen = asked | {"actor": asked["actor"] and asked["actor"].pk}
    older = urlencode({name: chosen[name] for name in ("subject", "actor", "verb") if chosen[name]})
    return render(request, "accounts/events.html", {"form": form, "page": page, "older": older})
