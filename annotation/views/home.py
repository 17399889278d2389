"""The first page: what Concord is, what is missing, or one's studies."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.gate import Request, open_to
from accounts.queries import requests
from annotation.queries import governing, studies
from annotation.queries.overview import waiting_for


@open_to("anyone")
@require_safe
def home(request: Request) -> HttpResponse:
    if not request.access.is_signed_in:
        return render(request, "accounts/welcome.html")
    if not request.access.may_enter:
        return redirect("access")
    page = {
        "may_make_studies": studies.may_make_studies(request.access),
        "studies": waiting_for(studies.studies_of(request.access)),
        "n_waiting": requests.n_waiting_for(request.access),
        "n_ungranted": governing.n_waiting_for(request.access, at=timezone.now()),
    }
    return render(request, "annotation/home.html", page)
