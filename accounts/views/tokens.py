"""The tokens of an account."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.actions import tokens as actions
from accounts.forms import TokenForm
from accounts.gate import Request, ask_again_who_it_is
from accounts.queries import tokens


@require_http_methods(["GET", "HEAD", "POST"])
def every(request: Request) -> HttpResponse:
    """Show what there is, and make another; its words are shown this once."""
    ask_again_who_it_is(request)
    form = TokenForm(request.POST if request.method == "POST" else None)
    words, status = "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            _made, words = actions.make(**form.cleaned_data, by=request.user, at=timezone.now())
            form, status = TokenForm(), 200
    page = {
        "form": form,
        "words": words,
        "tokens": tokens.tokens_of(request.user),
        "now": timezone.now(),
    }
    return render(request, "accounts/tokens.html", page, status=status)


@require_POST
def revoke(request: Request, token_id: int) -> HttpResponse:
    actions.revoke(token_id=token_id, by=request.user, at=timezone.now())
    messages.success(request, _("Revoked. Nothing signs in with it any more."))
    return redirect("tokens")
