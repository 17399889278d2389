"""The keys of the work screens, which everybody may change for themselves."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.gate import Request
from annotation.actions import keys as actions
from annotation.queries.keys import own_keys
from annotation.queries.wording import said
from annotation.rules.keys import CHANGEABLE


@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: Request) -> HttpResponse:
    """Show which key does what; change them, or take the usual ones again."""
    own, refusal = own_keys(request.access.user_id), ""
    if request.method == "POST":
        own = {}
        if "usual" not in request.POST:
            own = {key: request.POST.get(f"key.{key}", key).strip().lower() for key in CHANGEABLE}
        try:
            actions.choose(own=own, by=request.user)
        except actions.CannotUse as reason:
            refusal = said(reason.args[0])
        else:
            messages.success(request, gettext("These are your keys now."))
            return redirect("keys")
    context = {
        "refusal": refusal,
        "keys": [
            (usual, own.get(usual, usual), said(words)) for usual, words in CHANGEABLE.items()
        ],
    }
    return render(request, "annotation/keys.html", context, status=422 if refusal else 200)
