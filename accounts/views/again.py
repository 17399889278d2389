"""Who signs in at a provider alone is asked again there before what reaches far."""

from allauth.account import views as allauth_views
from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts import providers
from accounts.gate import Request, ask_again_who_it_is, open_to


@open_to("signed_in")
@require_safe
def again(request: Request) -> HttpResponseBase:
    """Say where to; by a link, as a form may not end at another site. Who comes back goes on."""
    then = _then(request)
    if answer := providers.go_on(request, then=then):
        return answer
    page = {"provider": providers.name_of_provider(request, request.user), "then": then}
    return render(request, "accounts/again.html", page)


@open_to("signed_in")
@require_safe
def there(request: Request) -> HttpResponseBase:
    return providers.send_there(request, request.user, then=_then(request))


@open_to("signed_in")
def first_password(request: Request) -> HttpResponseBase:
    """allauth's page, which asks nobody: whoever finds a browser open could set one, and be asked for
    that from then on. What was typed is not kept while somebody is asked."""
    try:
        ask_again_who_it_is(request)
    except ReauthenticationRequired:
        if request.method == "POST":
            return redirect("account_set_password")
        raise
    answer: HttpResponseBase = allauth_views.password_set(request)
    return answer


def _then(request: Request) -> str:
    """Where it goes on; a page of ours, or the first one."""
    return get_next_redirect_url(request) or "/"
