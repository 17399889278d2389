"""The way out: a page that says what leaves, and the archive itself."""

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.gate import ask_again_who_it_is
from analytics.exports import actions as actions
from analytics.exports import page as exports
from annotation.views.finding import study_or_404


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: HttpRequest, key: str) -> HttpResponse:
    """Say what an export holds; build and send it when asked to."""
    study_access = study_or_404(request, key)
    if study_access.may_export:
        ask_again_who_it_is(request)
    try:
        if request.method == "POST":
            return _send(request, key)
        actions.look(study_access=study_access, by=request.user, at=timezone.now())
    except actions.MayNotExport as reason:
        raise PermissionDenied(str(reason)) from None
    page = {
        "study_access": study_access,
        "contents": exports.contents(study_access.study),
        "earlier": exports.earlier(study_access.study),
    }
    return render(request, "analytics/export.html", page)


def _send(request: HttpRequest, key: str) -> FileResponse:
    built = actions.build(
        study_key=key,
        with_texts=request.POST.get("with_texts") == "on",
        by=request.user,
        at=timezone.now(),
    )
    actions.hand_over(built=built, by=request.user, at=timezone.now())
    archive = built.path.open("rb")
    built.path.unlink()
    return FileResponse(
        archive, as_attachment=True, filename=built.name, content_type="application/zip"
    )
