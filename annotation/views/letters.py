"""Whether one is written to when work waits."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.gate import Request
from annotation.actions import telling as actions
from annotation.queries import telling


@require_http_methods(["GET", "HEAD", "POST"])
def letters(request: Request) -> HttpResponse:
    """Show the choice, and take it."""
    if request.method == "POST":
        wants = "wants_letters" in request.POST
        actions.choose(wants_letters=wants, by=request.user)
        messages.success(
            request,
            gettext("You are written to when work waits.")
            if wants
            else gettext("You are not written to any more when work waits."),
        )
        return redirect("letters")
    context = {"wants_letters": telling.wants_letters(request.access.user_id)}
    return render(request, "annotation/letters.html", context)
