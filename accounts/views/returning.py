"""Back to where a button was."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def way_back(request: HttpRequest, *, otherwise: str) -> str:
    """The page that a form names as `next`, if it is one of this site."""
    asked = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        asked, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    if is_ours and "/" in asked:
        return asked
    return otherwise
