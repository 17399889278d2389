"""An ethics board's questions, for auditors."""

import csv
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.gate import Request
from analytics.audit import actions, page
from analytics.audit.forms import QUESTIONS, AuditForm, AuditQuestion


@require_safe
def audit(request: Request) -> HttpResponse:
    if not request.access.may_read_events:
        raise PermissionDenied(_("This page is for auditors."))
    form = AuditForm(request.GET)
    if not form.is_valid():
        return render(request, "analytics/audit.html", {"form": form}, status=422)
    asked = form.cleaned_data
    actions.asked(question=asked["question"].value, by=request.user, at=timezone.now())
    if asked["question"] == AuditQuestion.COULD:
        return redirect(page.grants(asked, as_file=request.GET.get("as") == "csv"))
    if request.GET.get("as") == "csv":
        answer = HttpResponse(content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="audit.csv"'
        csv.writer(answer, lineterminator="\n").writerows(
            page.records(asked, reader=request.user.pk)
        )
        return answer
    shown = Paginator(page.lines(asked, reader=request.user.pk), page.LINES_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    given = {name: value for name, value in request.GET.items() if value and name in form.fields}
    context = {
        "form": form,
        "lines": page.told(list(shown)),
        "shown": shown,
        "title": dict(QUESTIONS)[asked["question"].value],
        "address": urlencode(given | {"question": asked["question"].value}),
    }
    return render(request, "analytics/audit.html", context)
